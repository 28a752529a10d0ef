import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { objectKey } from "../engine/index.ts";
import { createLog, openWorkDatabase, type Database } from "../platform/index.ts";
import { createControlWatch } from "./control-watch.ts";

const NEVER_MS = 3_600_000;

describe("control watch", () => {
  const closing = new AsyncDisposableStack();
  let rows: Rows;
  let db: Database;
  before(async () => {
    rows = closing.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 2, onError: () => undefined });
    closing.defer(() => opened.close());
    ({ db } = opened);
  });
  after(() => closing.disposeAsync());

  async function newTurns(count: number) {
    const { agentId } = await rows.addAgent();
    const conversationIds = await Promise.all(
      Array.from({ length: count }, () => rows.addConversation(agentId)),
    );
    return conversationIds.map((conversationId) => ({ agentId, conversationId, epoch: 0 }));
  }
  const raiseEpoch = (conversationId: string) =>
    rows.query("update conversation set epoch = epoch + 1 where id = $1", [conversationId]);
  const watchEvery = (ms: number) => createControlWatch(db, createLog("silent", {}), ms);

  it("word of a change ends the answers of a conversation whose epoch rose, and no others", async () => {
    const watch = watchEvery(NEVER_MS);
    const turns = await newTurns(3);
    const [first, second, third] = turns.map((turn) => watch.follow(turn));
    const [raised, changed] = turns;
    assert.ok(raised && changed && first && second && third);
    await raiseEpoch(raised.conversationId);
    watch.changed([raised, changed].map(({ agentId, conversationId }) => objectKey(agentId, conversationId)));
    await eventually("the answer ends", () => first.moved.aborted);
    assert.deepEqual([second.moved.aborted, third.moved.aborted], [false, false]);
    for (const followed of [first, second, third]) followed[Symbol.dispose]();
  });

  it("a change whose word is lost is found by the next look, and so is an erasure", async () => {
    const watch = watchEvery(20);
    const [raised, gone, redacted, stays] = await newTurns(4);
    assert.ok(raised && gone && redacted && stays);
    const followed = [raised, gone, redacted, stays].map((turn) => watch.follow(turn));
    await raiseEpoch(raised.conversationId);
    await rows.query("delete from conversation where id = $1", [gone.conversationId]);
    await rows.query("update conversation set redacted_at = now() where id = $1", [redacted.conversationId]);
    const ended = () => followed.map(({ moved }) => moved.aborted);
    await eventually("the answers end", () => ended().filter(Boolean).length === 3);
    assert.deepEqual(ended(), [true, true, true, false]);
    for (const one of followed) one[Symbol.dispose]();
  });

  it("an answer that has ended is looked at no more", async () => {
    const watch = watchEvery(NEVER_MS);
    const [turn] = await newTurns(1);
    assert.ok(turn);
    const followed = watch.follow(turn);
    followed[Symbol.dispose]();
    await raiseEpoch(turn.conversationId);
    watch.changed([objectKey(turn.agentId, turn.conversationId)]);
    const later = watch.follow(turn);
    watch.changed([objectKey(turn.agentId, turn.conversationId)]);
    await eventually("the answer that goes on ends", () => later.moved.aborted);
    assert.equal(followed.moved.aborted, false);
    later[Symbol.dispose]();
  });
});
