import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Row, type Rows } from "@signalbox/tests/support/rows.ts";
import { sql } from "kysely";
import { inTransaction, openWorkDatabase, type Database } from "../../platform/index.ts";
import { enqueueWith, laneIdOf } from "../outbox/enqueue.ts";
import { claimLanes, type Claim, type ClaimResult } from "./lane-store.ts";
import { parkForCapacity, wakeMoreLanes } from "./parking.ts";
import { settle, type Settlement } from "./settle.ts";

const CALL: string = randomUUID();

describe("lane store", () => {
  let rows: Rows;
  let db: Database;
  let closeDatabase = () => Promise.resolve();
  before(async () => {
    rows = await openRows();
    const opened = openWorkDatabase({ url: rows.url, poolSize: 6, onError: () => undefined });
    db = opened.db;
    closeDatabase = () => opened.close();
  });
  after(async () => {
    await closeDatabase();
    await rows[Symbol.asyncDispose]();
  });

  /** A conversation's lane in which this many messages wait. */
  async function newLane(messages: number) {
    const { agentId, webhookId: destinationId, conversationId } = await rows.addAgent();
    const lane = { agentId, destinationId, conversationId, id: laneIdOf(destinationId, conversationId) };
    for (let seq = 1; seq <= messages; seq += 1) await accept(db, lane);
    return lane;
  }
  type Lane = Awaited<ReturnType<typeof newLane>>;

  async function accept(db: Database, { agentId, destinationId, conversationId }: Lane): Promise<boolean> {
    const outbox = enqueueWith(sql`accepted`, {
      agentId,
      destinationId,
      conversationId,
      event: "message",
      sender: "ai",
      items: [{ body: Buffer.from("{}") }],
    });
    const { rows: raised } = await sql<{ woke: boolean }>`
      with accepted as (select 1), ${outbox} select woke from lane_raised`.execute(db);
    return raised[0]?.woke ?? false;
  }

  async function claimLane({ agentId, id }: Lane, most = 1, callId = CALL): Promise<ClaimResult> {
    const [result] = await claimLanes(db, [{ agentId, laneId: id, callId }], most);
    return result ?? assert.fail();
  }

  /** Each time by the same call, which takes over from itself. */
  async function claim(lane: Lane, most = 20, callId = CALL): Promise<Claim> {
    const result = await claimLane(lane, most, callId);
    assert.equal(result.kind, "claimed");
    return result.kind === "claimed" ? result.claim : assert.fail();
  }

  function outcome(lane: Lane, { fence, deliveries }: Claim, at: number, changes: Partial<Settlement> = {}) {
    const delivery = deliveries[at] ?? assert.fail(`the claim holds no delivery ${at}`);
    const settlement: Settlement = {
      agentId: lane.agentId,
      laneId: lane.id,
      fence,
      seq: delivery.seq,
      deliveryId: delivery.id,
      createdAt: delivery.createdAt,
      state: "delivered",
      cause: undefined,
      retryInMs: 0,
      attempt: {
        id: randomUUID(),
        number: 1,
        durationMs: 5,
        cause: undefined,
        httpStatus: 200,
        url: undefined,
        proof: undefined,
        responseBody: undefined,
      },
      ...changes,
    };
    return settlement;
  }

  const callsFor = (lanes: Lane[]) => lanes.map(({ agentId, id }) => ({ agentId, laneId: id, callId: CALL }));

  function settlementOf(lane: Lane): Settlement {
    const delivery = { id: randomUUID(), seq: 1, createdAt: new Date() } as Claim["deliveries"][number];
    return outcome(lane, { fence: 2, deliveries: [delivery] } as Claim, 0);
  }

  async function settleOne(lane: Lane, from: Claim, at: number, changes: Partial<Settlement> = {}) {
    const [settled] = await settle(db, [outcome(lane, from, at, changes)]);
    return settled;
  }

  async function laneRow({ id }: Lane): Promise<Row> {
    const [row] = await rows.query("select * from lane where id = $1", [id]);
    return row ?? assert.fail("there is no such lane");
  }
  const stateOf = async (lane: Lane) => (await laneRow(lane))["state"];
  const deliveriesOf = ({ id }: Lane) =>
    rows.query("select * from delivery where lane_id = $1 order by seq", [id]);
  const attemptsOf = async ({ agentId }: Lane) =>
    (await rows.query("select 1 from attempt where agent_id = $1", [agentId])).length;

  it("only the accept that wakes a lane is told so", async () => {
    const lane = await newLane(0);
    assert.equal(await accept(db, lane), true);
    assert.equal(await accept(db, lane), false);
    const held = await claim(lane);
    await settleOne(lane, held, 0);
    await settleOne(lane, held, 1);
    assert.equal(await stateOf(lane), "idle");
    assert.equal(await accept(db, lane), true);
    await rows.query("update lane set state = 'parked' where id = $1", [lane.id]);
    assert.equal(await accept(db, lane), false);
    assert.equal(await stateOf(lane), "parked");
    assert.equal((await laneRow(lane))["tail_seq"], "4");
  });

  it("a claim returns the head of the lane in order, up to its limit, and increments the fence", async () => {
    const lane = await newLane(3);
    const first = await claim(lane, 2);
    assert.deepEqual(
      first.deliveries.map(({ seq }) => seq),
      [1, 2],
    );
    const second = await claim(lane, 2);
    assert.equal(second.fence, first.fence + 1);
    assert.equal(second.destination?.id, lane.destinationId);
  });

  it("a lane is not claimed before it is due, while idle or while parked", async () => {
    const lane = await newLane(1);
    await rows.query("update lane set due_at = now() + interval '60 s' where id = $1", [lane.id]);
    const early = await claimLane(lane);
    assert.equal(early.kind, "early");
    assert.ok(early.kind === "early" && early.byMs > 55_000 && early.byMs <= 60_000);
    for (const state of ["idle", "parked"]) {
      await rows.query("update lane set state = $2, due_at = now() where id = $1", [lane.id, state]);
      assert.deepEqual(await claimLane(lane), { kind: "nothing" });
    }
    assert.equal((await laneRow(lane))["fence"], "0");
  });

  it("a claim has no destination when its webhook or agent is deleted", async () => {
    for (const change of [
      "update webhook set deleted_at = now() where agent_id = $1",
      "update agent set deleted_at = now() where id = $1",
    ]) {
      const lane = await newLane(1);
      await rows.query(change, [lane.agentId]);
      const held = await claim(lane);
      assert.equal(held.destination, undefined);
      assert.equal(held.deliveries.length, 1);
    }
  });

  it("a lane stays awake after a delivery while more is pending, and becomes idle after the last", async () => {
    const lane = await newLane(2);
    const held = await claim(lane);
    assert.deepEqual(await settleOne(lane, held, 0), { held: true, tailSeq: 2 });
    assert.equal(await stateOf(lane), "awake");
    assert.deepEqual(await settleOne(lane, held, 1, { state: "dead" }), { held: true, tailSeq: 2 });
    assert.equal(await stateOf(lane), "idle");
    assert.deepEqual(
      (await deliveriesOf(lane)).map(({ state }) => state),
      ["delivered", "dead"],
    );
    assert.equal(await attemptsOf(lane), 2);
  });

  it("time in which a lane was due and nobody came does not count as blocked", async () => {
    const lane = await newLane(1);
    await settleOne(lane, await claim(lane), 0, { state: "pending", retryInMs: 0 });
    await rows.query(
      "update lane set blocked_since = now() - interval '130 s', due_at = now() - interval '120 s' where id = $1",
      [lane.id],
    );
    const { blockedForMs } = await claim(lane);
    assert.ok(blockedForMs >= 9_900 && blockedForMs < 15_000, String(blockedForMs));
  });

  it("time in which a lane was parked for capacity does not count as blocked", async () => {
    for (const [hasFailed, least, most] of [
      [true, 9_900, 15_000],
      [false, 0, 0],
    ] as const) {
      const lane = await newLane(1);
      if (hasFailed) await settleOne(lane, await claim(lane), 0, { state: "pending", retryInMs: 0 });
      await rows.query("update lane set blocked_since = blocked_since - interval '10 s' where id = $1", [
        lane.id,
      ]);
      await parkForCapacity(db, lane.agentId, lane.id, await claim(lane));
      await rows.query(
        `update lane set parked_at = parked_at - interval '1 hour', blocked_since = blocked_since - interval '1 hour'
         where id = $1`,
        [lane.id],
      );
      assert.deepEqual((await wakeMoreLanes(db, lane.agentId, lane.destinationId, 1)).laneIds, [lane.id]);
      const { blockedForMs } = await claim(lane);
      assert.ok(blockedForMs >= least && blockedForMs <= most, `${hasFailed}: ${blockedForMs}`);
    }
  });

  it("a lane waits for the retry of its head, by the database clock", async () => {
    const lane = await newLane(2);
    const held = await claim(lane);
    await settleOne(lane, held, 0, { state: "pending", retryInMs: 60_000 });
    const result = await claimLane(lane);
    assert.ok(result.kind === "early" && result.byMs > 55_000);
    assert.equal((await laneRow(lane))["done_seq"], "0");
    const [head] = await deliveriesOf(lane);
    assert.deepEqual([head?.["state"], head?.["attempts"], head?.["finished_at"]], ["pending", 1, null]);
  });

  it("an outcome with an old fence changes nothing, and its attempt is still logged", async () => {
    const lane = await newLane(3);
    const paused = await claim(lane);
    const current = await claim(lane);
    await settleOne(lane, current, 0);
    const before = { lane: await laneRow(lane), deliveries: await deliveriesOf(lane) };
    for (const state of ["pending", "delivered", "dead"] as const) {
      for (const at of [0, 1, 2])
        assert.deepEqual(await settleOne(lane, paused, at, { state }), { held: false });
    }
    assert.deepEqual({ lane: await laneRow(lane), deliveries: await deliveriesOf(lane) }, before);
    assert.equal(await attemptsOf(lane), 10);
    assert.deepEqual(await settleOne(lane, current, 1), { held: true, tailSeq: 3 });
  });

  it("a final outcome never changes, even under the right fence", async () => {
    const lane = await newLane(2);
    const held = await claim(lane);
    await settleOne(lane, held, 0);
    const [delivered] = await deliveriesOf(lane);
    await settleOne(lane, held, 0, { state: "dead" });
    assert.deepEqual((await deliveriesOf(lane))[0], delivered);
  });

  it("one statement settles lanes of many agents, each under its own fence", async () => {
    const [one, two] = [await newLane(1), await newLane(1)];
    assert.notEqual(one.agentId, two.agentId);
    const [heldOne, heldTwo] = [await claim(one), await claim(two)];
    await claim(two);
    const settled = await settle(db, [outcome(one, heldOne, 0), outcome(two, heldTwo, 0)]);
    assert.deepEqual(settled, [{ held: true, tailSeq: 1 }, { held: false }]);
    assert.deepEqual([await stateOf(one), await stateOf(two)], ["idle", "awake"]);
  });

  it("lanes are locked in the order of their ids", async () => {
    const { agentId, webhookId: destinationId } = await rows.addAgent();
    const found: Lane[] = [];
    for (const [last, conversationId] of [randomUUID(), randomUUID(), randomUUID()].entries())
      found.push({ agentId, destinationId, conversationId, id: `${9 - last}${randomUUID().slice(1)}` });
    for (const { id, conversationId } of found)
      await rows.insert("lane", {
        agent_id: agentId,
        id,
        destination_id: destinationId,
        conversation_id: conversationId,
        state: "awake",
        fence: 1,
        tail_seq: 1,
      });
    const [highest, , lowest] = found;
    assert.ok(highest !== undefined && lowest !== undefined);
    const writes: [waitsWith: string, (db: Database) => Promise<unknown>][] = [
      ["with asked", (db) => claimLanes(db, callsFor(found), 1)],
      ["with settlement", (db) => settle(db, found.map(settlementOf))],
    ];
    for (const [waitsWith, write] of writes) {
      const other = await rows.session();
      await other.query("begin");
      await other.query("select from lane where id = $1 for update", [lowest.id]);
      const writing = inTransaction(db, async (db) => {
        // By bitmap rows are found as they lie in the table, the highest id first.
        await sql`set local enable_indexscan = off`.execute(db);
        await write(db);
      });
      try {
        await rows.blocked(waitsWith);
        await other.query("select from lane where id = $1 for update nowait", [highest.id]);
      } finally {
        await other.query("rollback");
        other.release();
        await writing;
      }
    }
  });

  it("two drains of one lane that settle in the same statement are told apart by fence", async () => {
    const lane = await newLane(2);
    const [paused, current] = [await claim(lane), await claim(lane)];
    const late = outcome(lane, paused, 0, { state: "pending", retryInMs: 60_000 });
    const settled = await settle(db, [late, outcome(lane, current, 0)]);
    assert.deepEqual(settled, [{ held: false }, { held: true, tailSeq: 2 }]);
    const ahead = outcome(lane, paused, 1, { state: "dead" });
    assert.deepEqual(await settle(db, [ahead, outcome(lane, current, 1)]), [
      { held: false },
      { held: true, tailSeq: 2 },
    ]);
    assert.deepEqual(
      (await deliveriesOf(lane)).map(({ state }) => state),
      ["delivered", "delivered"],
    );
    assert.equal(await stateOf(lane), "idle");
  });

  it("a message dated before the one ahead of it is read, as after the clock was set back", async () => {
    const lane = await newLane(4);
    await rows.query(
      "update delivery set created_at = created_at - interval '2 hours' where lane_id = $1 and seq = 2",
      [lane.id],
    );
    await rows.query(
      "update delivery set created_at = created_at + interval '2 hours' where lane_id = $1 and seq = 4",
      [lane.id],
    );
    const order: number[] = [];
    while ((await stateOf(lane)) !== "idle") {
      const held = await claim(lane);
      assert.notEqual(held.deliveries.length, 0, "an awake lane with nothing to read would never end");
      for (const [at, { seq }] of held.deliveries.entries()) {
        order.push(seq);
        await settleOne(lane, held, at);
      }
    }
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  describe("lane that becomes idle while an accept is open", () => {
    /** Accepts a second message and holds the transaction open until `settling` waits for it. */
    async function race(lane: Lane, held: Claim, settling: () => Promise<unknown>, waitsWith: string) {
      const hold = Promise.withResolvers<void>();
      const accepted = Promise.withResolvers<void>();
      const accepting = inTransaction(db, async (db) => {
        assert.equal(await accept(db, lane), false, "the lane was awake, so nobody else calls it");
        accepted.resolve();
        await hold.promise;
      });
      await accepted.promise;
      assert.equal(held.deliveries.length, 1, "the drain has not seen the second message");
      const settled = settling();
      try {
        await rows.blocked(waitsWith);
      } finally {
        hold.resolve();
      }
      await accepting;
      return settled;
    }
    const forgotten = async (lane: Lane) =>
      (await stateOf(lane)) === "idle" && (await deliveriesOf(lane)).some(({ state }) => state === "pending");

    it("a settle waits for an open accept, sees the raised tail and stays awake", async () => {
      const lane = await newLane(1);
      const held = await claim(lane);
      const settled = await race(lane, held, () => settleOne(lane, held, 0), "with settlement");
      assert.deepEqual(settled, { held: true, tailSeq: 2 });
      assert.equal(await stateOf(lane), "awake");
      assert.equal(await forgotten(lane), false);
      assert.deepEqual(
        (await claim(lane)).deliveries.map(({ seq }) => seq),
        [2],
      );
    });

    it("a settle that asked for pending rows instead would lose the message", async () => {
      const lane = await newLane(1);
      const held = await claim(lane);
      const settleByLooking = async () => {
        await sql`update delivery set state = 'delivered' where lane_id = ${lane.id} and seq = 1`.execute(db);
        await sql`
          update lane set done_seq = 1, state = 'idle' /* mutant */
          where agent_id = ${lane.agentId} and id = ${lane.id} and not exists (
            select from delivery where agent_id = ${lane.agentId} and lane_id = ${lane.id} and state = 'pending'
          )`.execute(db);
      };
      await race(lane, held, settleByLooking, "mutant");
      assert.equal(await forgotten(lane), true);
    });
  });
});
