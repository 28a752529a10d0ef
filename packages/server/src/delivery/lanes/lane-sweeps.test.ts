import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { callsIn } from "@signalbox/tests/support/engine-calls.ts";
import { startReceiver, type Receiver } from "@signalbox/tests/support/receiver.ts";
import { openRows, type Row, type Rows } from "@signalbox/tests/support/rows.ts";
import { openEngine, type Engine } from "../../engine/index.ts";
import { openWorkDatabase, type Database } from "../../platform/index.ts";
import { enqueue } from "../outbox/enqueue.ts";
import { laneSweeps } from "./lane-sweeps.ts";

const GRACE_MS = 60_000;
const LONG_AGO = "2020-01-01T00:00:00Z";
const FAR_AHEAD = "2120-01-01T00:00:00Z";

describe("lane sweeps", () => {
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
    await rows.query("delete from lane");
    ingress.requests.length = 0;
  });

  async function addLane(columns: Row): Promise<string> {
    const id = randomUUID();
    await rows.insert("lane", {
      agent_id: randomUUID(),
      id,
      destination_id: randomUUID(),
      conversation_id: randomUUID(),
      tail_seq: 2,
      done_seq: 1,
      due_at: LONG_AGO,
      beat_at: LONG_AGO,
      ...columns,
    });
    return id;
  }
  function sweep(name: string, expireMs = 86_400_000) {
    const found = laneSweeps({
      db,
      engine,
      events: { raise: async () => undefined },
      graceMs: GRACE_MS,
      expireMs,
    }).find((one) => one.name === name);
    return found ?? assert.fail(`there is no sweep ${name}`);
  }
  const called = () =>
    callsIn(ingress.requests).map(({ object, handler, id }) =>
      `${object}/${handler}` === "lane/drain" ? id : "",
    );

  it("the sweep calls lanes that are awake, due and silent for longer than the grace period, and no others", async () => {
    const forgotten = await addLane({ state: "awake" });
    await addLane({ state: "awake", due_at: FAR_AHEAD });
    await addLane({ state: "awake", beat_at: new Date() });
    await addLane({ state: "awake", due_at: new Date() });
    await addLane({ state: "parked" });
    await addLane({ state: "idle" });
    assert.equal(await sweep("lanes_overdue").run(), 1);
    assert.deepEqual(called(), [forgotten]);
    const blocked = await rows.query("select 1 from lane where blocked_since is not null");
    assert.equal(blocked.length, 0, "nothing was tried, so nothing has failed");
  });

  it("the sweep calls lanes last seen in the future, and shortens their wait to what it was meant to be", async () => {
    const inAnHour = (seconds: number) => new Date(Date.now() + 3_600_000 + seconds * 1000);
    const sent = await addLane({ state: "awake", beat_at: inAnHour(0), due_at: LONG_AGO });
    const failed = await addLane({
      state: "awake",
      beat_at: inAnHour(0),
      due_at: inAnHour(30),
      blocked_since: inAnHour(-5),
    });
    await addLane({ state: "awake", beat_at: new Date(), due_at: inAnHour(0) });
    assert.equal(await sweep("lanes_overdue").run(), 2);
    assert.deepEqual(new Set(called()), new Set([sent, failed]));
    assert.deepEqual(
      await rows.query(
        `select due_at between now() + interval '20 s' and now() + interval '30 s' as due,
           beat_at <= now() as beats, blocked_since <= now() as blocked
         from lane where id = $1`,
        [failed],
      ),
      [{ due: true, beats: true, blocked: true }],
    );
    assert.equal(await sweep("lanes_overdue").run(), 0);
  });

  it("the sweep tries a destination scheduled before the clock was set back, and none that asked to wait", async () => {
    const add = async (columns: Row) => {
      const { agentId, webhookId } = await rows.addAgent();
      const url = "http://127.0.0.1:9/hook";
      await rows.insert("destination", {
        id: webhookId,
        agent_id: agentId,
        url,
        breaker: "open",
        ...columns,
      });
      return `/destination/${agentId}.${webhookId}/try/send`;
    };
    const ahead = (ms: number) => new Date(Date.now() + ms);
    const setBack = await add({ next_try_at: ahead(3_630_000), scheduled_at: ahead(3_600_000) });
    await add({ next_try_at: ahead(3_600_000) });
    await sweep("breakers_without_a_try").run();
    assert.deepEqual(
      ingress.requests.map(({ path }) => path),
      [setBack],
    );
    assert.equal(await sweep("breakers_without_a_try").run(), 0);
  });

  it("the sweep calls a forgotten lane once per grace period, not once per tick", async () => {
    await addLane({ state: "awake" });
    assert.equal(await sweep("lanes_overdue").run(), 1);
    assert.equal(await sweep("lanes_overdue").run(), 0);
    assert.equal(called().length, 1);
  });

  it("the sweep skips a locked lane", async () => {
    const [free, held] = [await addLane({ state: "awake" }), await addLane({ state: "awake" })];
    const session = await rows.session();
    try {
      await session.query("begin");
      await session.query("select 1 from lane where id = $1 for update", [held]);
      await sweep("lanes_overdue").run();
      assert.deepEqual(called(), [free]);
    } finally {
      await session.query("rollback");
      session.release();
    }
  });

  it("the sweep finds the same lanes again when the engine refused the calls", async () => {
    const lane = await addLane({ state: "awake" });
    ingress.respond(() => ({ status: 503 }));
    await sweep("lanes_overdue").run();
    ingress.respond(() => undefined);
    await rows.query("update lane set beat_at = $1", [LONG_AGO]);
    ingress.requests.length = 0;
    await sweep("lanes_overdue").run();
    assert.deepEqual(called(), [lane]);
  });

  it("the sweep wakes idle lanes with pending messages, and no others", async () => {
    const asleep = await addLane({ state: "idle" });
    await addLane({ state: "idle", done_seq: 2 });
    await addLane({ state: "awake" });
    await addLane({ state: "parked" });
    assert.equal(await sweep("lanes_idle_with_pending").run(), 1);
    assert.deepEqual(called(), [asleep]);
    assert.deepEqual(
      await rows.query("select state, due_at <= now() as due from lane where id = $1", [asleep]),
      [{ state: "awake", due: true }],
    );
  });

  it("a message for a closed desk expires only after waiting since the desk opened", async () => {
    const expireMs = 60_000;
    const agentId = randomUUID();
    const leave = async (opensAt: Date) => {
      const handoffId = randomUUID();
      await enqueue(db, {
        agentId,
        destinationId: randomUUID(),
        conversationId: randomUUID(),
        handoffId,
        notBefore: opensAt,
        event: "message_left",
        sender: "user",
        items: [{ body: Buffer.from("{}") }],
      });
      await rows.query(
        "update lane set state = 'parked', pending_since = now() - interval '5 minutes' where handoff_id = $1",
        [handoffId],
      );
      return handoffId;
    };
    const [justOpened, openForLong] = [
      await leave(new Date(Date.now() - 10_000)),
      await leave(new Date(Date.now() - 120_000)),
    ];
    await rows.query(
      "update delivery set created_at = created_at - interval '5 minutes' where agent_id = $1",
      [agentId],
    );
    assert.equal(await sweep("expired_while_parked", expireMs).run(), 1);
    const stateOf = async (handoffId: string) =>
      rows.query(
        `select d.state, d.cause from delivery d join lane l on l.agent_id = d.agent_id and l.id = d.lane_id
         where l.handoff_id = $1`,
        [handoffId],
      );
    assert.deepEqual(await stateOf(justOpened), [{ state: "pending", cause: null }]);
    assert.deepEqual(await stateOf(openForLong), [{ state: "dead", cause: "expired" }]);
  });
});
