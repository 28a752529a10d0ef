import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { forbiddenHost } from "@signalbox/tests/support/address-spellings.ts";
import { startDnsServer, type DnsServer } from "@signalbox/tests/support/dns-server.ts";
import { importMutant, type Mutation } from "@signalbox/tests/support/mutant-module.ts";
import {
  literalCases,
  nameCases,
  on,
  OTHER_PORTS,
  PORT,
  PUBLIC,
  PUBLIC_V6,
  type Case,
} from "@signalbox/tests/support/outbound-cases.ts";
import {
  enterNetwork,
  isInsideNetwork,
  NAME_SERVER,
  NETWORK_TIMEOUT,
} from "@signalbox/tests/support/private-network.ts";
import { watchNetwork, type WatchedNetwork } from "@signalbox/tests/support/watched-network.ts";
import fc from "fast-check";
import { openOutbound, type Outbound, type OutboundRules } from "./outbound-http.ts";

const GENERATED = 10_000;

let network: WatchedNetwork;
let names: DnsServer;

function open(module: { openOutbound: typeof openOutbound }, rules: Partial<OutboundRules> = {}): Outbound {
  return module.openOutbound({ allowedHosts: [], allowedRanges: [], connectionLifeMs: 60_000, ...rules });
}

async function postTo(outbound: Outbound, url: string): Promise<string> {
  const headers = { authorization: "Bearer secret" };
  const result = await outbound.post({ url, headers, body: Buffer.from("{}"), timeoutMs: 5_000 });
  return result.kind === "answered" ? `answered ${result.status}` : result.cause;
}

/**
 * Runs every case and says what went wrong in it: nobody but those who may be visited gets a connection, let alone a byte.
 * With a mutant the first visit is enough.
 */
async function violationsOf(
  module: { openOutbound: typeof openOutbound },
  cases: Case[],
  { firstVisitOnly = false } = {},
): Promise<string[]> {
  const violations: string[] = [];
  for (const one of cases) {
    if (firstVisitOnly && violations.some((violation) => /reached|followed/.test(violation))) break;
    const { what, url, expect, mayVisit = [], rules, zone = {}, times = 1, redirectTo } = one;
    const asked = new Map<string, number>();
    names.answer(({ name, type }) => {
      const key = zone[`${name} ${type}`] === undefined ? name : `${name} ${type}`;
      const answers = zone[key];
      // Both families of one lookup see the same answer.
      const before = asked.get(`${key} ${type}`) ?? 0;
      asked.set(`${key} ${type}`, before + 1);
      return answers?.[Math.min(before, answers.length - 1)];
    });
    network.visits.length = 0;
    network.reply(({ text }) =>
      redirectTo === undefined || text.includes("/again")
        ? "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        : `HTTP/1.1 307 Elsewhere\r\nlocation: ${redirectTo}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`,
    );
    const outbound = open(module, rules);
    const results: string[] = [];
    for (let time = 0; time < times; time += 1) results.push(await postTo(outbound, url));
    await outbound.close();
    const told = `${what}: ${JSON.stringify(url)} gave ${results.join()}`;
    const isPeerCase = what.startsWith("the peer");
    for (const { address, bytes, text } of network.visits) {
      if (mayVisit.includes(address)) {
        if (text.includes("/again")) violations.push(`${told} and followed the redirect`);
      } else if (!isPeerCase || bytes > 0)
        violations.push(`${told} and reached ${address} with ${bytes} bytes`);
    }
    if (expect !== undefined && results.some((result) => result !== expect))
      violations.push(`${told}, not ${expect}`);
  }
  return violations;
}

if (!isInsideNetwork)
  it(
    "outbound connections never reach a forbidden address in a watched network",
    NETWORK_TIMEOUT,
    enterNetwork(import.meta.filename),
  );
