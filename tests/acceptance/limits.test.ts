import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createClient } from "@signalbox/sdk";
import { makeAgent, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { joinAs, ORIGIN } from "../support/members.ts";
import { eventually } from "../support/processes.ts";
import { asOperator, bearer, JSON_TYPE, sendRequest, type WireAnswer } from "../support/wire.ts";

const ADDRESS_LIMIT = 20;
const KEY_LIMIT = 15;
const OPERATOR_LIMIT = 15;
const STREAMS_MAX = 2;

describe("limits of tenants and visitors", () => {
  let bed: Bed;
  let agent: MadeAgent;
  let files: FileServer;
  before(async () => {
    files = await startFileServer();
    bed = await openBed({
      apis: 1,
      workers: 1,
      environment: {
        ADDRESS_RATE_LIMIT_PER_SECOND: String(ADDRESS_LIMIT),
        RATE_LIMIT_PER_SECOND: String(KEY_LIMIT),
        OPERATOR_RATE_LIMIT_PER_SECOND: String(OPERATOR_LIMIT),
        ACCOUNT_STREAMS_MAX: String(STREAMS_MAX),
        VISITOR_MESSAGES_PER_MINUTE: "4",
        VISITOR_MESSAGES_PER_DAY: "6",
        IMPORT_ANSWER_SECONDS: "1",
        IMPORT_WAITING_FILES_MAX: "6",
        IMPORT_DOWNLOAD_KILOBYTES_PER_SECOND: "0",
      },
    });
    agent = await makeAgent(bed);
  });
  after(async () => {
    await bed[Symbol.asyncDispose]();
    await files[Symbol.asyncDispose]();
  });

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

  it("a client address that floods before authentication is refused, and no other behind the same proxy", async () => {
    const flood = await times(3 * ADDRESS_LIMIT, () => from("203.0.113.1", "/nothing"));
    assert.deepEqual(statuses(flood), [404, 429]);
    for (const { status, headers, body } of flood.filter(({ status }) => status === 429)) {
      assert.equal((body as { code: number }).code, 42900);
      assert.ok(Number(headers["retry-after"]) >= 1, String(status));
      assert.equal(headers["ratelimit-limit"], String(ADDRESS_LIMIT));
      assert.equal(headers["ratelimit-remaining"], "0");
    }
    assert.equal((await from("203.0.113.2", "/v1/webhook/service/health")).status, 200);
    assert.ok((await refusals("address")) > 0, "refusals are counted");
  });

  it("X-Forwarded-For is trusted only up to the first address that is not a trusted proxy", async () => {
    const spoofed = (n: number) => `198.51.100.${n}, 203.0.113.3`;
    let n = 0;
    const flood = await times(3 * ADDRESS_LIMIT, () => from(spoofed((n += 1)), "/v1/webhook/service/health"));
    assert.deepEqual(statuses(flood), [200, 429]);
  });

  it("a failed authentication counts as ten requests, for operators too", async () => {
    const wrong = () => from("203.0.113.4", "/admin/v1/agents", bearer("x".repeat(40)));
    const tries: number[] = [];
    for (let n = 0; n < 4; n += 1) tries.push((await wrong()).status);
    assert.deepEqual(tries.slice(0, 2), [401, 401]);
    assert.ok(tries.slice(2).includes(429), tries.join(" "));
    assert.equal((await from("203.0.113.5", "/admin/v1/agents", asOperator(bed))).status, 200);
  });

  it("an account is refused beyond its requests a second and its streams, and its colleague is not", async () => {
    const [greedy, modest] = [await joinAs(bed, { role: "viewer" }), await joinAs(bed, { role: "viewer" })];
    const read = (cookie: string, client: string) => from(client, "/admin/v1/session", { cookie });
    // Each counts as ten.
    const large = (n: number) =>
      sendRequest(bed.baseUrl, {
        method: "POST",
        path: "/admin/v1/conversations/search",
        headers: {
          ...JSON_TYPE,
          ...ORIGIN,
          cookie: greedy.cookie,
          "x-forwarded-for": `203.0.113.${20 + n}`,
        },
        body: "x".repeat(950_000),
      });
    const flood = await Promise.all(Array.from({ length: 12 }, (_, n) => large(n)));
    assert.deepEqual(statuses(flood), [400, 429]);
    const refused = flood.find(({ status }) => status === 429);
    assert.equal(refused?.headers["ratelimit-limit"], String(OPERATOR_LIMIT));
    assert.ok(Number(refused.headers["retry-after"]) >= 1);
    assert.equal((await read(modest.cookie, "203.0.113.100")).status, 200);
    assert.ok((await refusals("account")) > 0, "refusals are counted");

    const left = new AbortController();
    const follow = (cookie: string) =>
      fetch(`${bed.baseUrl}/admin/v1/changes`, { headers: { cookie }, signal: left.signal });
    const opened = await eventually("the account may ask again", async () => {
      const stream = await follow(greedy.cookie);
      return stream.status === 200 ? stream : undefined;
    });
    assert.equal(opened.status, 200);
    assert.equal((await follow(greedy.cookie)).status, 200);
    const third = await follow(greedy.cookie);
    assert.equal(third.status, 429);
    assert.match(await third.text(), /2 streams of changes are already open for your account/);
    assert.equal((await follow(modest.cookie)).status, 200);
    left.abort();
    await eventually("its streams are closed", async () => {
      const again = new AbortController();
      const { status } = await fetch(`${bed.baseUrl}/admin/v1/changes`, {
        headers: { cookie: greedy.cookie },
        signal: again.signal,
      });
      again.abort();
      return status === 200;
    });
  });

  it("desks without a key behind one proxy are counted by their own addresses", async () => {
    const reply = (client: string) =>
      sendRequest(bed.baseUrl, {
        method: "POST",
        path: "/v1/human/message/receive",
        headers: { ...JSON_TYPE, "x-forwarded-for": client },
        body: JSON.stringify({ conversation_id: randomUUID(), timestamp: Date.now(), body: "hello" }),
      });
    await times(4 * ADDRESS_LIMIT, () => reply("203.0.113.6"));
    assert.ok((await refusals("desk_address")) > 0, "one desk has a limit");
    assert.notEqual((await reply("203.0.113.7")).status, 429, "and another has its own");
  });

  it("10 MB of empty objects are refused before parsing, and 10,000 pairs are accepted", async () => {
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

  it("a visitor's messages are limited by the minute per node and by the day over restarts", async () => {
    const { token } = await agent.client.chatTokens.mint({ user_id: "talkative" });
    const visitor = createClient({ baseUrl: bed.baseUrl, chatToken: token, retries: 0 });
    const { conversation_id } = await visitor.chats.begin();
    const say = () => visitor.chats.say({ conversation_id, text: "hello" });
    for (let n = 0; n < 4; n += 1) await say();
    const minute = await refusal(say());
    assert.deepEqual([minute.status, minute.code], [429, 42900]);
    assert.match(minute.message, /4 messages per minute/);

    await bed.api().restart();
    for (let n = 0; n < 2; n += 1) await say();
    const day = await refusal(say());
    assert.deepEqual([day.status, day.code], [429, 42900]);
    assert.match(day.message, /6 messages per day/);
    const other = await agent.client.chatTokens.mint({ user_id: "other" });
    const another = createClient({ baseUrl: bed.baseUrl, chatToken: other.token, retries: 0 });
    const chat = await another.chats.begin();
    await another.chats.say({ conversation_id: chat.conversation_id, text: "hello" });
    const stored = await bed.database.query<{ subject: string }>("select subject from daily_use");
    assert.ok(stored.length > 0 && stored.every(({ subject }) => !subject.includes("talkative")));
  });

  it("a trickling download does not hold up another agent's import, and waiting files are capped", async () => {
    const dripping = await makeAgent(bed);
    const drips = Array.from({ length: 6 }, (_, n) => ({
      file_url: files.put(`drip-${n}.csv`, { drip: true }),
      file_name: `drip-${n}.csv`,
    }));
    await dripping.client.knowledge.add({ purpose: "QA_FILE", files: drips });
    await eventually("downloads drip", () => drips.some((_, n) => files.asked.has(`/drip-${n}.csv`)));
    const victim = await makeAgent(bed);
    const file_url = files.put("good.csv", { bytes: "Open?,At nine.\n" });
    await victim.client.knowledge.add({ purpose: "QA_FILE", files: [{ file_url, file_name: "good.csv" }] });
    await eventually("another agent's file is imported", async () => (await stateOf(victim)) === "current");
    assert.equal(await stateOf(dripping), "working", "meanwhile the others drip on");
    const refused = await refusal(
      dripping.client.knowledge.add({ purpose: "QA_FILE", files: drips.slice(0, 1) }),
    );
    assert.deepEqual([refused.status, refused.code], [429, 42900]);
    assert.match(refused.message, /6 files of this agent are already waiting for import \(limit 6\)/);
  });

  const stateOf = async ({ agentId }: MadeAgent) => {
    const rows = await bed.database.query<{ state: string }>(
      "select state from document_revision where agent_id = $1 order by state desc limit 1",
      [agentId],
    );
    return rows[0]?.state;
  };
});
