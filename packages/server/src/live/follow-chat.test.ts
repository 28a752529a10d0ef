import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import {
  createLog,
  EventStream,
  openAgentDatabase,
  openDailyUse,
  openWorkDatabase,
  Refusal,
  type AgentDatabase,
} from "../platform/index.ts";
import { followChat } from "./follow-chat.ts";
import { createLiveHub, type LiveHub } from "./live-hub.ts";
import { createVisitorLimits, type VisitorLimits } from "./visitor-limits.ts";

describe("followers of a chat", () => {
  const closing = new AsyncDisposableStack();
  let rows: Rows;
  let agents: AgentDatabase;
  let hub: LiveHub;
  let limits: VisitorLimits;
  before(async () => {
    rows = closing.use(await openRows());
    const options = { url: rows.url, poolSize: 2, onError: () => undefined };
    const work = closing.adopt(openWorkDatabase(options), (opened) => opened.close());
    agents = closing.adopt(openAgentDatabase(options), (opened) => opened.close());
    const use = closing.adopt(openDailyUse(work.db, createLog("silent", {})), (opened) => opened.close());
    const messages = { messagesPerMinute: 10, messagesPerDay: 10 };
    limits = createVisitorLimits({ ...messages, streamsPerVisitor: 2, streamsPerAgent: 3, use });
    hub = closing.adopt(createLiveHub(work.db, createLog("silent", {})), (opened) => opened.close());
  });
  after(() => closing.disposeAsync());

  it("a chat stream ends when its token expires", { timeout: 10_000 }, async () => {
    const { agentId } = await rows.addAgent();
    const anonymousId = "widget:visitor";
    const columns = { channel: "widget", anonymous_id: anonymousId, follows_binding: true };
    const conversation_id = await rows.addConversation(agentId, columns);
    const user = { agentId, userId: null, anonymousId, email: null, phone: null };
    const times = { issuedAt: Date.now(), expiresAt: Date.now() + 500 };
    const apiKeyId = await rows.addApiKey(agentId);
    const caller = { kind: "user", idempotency: undefined, apiKeyId, ...times, ...user } as const;
    const stream = await followChat({ agents, hub, limits }, caller, { conversation_id });
    assert.ok(stream instanceof EventStream);
    // The timer of a signal holds up no process that has nothing else to do.
    const awake = setInterval(() => undefined, 1_000);
    const frames = await Array.fromAsync(stream.open(new AbortController().signal));
    clearInterval(awake);
    assert.match(frames.join(""), /event: ready/);
    assert.equal(hub.count(), 0);
  });

  it("chat streams are limited per user and per agent", async () => {
    const { agentId } = await rows.addAgent();
    const apiKeyId = await rows.addApiKey(agentId);
    const asVisitor = async (anonymousId: string) => {
      const columns = { channel: "widget", anonymous_id: anonymousId, follows_binding: true };
      const conversation_id = await rows.addConversation(agentId, columns);
      const user = { agentId, userId: null, anonymousId, email: null, phone: null };
      const times = { issuedAt: Date.now(), expiresAt: Date.now() + 60_000 };
      const caller = { kind: "user", idempotency: undefined, apiKeyId, ...times, ...user } as const;
      return followChat({ agents, hub, limits }, caller, { conversation_id });
    };
    const leaving: (() => Promise<unknown>)[] = [];
    const open = async (anonymousId: string) => {
      const stream = await asVisitor(anonymousId);
      assert.ok(stream instanceof EventStream);
      const left = new AbortController();
      const frames = stream.open(left.signal)[Symbol.asyncIterator]();
      await frames.next();
      leaving.push(async () => {
        left.abort();
        await frames.return?.();
      });
    };
    const limitOf = async (anonymousId: string) => {
      const refused = await asVisitor(anonymousId);
      assert.ok(refused instanceof Refusal);
      return [refused.failure, refused.limit?.name, refused.limit?.most];
    };
    for (const visitor of ["widget:a", "widget:a"]) await open(visitor);
    assert.deepEqual(await limitOf("widget:a"), ["tooManyRequests", "visitor_streams", 2]);
    await open("widget:b");
    assert.deepEqual(await limitOf("widget:c"), ["tooManyRequests", "agent_streams", 3]);
    await leaving.shift()?.();
    await open("widget:c");
    for (const leave of leaving) await leave();
    assert.equal(hub.count(), 0);
  });
});
