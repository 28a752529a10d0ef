import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { startDnsServer, type DnsServer } from "@signalbox/tests/support/dns-server.ts";
import { on, PORT, PUBLIC } from "@signalbox/tests/support/outbound-cases.ts";
import {
  enterNetwork,
  isInsideNetwork,
  NAME_SERVER,
  NETWORK_TIMEOUT,
} from "@signalbox/tests/support/private-network.ts";
import { watchNetwork, type WatchedNetwork } from "@signalbox/tests/support/watched-network.ts";
import { openOutbound, type Outbound, type OutboundRules } from "./outbound-http.ts";
import { atMost } from "@signalbox/tests/support/machine.ts";

let network: WatchedNetwork;
let names: DnsServer;

function open(rules: Partial<OutboundRules> = {}): Outbound {
  return openOutbound({ allowedHosts: [], allowedRanges: [], connectionLifeMs: 60_000, ...rules });
}

async function postTo(outbound: Outbound, url: string): Promise<string> {
  const result = await outbound.post({ url, headers: {}, body: Buffer.from("{}"), timeoutMs: 5_000 });
  return result.kind === "answered" ? `answered ${result.status}` : result.cause;
}

if (!isInsideNetwork)
  it(
    "outbound name lookup never leads to a forbidden address in a watched network",
    NETWORK_TIMEOUT,
    enterNetwork(import.meta.filename),
  );
else
  describe("outbound name lookup", () => {
    before(async () => {
      network = await watchNetwork([PORT, 25, 6_379]);
      names = await startDnsServer(NAME_SERVER);
    });
    after(async () => {
      await network[Symbol.asyncDispose]();
      await names[Symbol.asyncDispose]();
    });
    beforeEach(() => {
      network.visits.length = 0;
    });

    it("a name that moves to a forbidden address is closed within the life of a connection, however busy", async () => {
      let address = PUBLIC;
      names.answer(() => ({ addresses: [address] }));
      const outbound = open({ connectionLifeMs: 700 });
      const forEver = open();
      const url = on("http", "moves.example");
      assert.equal(await postTo(outbound, url), "answered 200");
      assert.equal(await postTo(forEver, url), "answered 200");
      address = "10.0.0.1";
      const moved = performance.now();
      let closedBatches = 0;
      while (closedBatches < 3) {
        atMost(performance.now() - moved, 10_000, "a busy connection ends");
        // More at once than there are connections would be: some always wait for a free one.
        const results = await Promise.all(Array.from({ length: 160 }, () => postTo(outbound, url)));
        const isClosed = results.every((result) => result === "forbidden_address");
        closedBatches = isClosed ? closedBatches + 1 : 0;
        assert.equal(await postTo(forEver, url), "answered 200", "the old connection alone goes on");
      }
      assert.deepEqual(
        network.visits.filter((visit) => visit.address !== PUBLIC),
        [],
      );
      await Promise.all([outbound.close(), forEver.close()]);
    });

    it("silent name servers do not delay other names", async () => {
      names.answer(({ name }) => {
        if (name.endsWith("silent.example")) return { failure: "silence" };
        return name === "well.example" ? { addresses: [PUBLIC] } : undefined;
      });
      const outbound = open();
      const silent = Array.from({ length: 30 }, (_, index) =>
        postTo(outbound, on("http", `${index}.silent.example`)),
      );
      const begun = performance.now();
      assert.equal(await postTo(outbound, on("http", "well.example")), "answered 200");
      const tookMs = performance.now() - begun;
      atMost(tookMs, 1_500, "a name that is well");
      assert.deepEqual([...new Set(await Promise.all(silent))].toSorted(), ["timeout"]);
      await outbound.close();
    });

    it("a name that does not exist, one without an answer and one without an address are told apart", async () => {
      names.answer(({ name, type }) => {
        if (name === "refused.example") return { failure: "refused" };
        if (name === "empty.example") return { addresses: [] };
        if (name === "half.example") return type === "A" ? { addresses: [PUBLIC] } : { failure: "silence" };
        return undefined;
      });
      const outbound = open();
      assert.equal(await postTo(outbound, on("http", "none.example")), "dns_not_found");
      assert.equal(await postTo(outbound, on("http", "empty.example")), "dns_not_found");
      assert.equal(await postTo(outbound, on("http", "refused.example")), "dns_failed");
      assert.equal(await postTo(outbound, on("http", "half.example")), "answered 200");
      await outbound.close();
    });

    it("a private address is accepted only for allowed names and ranges, resolved by the system", async () => {
      names.answer(({ name }) => {
        if (name === "desk.corp.example") return { addresses: ["10.0.0.1"] };
        return name === "other.example" ? { addresses: ["10.0.0.1"] } : undefined;
      });
      const byName = open({
        allowedHosts: [
          { host: "Desk", port: "*" },
          { host: "Desk", port: 25 },
        ],
      });
      assert.equal(await postTo(byName, on("http", "desk")), "answered 200");
      assert.equal(await postTo(byName, "http://desk:25/"), "answered 200");
      assert.equal(await postTo(byName, on("http", "other.example")), "forbidden_address");
      assert.equal(await postTo(byName, on("http", "10.0.0.1")), "forbidden_address");
      const byRange = open({ allowedRanges: [{ range: "10.0.0.0/24", port: "*" }] });
      for (const host of ["desk", "other.example", "10.0.0.1"])
        assert.equal(await postTo(byRange, on("http", host)), "answered 200", host);
      assert.equal(await postTo(byRange, "http://10.0.0.1:6379/"), "forbidden_address");
      await Promise.all([byName.close(), byRange.close()]);
    });
  });
