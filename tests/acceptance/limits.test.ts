import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createClient } from "@signalbox/sdk";
import { makeAgent, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { eventually } from "../support/processes.ts";
import { asOperator, bearer, JSON_TYPE, sendRequest, type WireAnswer } from "../support/wire.ts";

const ADDRESS_LIMIT = 20;
const KEY_LIMIT = 15;

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
    const { token } = await agent.client.mintChatToken({ user_id: "talkative" });
    const visitor = createClient({ baseUrl: bed.baseUrl, chatToken: token, retries: 0 });
    const { conversation_id } = await visitor.beginChat();
    const say = () => visitor.sayInChat({ conversation_id, text: "hello" });
    for (let n = 0; n < 4; n += 1) await say();
    const minute = await refusal(say());
    assert.deepEqual([minute.status, minute.code], [429, 42900]);
    assert.match(minute.message, /4 messages per minute/);

    await bed.api().restart();
    for (let n = 0; n < 2; n += 1) await say();
    const day = await refusal(say());
    assert.deepEqual([day.status, day.code], [429, 42900]);
    assert.match(day.message, /6 messages per day/);
    const other = await agent.client.mintChatToken({ user_id: "other" });
    const another = createClient({ baseUrl: bed.baseUrl, chatToken: other.token, retries: 0 });
    const chat = await another.beginChat();
    await another.sayInChat({ conversation_id: chat.conversation_id, text: "hello" });
    const stored = await bed.database.query<{ subject: string }>("select subject from daily_use");
    assert.ok(stored.length > 0 && stored.every(({ subject }) => !subject.includes("talkative")));
  });

  it("a trickling download does not hold up another agent's import, and waiting files are capped", async () => {
    const dripping = await makeAgent(bed);
    const drips = Array.from({ length: 6 }, (_, n) => ({
      file_url: files.put(`drip-${n}.csv`, { drip: true }),
      file_name: `drip-${n}.csv`,
    }));
    await dripping.client.addQa({ purpose: "QA_FILE", files: drips });
    await eventually("downloads drip", () => drips.some((_, n) => files.asked.has(`/drip-${n}.csv`)));
    const victim = await makeAgent(bed);
    const file_url = files.put("good.csv", { bytes: "Open?,At nine.\n" });
    await victim.client.addQa({ purpose: "QA_FILE", files: [{ file_url, file_name: "good.csv" }] });
    await eventually("another agent's file is imported", async () => (await stateOf(victim)) === "current");
    assert.equal(await stateOf(dripping), "working", "meanwhile the others drip on");
    const refused = await refusal(dripping.client.addQa({ purpose: "QA_FILE", files: drips.slice(0, 1) }));
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
