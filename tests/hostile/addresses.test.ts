import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { SignalboxError } from "@signalbox/sdk";
import { makeAgentAt } from "../support/agent-at.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startDnsServer, type DnsAnswer, type DnsServer } from "../support/dns-server.ts";
import { FORBIDDEN_ANSWERS } from "../support/forbidden-addresses.ts";
import { literalCases, on, OTHER_PORTS, PORT, PUBLIC, PUBLIC_V6 } from "../support/outbound-cases.ts";
import { enterNetwork, isInsideNetwork, NAME_SERVER, NETWORK_TIMEOUT } from "../support/private-network.ts";
import { watchNetwork, type WatchedNetwork } from "../support/watched-network.ts";
import { atMost } from "../support/machine.ts";

const CONNECTION_SECONDS = 2;
const AT_ONCE = 16;

let bed: Bed;
let network: WatchedNetwork;
let names: DnsServer;
/** Answers of the name server, one after another for each lookup; the last stays. */
const zone = new Map<string, DnsAnswer[]>();

/** Everybody who was called and is not the public developer. */
function forbiddenVisits(): string[] {
  return network.visits
    .filter(({ address }) => address !== PUBLIC && address !== PUBLIC_V6)
    .map(({ address, port, bytes }) => `${address}:${port} with ${bytes} bytes`);
}

type Surface = { what: string; url: string };

