import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { createAddressGuard, type AddressRules } from "./address-guard.ts";

function createAddressJudge(rules: AddressRules) {
  return createAddressGuard(rules).mayConnect;
}
const nothingAllowed = createAddressJudge({ allowedHosts: [], allowedRanges: [] });

const FORBIDDEN_RANGES = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/96",
  "::ffff:0:0:0/96",
  "64:ff9b::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
  "4000::/3",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
];
const METADATA = [
  "169.254.169.254",
  "169.254.170.2",
  "100.100.100.200",
  "192.0.0.192",
  "168.63.129.16",
  "fd00:ec2::254",
];

/** Any address of a range: the prefix stays, the rest is drawn. */
function within(range: string): fc.Arbitrary<string> {
  const [network, bits] = ipaddr.parseCIDR(range);
  const prefix = network.toByteArray();
  return fc.uint8Array({ minLength: prefix.length, maxLength: prefix.length }).map((drawn) =>
    ipaddr
      .fromByteArray(
        prefix.map((byte, index) => {
          const kept = Math.min(8, Math.max(0, bits - 8 * index));
          const mask = (0xff << (8 - kept)) & 0xff;
          return (byte & mask) | ((drawn[index] ?? 0) & ~mask & 0xff);
        }),
      )
      .toString(),
  );
}

describe("the judge of addresses", () => {
  for (const range of FORBIDDEN_RANGES) {
    it(`lets nobody connect to ${range}, however the address is written`, () => {
      fc.assert(
        fc.property(within(range), (address) => {
          assert.equal(nothingAllowed("developer.example", address), false, address);
          assert.equal(nothingAllowed(address, address), false, address);
          if (!address.includes(":"))
            assert.equal(nothingAllowed("developer.example", `::ffff:${address}`), false, address);
        }),
      );
    });
  }

  for (const address of ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700::1111", "2a00:1450:4001::1"]) {
    it(`lets a developer be called at ${address}`, () => {
      assert.equal(nothingAllowed("developer.example", address), true);
    });
  }

  it("refuses what is no address", () => {
    for (const text of ["", "localhost", "999.1.1.1", "1.1.1.1/32", "::g", "1.1.1.1 "])
      assert.equal(nothingAllowed("developer.example", text), false, text);
  });

  it("opens exactly the ranges and single addresses an operator allowed", () => {
    const judge = createAddressJudge({
      allowedHosts: [],
      allowedRanges: ["10.1.0.0/16", "192.168.7.7", "fd12::/16"],
    });
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "192.168.7.7", "fd12::1"])
      assert.equal(judge("receiver", address), true, address);
    for (const address of ["10.2.0.1", "192.168.7.8", "fd13::1", "127.0.0.1"])
      assert.equal(judge("receiver", address), false, address);
  });

  it("opens the host names an operator allowed, in any case and with a final dot, and no others", () => {
    const judge = createAddressJudge({ allowedHosts: ["Desk.Internal"], allowedRanges: [] });
    for (const name of ["desk.internal", "DESK.internal", "desk.internal."])
      assert.equal(judge(name, "10.0.0.1"), true, name);
    for (const name of ["internal", "x.desk.internal", "desk.internal.example", "10.0.0.1"])
      assert.equal(judge(name, "10.0.0.1"), false, name);
  });

  it("never opens a metadata service, whatever is allowed and however its address is wrapped", () => {
    const judge = createAddressJudge({ allowedHosts: ["metadata"], allowedRanges: ["0.0.0.0/0", "::/0"] });
    assert.equal(judge("metadata", "10.0.0.1"), true, "everything else is allowed here");
    assert.equal(judge("metadata", "64:ff9b::a00:1"), true);
    for (const address of METADATA) {
      assert.equal(judge("metadata", address), false, address);
      if (address.includes(":")) continue;
      const [high, low] = ipaddr.IPv4.parse(address).toIPv4MappedAddress().parts.slice(-2);
      const hex = `${high?.toString(16)}:${low?.toString(16)}`;
      for (const wrapped of [
        `::ffff:${address}`,
        `::${address}`,
        `::ffff:0:${hex}`,
        `64:ff9b::${hex}`,
        `2002:${hex}::1`,
      ])
        assert.equal(judge("metadata", wrapped), false, wrapped);
    }
  });

  it("lets no name that means something only inside a network lead to a public address, unless it was allowed", () => {
    for (const name of [
      "db",
      "DB.",
      "localhost",
      "app.localhost",
      "printer.local",
      "x.internal",
      "y.home.arpa",
    ])
      assert.equal(nothingAllowed(name, "1.1.1.1"), false, name);
    const judge = createAddressJudge({ allowedHosts: ["db"], allowedRanges: ["10.0.0.0/8"] });
    assert.equal(judge("db", "1.1.1.1"), true);
    assert.equal(judge("desk", "10.0.0.1"), true);
    assert.equal(judge("desk", "1.1.1.1"), false);
  });

  it("knows an allowed name by its letters, however it was written", () => {
    const judge = createAddressJudge({ allowedHosts: ["B\u00fccher.example"], allowedRanges: [] });
    assert.equal(judge("xn--bcher-kva.example", "10.0.0.1"), true);
  });
});

describe("the judge of ports", () => {
  const { mayUsePort } = createAddressGuard({ allowedHosts: ["desk"], allowedRanges: ["10.0.0.0/8"] });

  it("lets a developer listen where web servers do, and on any high port that is not a known service's", () => {
    for (const port of [80, 443, 1_024, 3_000, 8_080, 8_443, 65_535])
      assert.equal(mayUsePort("developer.example", port), true, String(port));
    for (const port of [
      0, 1, 22, 25, 53, 110, 389, 445, 993, 1_023, 2_375, 3_306, 5_432, 6_379, 9_200, 11_211, 27_017,
    ])
      assert.equal(mayUsePort("developer.example", port), false, String(port));
  });

  it("does not look at the port of a name that an operator allowed", () => {
    assert.equal(mayUsePort("desk", 25), true);
    assert.equal(mayUsePort("10.0.0.1", 25), false);
  });
});

describe("the way a name is looked up", () => {
  it("is DNS as it stands, but for names of the operator's own network", () => {
    const { lookupOf } = createAddressGuard({
      allowedHosts: ["desk.example"],
      allowedRanges: ["10.0.0.0/8"],
    });
    assert.equal(lookupOf("developer.example"), "dns");
    for (const name of ["desk.example", "DESK.example.", "db", "x.internal"])
      assert.equal(lookupOf(name), "local", name);
    const closed = createAddressGuard({ allowedHosts: [], allowedRanges: [] });
    for (const name of ["db", "localhost", "x.internal"]) assert.equal(closed.lookupOf(name), "never", name);
  });
});