else
  describe("guarded connector", () => {
    before(async () => {
      network = await watchNetwork([PORT, 80, 443, ...OTHER_PORTS]);
      names = await startDnsServer(NAME_SERVER);
    });
    after(async () => {
      await network[Symbol.asyncDispose]();
      await names[Symbol.asyncDispose]();
    });
    beforeEach(() => {
      network.reply(() => "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
      network.visits.length = 0;
    });

    it("a public address is reached by literal and by name without an allow-list", async () => {
      names.answer(({ name }) =>
        name === "developer.example" ? { addresses: [PUBLIC, PUBLIC_V6] } : undefined,
      );
      const outbound = open({ openOutbound });
      for (const host of [PUBLIC, `[${PUBLIC_V6}]`, "developer.example", "DEVELOPER.example."])
        assert.equal(await postTo(outbound, on("http", host)), "answered 200", host);
      assert.deepEqual(
        network.visits.map(({ address }) => address),
        [PUBLIC, PUBLIC_V6, PUBLIC, PUBLIC],
      );
      await outbound.close();
    });

    it("a forbidden literal, local name or port is never reached, by http or https", async () => {
      assert.deepEqual(await violationsOf({ openOutbound }, literalCases()), []);
    });

    it("a name never leads to a forbidden address: rebinding, mixed answers, aliases, search domains, redirects", async () => {
      assert.deepEqual(await violationsOf({ openOutbound }, nameCases()), []);
    });

    it(`none of ${GENERATED} generated spellings of forbidden addresses is reached`, async () => {
      const outbound = open({ openOutbound });
      const seen: Record<string, number> = {};
      const hosts = fc.sample(forbiddenHost, GENERATED);
      for (const [index, host] of hosts.entries()) {
        const result = await postTo(outbound, on(index % 2 === 0 ? "http" : "https", host));
        assert.ok(result === "forbidden_address" || result === "invalid_request", `${host} gave ${result}`);
        seen[result] = (seen[result] ?? 0) + 1;
      }
      await outbound.close();
      assert.deepEqual(network.visits, []);
      // Spellings that no parser takes prove nothing.
      assert.ok((seen["forbidden_address"] ?? 0) > 0.95 * GENERATED, JSON.stringify(seen));
    });

    const MUTANTS: { name: string; mutations: Mutation[]; cases: () => Case[]; generatedReach?: true }[] = [
      {
        name: "literals unjudged",
        mutations: [
          {
            file: "guarded-connector.ts",
            find: "isIP(hostname) !== 0 && !mayConnect(hostname, hostname, portNumber)",
            replace: "false",
          },
        ],
        cases: literalCases,
        generatedReach: true,
      },
      {
        name: "answers of the resolver unjudged",
        mutations: [
          {
            file: "guarded-connector.ts",
            find: "!addresses.every(({ address }) => mayConnect(hostname, address, port))",
            replace: "false",
          },
        ],
        cases: nameCases,
      },
      {
        name: "only some answers judged",
        mutations: [{ file: "guarded-connector.ts", find: "addresses.every(", replace: "addresses.some(" }],
        cases: nameCases,
      },
      {
        name: "peer of the socket unjudged",
        mutations: [
          {
            file: "guarded-connector.ts",
            find: '!mayConnect(hostname, socket.remoteAddress ?? "", portNumber)',
            replace: "false",
          },
        ],
        cases: literalCases,
      },
      {
        name: "https connects by itself",
        mutations: [{ file: "guarded-connector.ts", find: "httpSocket: socket", replace: "" }],
        cases: nameCases,
      },
      {
        name: "redirects followed",
        mutations: [
          {
            file: "outbound-http.ts",
            find: "import { Pool,",
            replace: "import { Agent, interceptors, Pool,",
          },
          {
            file: "outbound-http.ts",
            find: "exchange(poolOf(url.origin),",
            replace:
              "exchange(new Agent({ connect }).compose(interceptors.redirect({ maxRedirections: 3 })),",
          },
          {
            file: "outbound-http.ts",
            find: 'method: "POST",',
            replace: 'method: "POST", origin: url.origin,',
          },
        ],
        cases: nameCases,
      },
      {
        name: "metadata services like any other address",
        mutations: [{ file: "address-guard.ts", find: "metadata.includes(found)", replace: "false" }],
        cases: literalCases,
      },
      {
        name: "addresses that carry another taken at their word",
        mutations: [{ file: "address-guard.ts", find: "[judged, carriedBy(judged)]", replace: "[judged]" }],
        cases: literalCases,
      },
      {
        name: "every port allowed",
        mutations: [
          { file: "guarded-connector.ts", find: "!mayUsePort(hostname, portNumber)", replace: "false" },
          {
            file: "address-guard.ts",
            find: "|| !isOrdinaryPort(port)",
            replace: "",
          },
        ],
        cases: literalCases,
      },
    ];
    for (const { name, mutations, cases, generatedReach } of MUTANTS) {
      it(`the watched network reveals the mutant: ${name}`, async () => {
        const mutant = await importMutant<{ openOutbound: typeof openOutbound }>(
          new URL("./outbound-http.ts", import.meta.url).href,
          mutations,
        );
        const violations = await violationsOf(mutant, cases(), { firstVisitOnly: true });
        assert.ok(violations.length > 0, "nothing was found");
        assert.ok(
          violations.some((violation) => /reached|followed/.test(violation)),
          `nobody was reached: ${violations[0]}`,
        );
        if (generatedReach === undefined) return;
        // The spellings do lead somewhere when nobody looks at them.
        const outbound = open(mutant);
        network.visits.length = 0;
        for (const host of fc.sample(forbiddenHost, 300)) await postTo(outbound, on("http", host));
        await outbound.close();
        assert.ok(
          network.visits.length > 200,
          `only ${network.visits.length} of 300 spellings led to a listener`,
        );
      });
    }
  });