/** What a first attempt at each of these came to; a URL that is not even stored counts as refused. */
async function firstCauses(surfaces: Surface[]): Promise<Map<string, Surface[]>> {
  const waiting = [...surfaces];
  const causes = new Map<string, Surface[]>();
  const note = (cause: string, surface: Surface) =>
    causes.set(cause, [...(causes.get(cause) ?? []), surface]);
  async function work(): Promise<void> {
    for (let surface = waiting.shift(); surface !== undefined; surface = waiting.shift()) {
      const agent = await makeAgentAt(bed, surface.url).catch((error: unknown) => {
        if (error instanceof SignalboxError && error.code === 40_000) return undefined;
        throw error;
      });
      if (agent === undefined) {
        note("refused", surface);
        continue;
      }
      await agent.say(await agent.converse());
      const [first] = await agent.attempted(1, 30_000);
      note(first?.cause ?? `answered ${first?.http_status}`, surface);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return causes;
}

if (!isInsideNetwork)
  it(
    "the service never reaches a forbidden address in a watched network",
    NETWORK_TIMEOUT,
    enterNetwork(import.meta.filename),
  );
else
  describe("service given hostile addresses", () => {
    before(async () => {
      network = await watchNetwork([PORT, 80, 443, ...OTHER_PORTS]);
      names = await startDnsServer(NAME_SERVER);
      names.answer(({ name, before: times }) => {
        const answers = zone.get(name);
        return answers?.[Math.min(times, answers.length - 1)];
      });
      bed = await openBed({
        apis: 1,
        workers: 1,
        environment: {
          WEBHOOK_ALLOWED_IPS: "",
          WEBHOOK_CONNECTION_SECONDS: String(CONNECTION_SECONDS),
          // Only first attempts are of interest, and there are hundreds of them.
          DELIVERY_RETRY_SECONDS: "600",
          RATE_LIMIT_PER_SECOND: "100000",
          CHECK_RATE_LIMIT_PER_MINUTE: "6000",
          LOG_LEVEL: "info",
        },
      });
    });
    after(async () => {
      await bed?.[Symbol.asyncDispose]();
      await names[Symbol.asyncDispose]();
      await network[Symbol.asyncDispose]();
    });

    it("the service delivers to a public address by literal and by name without an allow-list", async () => {
      zone.set("developer.example", [{ addresses: [PUBLIC] }]);
      const causes = await firstCauses([
        { what: "literal", url: on("http", PUBLIC) },
        { what: "literal", url: on("http", `[${PUBLIC_V6}]`) },
        { what: "name", url: on("http", "developer.example") },
      ]);
      assert.deepEqual([...causes.keys()], ["answered 200"]);
      assert.equal(network.visits.length, 3);
      assert.ok(network.visits.every(({ text }) => text.includes("webhook-signature")));
    });

    it("the service connects to no forbidden literal, local name, port or disguise, over http or https", async () => {
      const surfaces = literalCases().filter(
        ({ rules, mayVisit }) => rules === undefined && mayVisit === undefined,
      );
      assert.ok(surfaces.length > 200);
      const causes = await firstCauses(surfaces);
      assert.deepEqual([...causes.keys()].toSorted(), ["forbidden_address", "refused"]);
      const refused = causes.get("refused")?.map(({ what }) => what) ?? [];
      assert.ok(
        refused.every((what) => /no URL|credentials|disguised/.test(what)),
        refused.join(),
      );
      assert.deepEqual(forbiddenVisits(), []);
    });

    it("the service connects to no forbidden address behind a name: alone, mixed, aliased or on the second lookup", async () => {
      let made = 0;
      const named = (...answers: DnsAnswer[]) => {
        made += 1;
        zone.set(`n${made}.example`, answers);
        return `n${made}.example`;
      };
      const surfaces = ["http", "https"].flatMap((scheme) =>
        FORBIDDEN_ANSWERS.flatMap((address) => [
          { what: `at ${address}`, url: on(scheme, named({ addresses: [address] })) },
          { what: `at ${PUBLIC} and ${address}`, url: on(scheme, named({ addresses: [PUBLIC, address] })) },
          {
            what: `at ${address} and ${PUBLIC_V6}`,
            url: on(scheme, named({ addresses: [address, PUBLIC_V6] })),
          },
          { what: `alias of ${address}`, url: on(scheme, named({ alias: named({ addresses: [address] }) })) },
        ]),
      );
      const causes = await firstCauses(surfaces);
      assert.deepEqual([...causes.keys()], ["forbidden_address"]);
      assert.deepEqual(forbiddenVisits(), []);
    });

    it("the service follows a moving name only to allowed addresses and closes a busy connection in time", async () => {
      const targets = ["127.0.0.1", "10.0.0.1", "169.254.169.254", "fd00:ec2::254"];
      await Promise.all(
        targets.map(async (address, index) => {
          const name = `moves${index}.example`;
          zone.set(name, [{ addresses: [PUBLIC] }]);
          const agent = await makeAgentAt(bed, on("http", name));
          const conversationId = await agent.converse();
          for (let time = 1; time <= 3; time += 1) {
            await agent.say(conversationId);
            await agent.settled(time);
          }
          zone.set(name, [{ addresses: [address] }]);
          const refused = async () =>
            (await agent.attempts()).some(({ cause }) => cause === "forbidden_address");
          const movedAt = performance.now();
          while (!(await refused())) {
            const sinceMs = performance.now() - movedAt;
            atMost(sinceMs, CONNECTION_SECONDS * 1_000 + 10_000, "a connection is used");
            await agent.say(conversationId);
            await sleep(100);
          }
        }),
      );
      assert.deepEqual(forbiddenVisits(), []);
    });

    it("the webhook check connects to no forbidden address of a message webhook or human service", async () => {
      const surfaces = literalCases().filter(
        ({ expect, rules }) => expect === "forbidden_address" && rules === undefined,
      );
      zone.set("inside.example", [{ addresses: ["10.0.0.1"] }]);
      zone.set("mixed.example", [{ addresses: [PUBLIC, "::1"] }]);
      const urls = [
        ...surfaces.map(({ url }) => url),
        on("http", "inside.example"),
        on("https", "mixed.example"),
      ];
      const visitsBefore = network.visits.length;
      let checked = 0;
      for (let from = 0; from < urls.length; from += 40) {
        const agent = await makeAgentAt(bed, on("http", "127.0.0.1"));
        for (const [index, url] of urls.slice(from, from + 40).entries())
          await agent.operator.desks
            .create({ agent_id: agent.agentId, name: `Desk ${index}`, url })
            .catch((error: unknown) => assert.ok(error instanceof SignalboxError && error.code === 40_000));
        const { results } = await agent.client.webhooks.check();
        checked += results.length;
        assert.deepEqual(
          [...new Set(results.map(({ http_status, reachable }) => `${http_status} ${reachable}`))],
          ["0 false"],
        );
      }
      assert.ok(checked > 180, `only ${checked} were checked`);
      assert.deepEqual(network.visits.slice(visitsBefore), []);
    });

    it("the webhook check does not reveal whether something listens inside", async () => {
      const agent = await makeAgentAt(bed, on("http", PUBLIC));
      const closedPort = PORT + 1;
      const looks = new Map<string, number[]>();
      const urls = [
        on("http", "10.0.0.1"),
        `http://10.0.0.1:${closedPort}/`,
        on("https", "10.0.0.1"),
        on("http", "169.254.169.254"),
        on("http", "[fd00:ec2::254]"),
        "http://10.0.0.1:6379/",
        "http://db:5432/",
        `http://${PUBLIC}:${closedPort}/`,
      ];
      for (let time = 0; time < 5; time += 1) {
        for (const url of urls) {
          await agent.moveTo(url);
          const [result] = (await agent.client.webhooks.check()).results;
          const { latency_ms, webhook_url, ...look } = result ?? assert.fail();
          assert.equal(webhook_url, url);
          assert.deepEqual(look, {
            type: "message",
            component_id: null,
            component_name: null,
            reachable: false,
            http_status: 0,
          });
          looks.set(url, [...(looks.get(url) ?? []), latency_ms]);
        }
      }
      // Told in steps of ten milliseconds, and none of them takes longer than one or two when the machine is not busy.
      for (const [url, latencies] of looks)
        assert.ok(Math.min(...latencies) <= 30, `${url}: ${latencies.join()} ms`);
      assert.deepEqual(forbiddenVisits(), []);
    });

    it("the service follows no redirect to any address", async () => {
      const targets = [
        on("http", "127.0.0.1"),
        on("http", "169.254.169.254"),
        on("http", "9.9.9.9"),
        "/elsewhere",
        "//10.0.0.1/",
      ];
      for (const target of targets) {
        for (const status of [301, 302, 303, 307, 308]) {
          network.reply(() => `HTTP/1.1 ${status} Moved\r\nlocation: ${target}\r\ncontent-length: 0\r\n\r\n`);
          const causes = await firstCauses([{ what: `${status} to ${target}`, url: on("http", PUBLIC) }]);
          assert.deepEqual([...causes.keys()], ["http_status"]);
        }
      }
      assert.deepEqual(forbiddenVisits(), []);
      assert.ok(network.visits.every(({ text }) => !text.includes("/elsewhere")));
    });
  });
