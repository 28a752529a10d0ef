import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ROUTE_NAMES, routes } from "@signalbox/contract";
import type { RouteName } from "@signalbox/contract";
import { createClient } from "@signalbox/sdk";
import { makeAgent, operatorOf } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { withClient } from "../support/postgres.ts";
import { eventually, freePort } from "../support/processes.ts";
import { credentialsFor, sampleIdsOf, sampleRequest } from "../support/sample-requests.ts";
import type { SampleIds } from "../support/sample-requests.ts";
import { startService } from "../support/service.ts";
import type { Service } from "../support/service.ts";
import { asOperator, bearer, JSON_TYPE, sendRequest } from "../support/wire.ts";
import type { WireAnswer } from "../support/wire.ts";

const LIMIT = 5;

/** Without an identity provider they need no database to say so. */
const FROM_CONFIGURATION: readonly RouteName[] = [
  "getSignInWays",
  "startOidcSignIn",
  "finishOidcSignIn",
  "startPasskeySignIn",
  "finishPasskeySignIn",
];
/** Answered without PostgreSQL as long as their key is remembered. */
const BY_KEY_ALONE: readonly RouteName[] = ["verifyApiKey", "mintChatToken"];

describe("7 temporary failures", () => {
  let bed: Bed;
  let agent: MadeAgent;
  let ids: SampleIds;
  let limited: Service;
  const closing = new AsyncDisposableStack();
  before(async () => {
    bed = closing.use(
      await openBed({
        apis: 1,
        workers: 0,
        ownCluster: true,
        environment: { RATE_LIMIT_PER_SECOND: "100000" },
      }),
    );
    agent = await makeAgent(bed);
    ids = await sampleIdsOf(agent);
    limited = closing.use(
      await startService({
        role: "api",
        name: "api-limited",
        port: await freePort(),
        directory: bed.directory,
        environment: { ...bed.environment, RATE_LIMIT_PER_SECOND: String(LIMIT) },
      }),
    );
  });
  after(() => closing.disposeAsync());

  const verify = (apiKey: string, baseUrl = limited.baseUrl) =>
    sendRequest(baseUrl, { path: "/v1/api-key/verify", headers: bearer(apiKey) });

  const call = (name: RouteName) => {
    const sample = sampleRequest(name, ids);
    const credentials = credentialsFor(name, bed, { ...ids, ...agent });
    return sendRequest(bed.baseUrl, { ...sample, headers: { ...sample.headers, ...credentials } });
  };

  const isNotAccepting = (answer: WireAnswer, what: string) => {
    const failure = answer.body as { code: number; message: string } | undefined;
    assert.deepEqual([answer.status, failure?.code], [503, 50300], `${what}: ${answer.text}`);
    assert.deepEqual(Object.keys(failure ?? {}), ["code", "message"]);
    assert.ok(Number(answer.headers["retry-after"]) >= 1, `${what}: when to come back`);
  };

  it("a key over its rate limit gets 429 with the wait, the limit and what remains", async () => {
    const answers = await Promise.all(Array.from({ length: 4 * LIMIT }, () => verify(agent.apiKey)));
    const refused = answers.filter(({ status }) => status !== 200);
    const taken = answers.length - refused.length;
    assert.ok(taken >= LIMIT && taken <= 2 * LIMIT, `${taken} were taken within a moment`);
    for (const answer of refused) {
      assert.equal(answer.status, 429);
      assert.equal((answer.body as { code: number }).code, 42900);
      assert.ok(Number(answer.headers["retry-after"]) >= 1);
      assert.equal(answer.headers["ratelimit-remaining"], "0");
    }
    for (const { headers } of answers) {
      assert.equal(headers["ratelimit-limit"], String(LIMIT));
      assert.ok(Number(headers["ratelimit-remaining"]) < LIMIT);
      assert.ok(Number(headers["ratelimit-reset"]) >= 1);
    }
    await sleep(Number(refused[0]?.headers["retry-after"]) * 1000);
    assert.equal((await verify(agent.apiKey)).status, 200, "who waited as told is taken");
  });

  it("a rate limit does not affect other keys, operators and probes", async () => {
    const other = await operatorOf(bed).keys.create({ agent_id: agent.agentId, name: "other" });
    await Promise.all(Array.from({ length: 3 * LIMIT }, () => verify(agent.apiKey)));
    assert.equal((await verify(other.api_key)).status, 200);
    const many = (path: string, headers = {}) =>
      Promise.all(Array.from({ length: 3 * LIMIT }, () => sendRequest(limited.baseUrl, { path, headers })));
    // Without a worker the service is not normal; that it is asked often is no reason to refuse an answer.
    for (const { status } of await many("/v1/webhook/service/health")) assert.equal(status, 503);
    for (const { status } of await many("/admin/v1/agents", asOperator(bed))) assert.equal(status, 200);
  });

  it("the SDK waits out a rate limit", async () => {
    const client = createClient({ baseUrl: limited.baseUrl, apiKey: agent.apiKey });
    const replies = await Promise.all(Array.from({ length: LIMIT + 3 }, () => client.keys.verify()));
    assert.equal(replies.length, LIMIT + 3);
  });

  it("a row locked for too long is answered with 50300", async () => {
    await withClient(bed.database.superuserUrl, async (holder) => {
      await holder.query("begin");
      await holder.query("select from conversation where id = $1 for update", [ids.conversationId]);
      isNotAccepting(await call("sendMessage"), "a row that is held");
      await holder.query("rollback");
    });
    assert.equal((await call("sendMessage")).status, 200);
  });

  it("every endpoint answers 50300 with Retry-After while PostgreSQL is down, and recovers", async () => {
    await bed.ownCluster().stop();
    // Long enough for remembered keys to be looked up again, so that both ways are seen.
    for (const waitMs of [0, 2_500]) {
      await sleep(waitMs);
      for (const name of ROUTE_NAMES) {
        if (BY_KEY_ALONE.includes(name) && waitMs === 0) continue;
        // Routes about an account's own affairs refuse a token.
        if ("about" in routes[name] && routes[name].about === "self") continue;
        if (FROM_CONFIGURATION.includes(name)) continue;
        const answer = await call(name);
        if (name === "serviceHealth") assert.equal(answer.status, 503);
        // It tells that PostgreSQL is the part that failed.
        else if (name === "getServiceStatus" && answer.status === 200)
          assert.match(answer.text, /"part":"database","state":"failed"/);
        else isNotAccepting(answer, name);
      }
    }
    const strange = await sendRequest(bed.baseUrl, {
      method: "POST",
      path: "/v1/conversation",
      headers: { ...bearer(`sbx_${"B".repeat(40)}`), ...JSON_TYPE },
      body: "{",
    });
    isNotAccepting(strange, "a key that cannot be looked up");
    assert.equal((await sendRequest(bed.baseUrl, { path: "/livez" })).status, 200);
    assert.equal((await sendRequest(bed.baseUrl, { path: "/readyz" })).status, 503);
    await bed.ownCluster().start();
    await eventually("the service takes work", async () => (await call("createConversation")).status === 200);
  });

  it("callers see only 200 and 503 while PostgreSQL is killed and comes back", async () => {
    const seen = new Map<number, number>();
    const wrong: string[] = [];
    let going = true;
    const names: RouteName[] = ["createConversation", "sendMessage", "addQa", "listAgents", "updateAgent"];
    const callers = Array.from({ length: 8 }, async (_, at) => {
      for (let turn = at; going; turn += 1) {
        const answer = await call(names[turn % names.length] ?? "createConversation");
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        if (![200, 503].includes(answer.status)) wrong.push(answer.text);
        // What a caller is told once, it need not be told a thousand times.
        if (answer.status !== 200) await sleep(20);
      }
    });
    await eventually("requests are answered", () => (seen.get(200) ?? 0) > 50);
    await bed.ownCluster().kill9();
    await eventually("callers notice", () => (seen.get(503) ?? 0) > 10);
    await bed.ownCluster().start();
    const before = seen.get(200) ?? 0;
    await eventually("requests are answered again", () => (seen.get(200) ?? 0) > before + 50);
    going = false;
    await Promise.all(callers);
    assert.deepEqual(wrong, []);
  });
});
