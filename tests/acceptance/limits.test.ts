import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { makeAgent, type MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { asOperator, bearer, JSON_TYPE, sendRequest, type WireAnswer } from "../support/wire.ts";

const ADDRESS_LIMIT = 20;
const KEY_LIMIT = 15;

describe("the limits of tenants and visitors", () => {
  let bed: Bed;
  let agent: MadeAgent;
  before(async () => {
    bed = await openBed({
      apis: 1,
      workers: 1,
      environment: {
        ADDRESS_RATE_LIMIT_PER_SECOND: String(ADDRESS_LIMIT),
        RATE_LIMIT_PER_SECOND: String(KEY_LIMIT),
      },
    });
    agent = await makeAgent(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  /** As the documented nginx does: the proxy's own address is trusted, its header names the client. */
  const from = (client: string, path: string, headers: Record<string, string> = {}) =>
    sendRequest(bed.baseUrl, { path, headers: { ...headers, "x-forwarded-for": client } });
  const times = (count: number, send: () => Promise<WireAnswer>) =>
    Promise.all(Array.from({ length: count }, send));
  const statuses = (answers: WireAnswer[]) =>
    [...new Set(answers.map(({ status }) => status))].toSorted((one, other) => one - other);
  const refusals = async (limit: string) => {
    const { text } = await sendRequest(bed.baseUrl, { path: "/metrics", headers: asOperator(bed) });
    return Number(
      new RegExp(`^signalbox_limit_refusals_total\\{limit="${limit}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0,
    );
  };

  it("refuse a client address that floods before it is identified, and no other behind the same proxy", async () => {
    const flood = await times(3 * ADDRESS_LIMIT, () => from("203.0.113.1", "/v1/webhook/service/health"));
    assert.deepEqual(statuses(flood), [200, 429]);
    for (const { status, headers, body } of flood.filter(({ status }) => status === 429)) {
      assert.equal((body as { code: number }).code, 42900);
      assert.ok(Number(headers["retry-after"]) >= 1, String(status));
      assert.equal(headers["ratelimit-limit"], String(ADDRESS_LIMIT));
      assert.equal(headers["ratelimit-remaining"], "0");
    }
    assert.equal((await from("203.0.113.2", "/v1/webhook/service/health")).status, 200);
    assert.ok((await refusals("address")) > 0, "refusals are counted");
  });

  it("believe no X-Forwarded-For beyond the first address that is no trusted proxy", async () => {
    const spoofed = (n: number) => `198.51.100.${n}, 203.0.113.3`;
    let n = 0;
    const flood = await times(3 * ADDRESS_LIMIT, () => from(spoofed((n += 1)), "/v1/webhook/service/health"));
    assert.deepEqual(statuses(flood), [200, 429]);
  });

  it("count failed authentications, of operators too, as ten requests", async () => {
    const wrong = () => from("203.0.113.4", "/admin/v1/agents", bearer("x".repeat(40)));
    const tries: number[] = [];
    for (let n = 0; n < 4; n += 1) tries.push((await wrong()).status);
    assert.deepEqual(tries.slice(0, 2), [401, 401]);
    assert.ok(tries.slice(2).includes(429), tries.join(" "));
    assert.equal((await from("203.0.113.5", "/admin/v1/agents", asOperator(bed))).status, 200);
  });

  it("count keyless desks behind one proxy by their own addresses", async () => {
    const reply = (client: string) =>
      sendRequest(bed.baseUrl, {
        method: "POST",
        path: "/v1/human/message/receive",
        headers: { ...JSON_TYPE, "x-forwarded-for": client },
        body: JSON.stringify({ conversation_id: randomUUID(), timestamp: Date.now(), body: "hello" }),
      });
    const flood = await times(KEY_LIMIT + 3, () => reply("203.0.113.6"));
    assert.ok(statuses(flood).includes(429), "one desk has a limit");
    assert.notEqual((await reply("203.0.113.7")).status, 429, "and another has its own");
  });

  it("refuse 10 MB of empty objects before they are parsed, and take 10,000 pairs", async () => {
    const add = (body: string) =>
      sendRequest(bed.baseUrl, {
        method: "POST",
        path: "/v1/bot/doc/qa/add",
        headers: { ...bearer(agent.apiKey), ...JSON_TYPE },
        body,
      });
    const hostile = `{"purpose":"QA_TEXT","name":"x","qaList":[${"{},".repeat(3_300_000)}{}]}`;
    // 10 MB use up a second of the key's requests.
    const [refused, another] = await Promise.all([add(hostile), add(hostile)]);
    assert.deepEqual(statuses([refused, another]), [413, 429]);
    assert.equal(await refusals("body_values"), 1);
    const qaList = Array.from({ length: 10_000 }, (_, n) => ({
      question: `Question ${n}?`,
      answer: `Answer ${n}.`,
    }));
    const body = JSON.stringify({ purpose: "QA_TEXT", name: "Many", qaList });
    let taken = await add(body);
    while (taken.status === 429) taken = await add(body);
    assert.equal(taken.status, 200, taken.text);
  });
});
