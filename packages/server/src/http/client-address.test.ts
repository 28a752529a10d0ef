import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClientAddresses, networkOf } from "./client-address.ts";

describe("client address", () => {
  it("the client address is the caller's own, and unknown behind a trusted proxy that names none", () => {
    const { isTrustedProxy, clientOf } = createClientAddresses([
      "127.0.0.0/8",
      "::1",
      "10.1.2.3",
      "fd00::/8",
    ]);
    for (const proxy of ["127.0.0.1", "127.9.9.9", "::1", "10.1.2.3", "fd00::7", "::ffff:127.0.0.1"]) {
      assert.equal(isTrustedProxy(proxy), true, proxy);
      assert.equal(clientOf({ ip: proxy }), undefined, proxy);
    }
    for (const client of ["10.1.2.4", "203.0.113.9"]) {
      assert.equal(isTrustedProxy(client), false, client);
      assert.equal(clientOf({ ip: client }), client);
    }
  });

  it("an X-Forwarded-For without an address gives no client address", () => {
    const { isTrustedProxy, clientOf } = createClientAddresses(["127.0.0.0/8"]);
    for (const ip of ["", "unknown", "_hidden", "203.0.113.9:5000", "1".repeat(5_000)]) {
      assert.equal(isTrustedProxy(ip), false);
      assert.equal(clientOf({ ip }), undefined);
    }
  });

  it("clients are counted by /64 network in IPv6 and by address in IPv4", () => {
    assert.equal(networkOf("203.0.113.9"), "203.0.113.9");
    assert.equal(networkOf("::ffff:203.0.113.9"), "203.0.113.9");
    for (const same of [
      "2001:db8:1:2:3:4:5:6",
      "2001:db8:1:2::1",
      "2001:0db8:0001:0002::",
      "2001:DB8:1:2:ffff:ffff:ffff:ffff",
      "2001:db8:1:2::1.2.3.4",
    ])
      assert.equal(networkOf(same), "2001:db8:1:2::/64", same);
    assert.equal(networkOf("2001:db8:1:3::1"), "2001:db8:1:3::/64");
    assert.equal(networkOf("2001:db8::1"), "2001:db8:0:0::/64");
    assert.equal(networkOf("::1"), "0:0:0:0::/64");
    assert.equal(networkOf("fe80::1%eth0"), "fe80:0:0:0::/64");
  });
});
