import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { callsIn } from "@signalbox/tests/support/engine-calls.ts";
import { startReceiver, type Receiver } from "@signalbox/tests/support/receiver.ts";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { openEngine, type Engine } from "../engine/index.ts";
import { openWorkDatabase, type Database } from "../platform/index.ts";
import { turnSweeps } from "./turn-sweeps.ts";

const GRACE_MS = 60_000;
const LONG_AGO = "2020-01-01T00:00:00Z";

describe("turn sweep", () => {
  let rows: Rows;
  let db: Database;
  /** Stands where the engine's ingress is: what arrives there is what was called. */
  let ingress: Receiver;
  let engine: Engine;
  const closing = new AsyncDisposableStack();
  before(async () => {
    rows = closing.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 4, onError: () => undefined });
    closing.defer(() => opened.close());
    db = opened.db;
    ingress = closing.use(await startReceiver());
    engine = openEngine({ ingressUrl: ingress.url });
    closing.defer(() => engine.close());
  });
  after(() => closing.disposeAsync());
  beforeEach(async () => {
    await rows.query("delete from conversation");
    ingress.requests.length = 0;
  });

  const due = { turn_awake: true, turn_due_seq: 1, turn_beat_at: LONG_AGO };
  const add = (columns: Record<string, unknown>) => rows.addConversation(randomUUID(), columns);
  async function sweep(): Promise<number> {
    const [turnsDue] = turnSweeps({ db, engine, graceMs: GRACE_MS });
    assert.equal(turnsDue?.name, "turns_due");
    return turnsDue.run();
  }
  const called = () =>
    callsIn(ingress.requests).map(({ object, handler, id }) =>
      `${object}/${handler}` === "turn/run" ? id : "",
    );

  it("the sweep calls turns that are due and silent for longer than the grace period, and no others", async () => {
    const forgotten = await add(due);
    await add({ ...due, turn_beat_at: new Date() });
    await add({ ...due, control: "human", handoff_id: randomUUID() });
    await add({ turn_beat_at: LONG_AGO });
    assert.equal(await sweep(), 1);
    assert.deepEqual(called(), [forgotten]);
  });

  it("the sweep calls turns last seen in the future once, as after the clock was set back", async () => {
    const setBack = await add({ ...due, turn_beat_at: new Date(Date.now() + 3_600_000) });
    assert.equal(await sweep(), 1);
    assert.deepEqual(called(), [setBack]);
    assert.equal(await sweep(), 0);
  });

  it("the sweep calls a forgotten turn once per grace period, not once per tick", async () => {
    await add(due);
    assert.equal(await sweep(), 1);
    assert.equal(await sweep(), 0);
    assert.equal(called().length, 1);
  });

  it("the sweep skips a locked conversation", async () => {
    const [free, held] = [await add(due), await add(due)];
    const session = await rows.session();
    try {
      await session.query("begin");
      await session.query("select 1 from conversation where id = $1 for update", [held]);
      await sweep();
      assert.deepEqual(called(), [free]);
    } finally {
      await session.query("rollback");
      session.release();
    }
  });
});
