import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import {
  createLog,
  EventStream,
  openAgentDatabase,
  openWorkDatabase,
  type AgentDatabase,
} from "../platform/index.ts";
import { followChat } from "./follow-chat.ts";
import { createLiveHub, type LiveHub } from "./live-hub.ts";

describe("who follows a chat", () => {
  const closing = new AsyncDisposableStack();
  let rows: Rows;
  let agents: AgentDatabase;
  let hub: LiveHub;
  before(async () => {
    rows = closing.use(await openRows());
    const options = { url: rows.url, poolSize: 2, onError: () => undefined };
    const work = closing.adopt(openWorkDatabase(options), (opened) => opened.close());
    agents = closing.adopt(openAgentDatabase(options), (opened) => opened.close());
    hub = closing.adopt(createLiveHub(work.db, createLog("silent", {})), (opened) => opened.close());
  });
  after(() => closing.disposeAsync());

  it("hears no more once the token has expired", { timeout: 10_000 }, async () => {
    const { agentId } = await rows.addAgent();
    const anonymousId = "widget:visitor";
    const columns = { channel: "widget", anonymous_id: anonymousId, follows_binding: true };
    const conversation_id = await rows.addConversation(agentId, columns);
    const user = { agentId, userId: null, anonymousId, email: null, phone: null };
    const times = { issuedAt: Date.now(), expiresAt: Date.now() + 500 };
    const apiKeyId = await rows.addApiKey(agentId);
    const caller = { kind: "user", idempotency: undefined, apiKeyId, ...times, ...user } as const;
    const stream = await followChat({ agents, hub }, caller, { conversation_id });
    assert.ok(stream instanceof EventStream);
    // The timer of a signal holds up no process that has nothing else to do.
    const awake = setInterval(() => undefined, 1_000);
    const frames = await Array.fromAsync(stream.open(new AbortController().signal));
    clearInterval(awake);
    assert.match(frames.join(""), /event: ready/);
    assert.equal(hub.count(), 0);
  });
});
