import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { callsIn } from "@signalbox/tests/support/engine-calls.ts";
import { startReceiver, type Receiver } from "@signalbox/tests/support/receiver.ts";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { alarmSlotOf, openEngine, type Engine } from "../../engine/index.ts";
import { createLog, openWorkDatabase, type Database } from "../../platform/index.ts";
import { handoffAlarm, handoffObject } from "./handoff-object.ts";
import { handoffSweeps } from "./handoff-sweeps.ts";

const GRACE_MS = 5_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

describe("handoff sweeps", () => {
  let rows: Rows;
  let db: Database;
  /** Stands where the engine's ingress is: what arrives there is what was called. */
  let ingress: Receiver;
  let engine: Engine;
  /** No live stream is open. */
  const broadcast = { tell: () => undefined };
  let agentId: string;
  const closing = new AsyncDisposableStack();
  before(async () => {
    rows = closing.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 4, onError: () => undefined });
    closing.defer(() => opened.close());
    db = opened.db;
    ingress = closing.use(await startReceiver());
    engine = openEngine({ ingressUrl: ingress.url });
    closing.defer(() => engine.close());
    ({ agentId } = await rows.addAgent());
  });
  after(() => closing.disposeAsync());
  beforeEach(async () => {
    await rows.query("delete from handoff");
    ingress.requests.length = 0;
  });

  /** One that waits for its first human reply, due a minute after it was set; both so long from now. */
  async function add({ setInMs }: { setInMs: number }): Promise<string> {
    const [id, desk] = [randomUUID(), randomUUID()];
    const conversation = await rows.addConversation(agentId, { control: "human", handoff_id: id });
    const at = (ms: number) => new Date(Date.now() + setInMs + ms);
    await rows.insert("handoff", {
      agent_id: agentId,
      id,
      conversation_id: conversation,
      component_id: desk,
      trigger: "api",
      state: "connecting",
      forwarded_seq: 0,
      timer_kind: "first_reply",
      timer_set_at: at(0),
      timer_due_at: at(MINUTE_MS),
      timer_warnings: 2,
      timer_wake_at: at(MINUTE_MS),
      timer_call_at: at(MINUTE_MS),
    });
    return id;
  }

  async function sweep(): Promise<void> {
    for (const one of handoffSweeps({ db, engine, broadcast, graceMs: GRACE_MS }))
      if (one.name !== "handoffs_without_a_desk") await one.run();
  }
  const called = () =>
    callsIn(ingress.requests).map(({ object, handler, id }) =>
      `${object}/${handler}` === "handoff/look" ? id : "",
    );

  it("the sweep calls each overdue handoff that nobody looked at, once per grace period", async () => {
    const forgotten = await add({ setInMs: -2 * MINUTE_MS });
    await add({ setInMs: -MINUTE_MS });
    await add({ setInMs: 0 });
    await sweep();
    await sweep();
    assert.deepEqual(called(), [forgotten]);
  });

  it("an alarm calls each handoff whose timer is in its slot, and no others", async () => {
    const setInMs = 10 * MINUTE_MS;
    const ids = await Promise.all(
      [setInMs - 1_000, setInMs, setInMs + 1_000].map((ms) => add({ setInMs: ms })),
    );
    const [row] = await rows.query<{ wake_at: Date }>(
      "select timer_wake_at as wake_at from handoff where id = $1",
      [ids[1]],
    );
    await handoffAlarm({ db, engine }).ring(alarmSlotOf(row?.wake_at.getTime() ?? 0));
    assert.deepEqual(called(), [ids[1]]);
  });

  it("the sweep calls a handoff timed before the clock was set back, and its timer runs its length from now", async () => {
    const id = await add({ setInMs: HOUR_MS });
    await sweep();
    await sweep();
    assert.deepEqual(called(), [id]);
    const ended = new AbortController().signal;
    const parts = { db, engine, broadcast, drain: async () => undefined, log: createLog("silent", {}) };
    await handoffObject(parts).handlers["look"]?.({
      agentId,
      id,
      callId: randomUUID(),
      ended,
    });
    const [row] = await rows.query<{ state: string; due_in_ms: number; is_set: boolean }>(
      `select state, extract(epoch from timer_due_at - now())::float8 * 1000 as due_in_ms, timer_set_at <= now() as is_set
       from handoff where id = $1`,
      [id],
    );
    assert.deepEqual([row?.state, row?.is_set], ["connecting", true]);
    const dueInMs = row?.due_in_ms ?? 0;
    assert.ok(dueInMs > MINUTE_MS / 2 && dueInMs <= MINUTE_MS, `due in ${dueInMs} ms`);
    assert.match(ingress.requests.at(-1)?.path ?? "", /^\/alarm\/handoffTimers\/send\?delay=/);
  });
});
