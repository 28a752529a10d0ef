import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { openWorkDatabase, type Database } from "../platform/index.ts";
import { acceptUserMessages } from "./accept-messages.ts";

describe("accepting messages", () => {
  let rows: Rows;
  let db: Database;
  const closing = new AsyncDisposableStack();
  before(async () => {
    rows = closing.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 2, onError: () => undefined });
    closing.defer(() => opened.close());
    db = opened.db;
  });
  after(() => closing.disposeAsync());

  it("a caller's turn opens at once when nothing waits before it, one in each conversation", async () => {
    const conversation = await rows.addAgent();
    const { agentId, conversationId } = conversation;
    const other = await rows.addConversation(agentId);
    const ask = (id: string, isLive = false) => ({
      id: randomUUID(),
      agentId,
      conversationId: id,
      text: "hello",
      responseMode: isLive ? undefined : ("blocking" as const),
    });
    const acceptAll = (messages: ReturnType<typeof ask>[]) =>
      acceptUserMessages(db, agentId, messages, { opensTurns: true });
    const isOpened = (accepted: Awaited<ReturnType<typeof acceptAll>>) =>
      accepted.map((one) => (one?.kind === "accepted" ? one.turn !== undefined : assert.fail()));
    const behind = await acceptAll([ask(conversationId), ask(conversationId), ask(other)]);
    assert.deepEqual(isOpened(behind), [true, false, true]);
    assert.deepEqual(
      isOpened(await acceptAll([ask(other)])),
      [false],
      "the one before it is not answered yet",
    );
    const [first] = behind;
    assert.ok(first?.kind === "accepted" && first.turn !== undefined);
    const [open] = await rows.query("select * from turn where agent_id = $1 and conversation_id = $2", [
      agentId,
      conversationId,
    ]);
    assert.deepEqual(
      [open?.["id"], Number(open?.["first_seq"]), Number(open?.["last_seq"]), open?.["state"]],
      [first.turn.turn_id, first.seq, first.seq, "open"],
    );
    const afterLive = await rows.addConversation(agentId);
    assert.deepEqual(isOpened(await acceptAll([ask(afterLive, true), ask(afterLive)])), [false, false]);
  });
});
