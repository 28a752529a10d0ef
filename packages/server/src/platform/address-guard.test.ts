import assert from "node:assert/strict";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, it } from "node:test";
import fc from "fast-check";
import ipaddr from "ipaddr.js";
import { createAddressGuard, type AddressRules } from "./address-guard.ts";
import { createInternalAddresses, type InternalTarget } from "./internal-addresses.ts";

/** Judges at port 443, with lists whose entries name no port. */
function createAddressJudge({
  allowedHosts,
  allowedRanges,
}: {
  allowedHosts: string[];
  allowedRanges: string[];
}) {
  const { mayConnect } = createAddressGuard({
    allowedHosts: allowedHosts.map((host) => ({ host, port: undefined })),
    allowedRanges: allowedRanges.map((range) => ({ range, port: undefined })),
  });
  return (hostname: string, address: string) => mayConnect(hostname, address, 443);
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

describe("SSRF guard: addresses", () => {
  for (const range of FORBIDDEN_RANGES) {
    it(`no connection is allowed to ${range}, however the address is written`, () => {
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
    it(`a developer may be called at ${address}`, () => {
      assert.equal(nothingAllowed("developer.example", address), true);
    });
  }

  it("a text that is not an address is refused", () => {
    for (const text of ["", "localhost", "999.1.1.1", "1.1.1.1/32", "::g", "1.1.1.1 "])
      assert.equal(nothingAllowed("developer.example", text), false, text);
  });

  it("exactly the allowed ranges and single addresses are opened", () => {
    const judge = createAddressJudge({
      allowedHosts: [],
      allowedRanges: ["10.1.0.0/16", "192.168.7.7", "fd12::/16"],
    });
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "192.168.7.7", "fd12::1"])
      assert.equal(judge("receiver", address), true, address);
    for (const address of ["10.2.0.1", "192.168.7.8", "fd13::1", "127.0.0.1"])
      assert.equal(judge("receiver", address), false, address);
  });

  it("exactly the allowed host names are opened, in any case and with a final dot", () => {
    const judge = createAddressJudge({ allowedHosts: ["Desk.Internal"], allowedRanges: [] });
    for (const name of ["desk.internal", "DESK.internal", "desk.internal."])
      assert.equal(judge(name, "10.0.0.1"), true, name);
    for (const name of ["internal", "x.desk.internal", "desk.internal.example", "10.0.0.1"])
      assert.equal(judge(name, "10.0.0.1"), false, name);
  });

  it("a metadata service is never opened, whatever is allowed and however its address is wrapped", () => {
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

  it("a local-only name may not lead to a public address unless it is allowed", () => {
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

  it("an allowed internationalised name matches its Punycode", () => {
    const judge = createAddressJudge({ allowedHosts: ["B\u00fccher.example"], allowedRanges: [] });
    assert.equal(judge("xn--bcher-kva.example", "10.0.0.1"), true);
  });
});

describe("SSRF guard: ports", () => {
  const rules: AddressRules = {
    allowedHosts: [
      { host: "desk", port: undefined },
      { host: "tools", port: 8_080 },
    ],
    allowedRanges: [
      { range: "10.0.0.0/8", port: "*" },
      { range: "10.9.0.0/16", port: 9_090 },
      { range: "192.168.0.0/16", port: undefined },
    ],
  };
  const { mayConnect, mayUsePort } = createAddressGuard(rules);
  const ordinary = [80, 443, 1_024, 3_000, 8_443, 65_535];
  const internal = [
    2_375, 2_379, 5_122, 5_432, 6_379, 6_443, 8_080, 8_200, 8_500, 9_070, 9_090, 9_200, 10_250, 11_211,
  ];
  const low = [0, 1, 22, 25, 53, 110, 389, 445, 993, 1_023];

  it("web ports and high ports are open except those of internal services", () => {
    for (const port of ordinary)
      assert.equal(mayConnect("developer.example", "1.1.1.1", port), true, String(port));
    for (const port of [...low, ...internal])
      assert.equal(mayConnect("developer.example", "1.1.1.1", port), false, String(port));
  });

  it("an allowed host or range without a port opens 80 and 443", () => {
    for (const [host, address] of [
      ["desk", "172.16.0.1"],
      ["192.168.0.1", "192.168.0.1"],
    ] as const) {
      assert.deepEqual(
        [80, 443, 3_000, 8_080, 25].map((port) => mayConnect(host, address, port)),
        [true, true, false, false, false],
        host,
      );
    }
  });

  it("an entry with * opens every ordinary port, and an internal one only by number", () => {
    for (const port of ordinary) assert.equal(mayConnect("10.0.0.1", "10.0.0.1", port), true, String(port));
    for (const port of [...low, ...internal])
      assert.equal(mayConnect("10.0.0.1", "10.0.0.1", port), false, String(port));
    assert.equal(mayConnect("10.9.0.1", "10.9.0.1", 9_090), true);
    assert.equal(mayConnect("tools", "172.16.0.1", 8_080), true);
    assert.equal(mayConnect("tools", "172.16.0.1", 80), false, "it was allowed at its port alone");
    assert.equal(mayConnect("tools", "1.1.1.1", 80), false);
  });

  it("a name is not looked up for a port that no entry opens", () => {
    assert.deepEqual(
      [22, 5_432, 8_080, 9_090].map((port) => mayUsePort("developer.example", port)),
      [false, false, false, true],
      "9090 is named for a range, and any name may lead there",
    );
    assert.equal(mayUsePort("tools", 8_080), true);
  });
});

describe("SSRF guard: internal services", () => {
  const guardFor = async (...targets: InternalTarget[]) => {
    const names: Record<string, string[]> = { postgres: ["10.0.0.5"], localhost: ["127.0.0.1", "::1"] };
    const internal = createInternalAddresses(targets, async (host) => {
      const addresses = names[host] ?? (isIP(host) === 0 ? undefined : [host]);
      if (addresses === undefined) throw new Error(`no ${host}`);
      return addresses.map((address) => ({ address }));
    });
    await internal.refresh();
    const everything = [5_432, 9_070, "*" as const].flatMap((port) =>
      ["0.0.0.0/0", "::/0"].map((range) => ({ range, port })),
    );
    const allowedHosts = [5_432, 9_070].map((port) => ({ host: "postgres", port }));
    const { mayConnect } = createAddressGuard({ allowedHosts, allowedRanges: everything, internal });
    return (host: string, address: string, port: number) => mayConnect(host, address, port);
  };

  it("an internal service is never called by any name or address, even if the allow-list names it", async () => {
    const may = await guardFor({ host: "postgres", port: 5_432 });
    for (const [host, address] of [
      ["postgres", "10.0.0.5"],
      ["alias.example", "10.0.0.5"],
      ["10.0.0.5", "10.0.0.5"],
      ["alias.example", "::ffff:10.0.0.5"],
      ["alias.example", "64:ff9b::a00:5"],
      ["postgres", "10.0.0.99"],
    ] as const)
      assert.equal(may(host, address, 5_432), false, `${host} ${address}`);
    assert.equal(may("10.0.0.5", "10.0.0.5", 9_070), true, "its port, not its machine");
    assert.equal(may("10.0.0.6", "10.0.0.6", 5_432), true, "the allow-list names the port");
  });

  it("an internal service on this machine is never called by any of the machine's addresses", async () => {
    const own = Object.values(networkInterfaces()).flatMap((each) =>
      (each ?? []).map(({ address }) => address),
    );
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      const may = await guardFor({ host, port: 9_070 });
      for (const address of ["127.0.0.1", "127.8.8.8", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", ...own])
        assert.equal(may("alias.example", address, 9_070), false, `${host}: ${address}`);
      assert.equal(may("127.0.0.1", "127.0.0.1", 3_000), true);
    }
  });
});

describe("SSRF guard: name lookup", () => {
  it("names are looked up by DNS alone, except those of the operator's own network", () => {
    const { lookupOf } = createAddressGuard({
      allowedHosts: [{ host: "desk.example", port: 8_080 }],
      allowedRanges: [{ range: "10.0.0.0/8", port: undefined }],
    });
    assert.equal(lookupOf("developer.example"), "dns");
    for (const name of ["desk.example", "DESK.example.", "db", "x.internal"])
      assert.equal(lookupOf(name), "local", name);
    const closed = createAddressGuard({ allowedHosts: [], allowedRanges: [] });
    for (const name of ["db", "localhost", "x.internal"]) assert.equal(closed.lookupOf(name), "never", name);
  });
});
