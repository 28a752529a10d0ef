import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { rowsReadBy } from "@signalbox/tests/support/rows-read.ts";
import { sql } from "kysely";
import { createLog, openWorkDatabase, type Database } from "../../platform/index.ts";
import { createAttemptRecorder } from "./attempt-recorder.ts";
import type { Settlement } from "./settle.ts";

const LANES = 30;
/** Lane and delivery, each looked up once and found again by its unique index. */
const ROWS_EACH_MAX = 8;

describe("attempt recorder", () => {
  let rows: Rows;
  let db: Database;
  let closeDatabase = () => Promise.resolve();
  before(async () => {
    rows = await openRows();
    const opened = openWorkDatabase({ url: rows.url, poolSize: 4, onError: () => undefined });
    db = opened.db;
    closeDatabase = () => opened.close();
  });
  after(async () => {
    await closeDatabase();
    await rows[Symbol.asyncDispose]();
  });

  /** One lane of the agent with one message that was just sent. */
  async function newOutcome(agentId: string, destinationId: string, createdAt: Date): Promise<Settlement> {
    const [laneId, deliveryId] = [randomUUID(), randomUUID()];
    const lane = { agent_id: agentId, id: laneId, destination_id: destinationId };
    await rows.insert("lane", {
      ...lane,
      conversation_id: randomUUID(),
      state: "awake",
      tail_seq: 1,
      fence: 1,
    });
    await rows.insert("delivery", {
      agent_id: agentId,
      lane_id: laneId,
      seq: 1,
      created_at: createdAt,
      id: deliveryId,
      event: "message",
      sender: "ai",
      body: Buffer.from("{}"),
    });
    return {
      agentId,
      laneId,
      fence: 1,
      seq: 1,
      deliveryId,
      createdAt,
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
    };
  }

  async function newOutcomes(count: number, apartMs = 0): Promise<Settlement[]> {
    const { agentId, webhookId } = await rows.addAgent();
    const latest = Date.now();
    return Promise.all(
      Array.from({ length: count }, (_, at) =>
        newOutcome(agentId, webhookId, new Date(latest - at * apartMs)),
      ),
    );
  }

  /** How many transactions wrote the outcomes: rows of one transaction carry its number. */
  async function commitsOf(settlements: Settlement[]): Promise<number> {
    const [row] = await rows.query<{ commits: number }>(
      "select count(distinct xmin::text)::int as commits from lane where id = any($1) and state = 'idle'",
      [settlements.map(({ laneId }) => laneId)],
    );
    return row?.commits ?? 0;
  }
  const idleOf = async (settlements: Settlement[]) =>
    (
      await rows.query("select 1 from lane where id = any($1) and state = 'idle'", [
        settlements.map(({ laneId }) => laneId),
      ])
    ).length;

  it("the recorder writes outcomes of many lanes in one commit and returns each its own result", async () => {
    const settlements = await newOutcomes(LANES);
    const record = createAttemptRecorder(db, createLog("silent", {}));
    const overtaken = settlements[7] ?? assert.fail();
    const given = settlements.map((one) => (one === overtaken ? { ...one, fence: 0 } : one));
    const results = await Promise.all(given.map((settlement) => record(settlement)));
    assert.deepEqual(
      results.filter(({ held }) => held),
      Array.from({ length: LANES - 1 }, () => ({ held: true, tailSeq: 1 })),
    );
    assert.deepEqual(results[7], { held: false });
    assert.equal(await commitsOf(settlements), 1);
  });

  it("the recorder writes outcomes of many agents, accepted far apart, in one commit", async () => {
    const settlements = (await Promise.all([1, 2, 3].map(() => newOutcomes(2, 60_000)))).flat();
    const record = createAttemptRecorder(db, createLog("silent", {}));
    await Promise.all(settlements.map((settlement) => record(settlement)));
    assert.equal(await commitsOf(settlements), 1);
    const delivered = await rows.query(
      "select 1 from delivery d join attempt a on a.delivery_id = d.id where d.id = any($1) and d.state = 'delivered'",
      [settlements.map(({ deliveryId }) => deliveryId)],
    );
    assert.equal(delivered.length, settlements.length);
  });

  it("the recorder writes outcomes of an agent while a lane of another agent is locked", async () => {
    const [[locked], [free]] = [await newOutcomes(1), await newOutcomes(1)];
    assert.ok(locked !== undefined && free !== undefined);
    const other = await rows.session();
    await other.query("begin");
    await other.query("select from lane where id = $1 for update", [locked.laneId]);
    const record = createAttemptRecorder(db, createLog("silent", {}));
    const waiting = record(locked);
    try {
      assert.deepEqual(await record(free), { held: true, tailSeq: 1 });
      await rows.blocked("with settlement");
      assert.deepEqual(await record({ ...free, fence: 0 }), { held: false });
    } finally {
      await other.query("rollback");
      other.release();
    }
    assert.deepEqual(await waiting, { held: true, tailSeq: 1 });
  });

  it("an outcome reads lanes and deliveries by key, whatever else the agent has", async () => {
    const settlements = await newOutcomes(LANES, 1_000);
    const [{ agentId } = assert.fail()] = settlements;
    const { webhookId } = await rows.addAgent();
    await Promise.all(Array.from({ length: 500 }, () => newOutcome(agentId, webhookId, new Date())));
    // One connection, because each tells only what it read itself.
    await using opened = new AsyncDisposableStack();
    const alone = openWorkDatabase({ url: rows.url, poolSize: 1, onError: () => undefined });
    opened.defer(() => alone.close());
    const record = createAttemptRecorder(alone.db, createLog("silent", {}));
    for (const [analysed, half] of [settlements.slice(0, 15), settlements.slice(15)].entries()) {
      // A plan that is made while tables are small, and kept, has to read by key as well.
      if (analysed === 1) await rows.query("analyze lane, delivery");
      const byTable = await rowsReadBy(
        rows,
        ["lane", "delivery"],
        (statement) => sql.raw(statement).execute(alone.db),
        () => Promise.all(half.map((settlement) => record(settlement))),
      );
      const read = [...byTable.values()].reduce((sum, count) => sum + count, 0);
      assert.ok(read > 0 && read <= 15 * ROWS_EACH_MAX, `${read} rows were read for 15 outcomes`);
    }
  });

  it("the recorder retries a failed batch one by one, so that only the bad outcome fails", async () => {
    const settlements = await newOutcomes(LANES);
    const poisoned = settlements[3] ?? assert.fail();
    // No drain makes such an outcome; it stands for whatever one row can do to a statement.
    const given = settlements.map((one) =>
      one === poisoned ? { ...one, attempt: { ...one.attempt, id: "not a uuid" } } : one,
    );
    const record = createAttemptRecorder(db, createLog("silent", {}));
    const results = await Promise.allSettled(given.map((settlement) => record(settlement)));
    assert.deepEqual(
      results.flatMap(({ status }, index) => (status === "rejected" ? [index] : [])),
      [3],
    );
    assert.equal(await idleOf(settlements), LANES - 1);
    assert.deepEqual(await record(poisoned), { held: true, tailSeq: 1 });
  });

  it("the recorder accepts outcomes again after a failure of the whole batch", async () => {
    const settlements = await newOutcomes(3);
    const record = createAttemptRecorder(db, createLog("silent", {}));
    await rows.query("alter table attempt rename to attempt_away");
    const failed = await Promise.allSettled(settlements.map((settlement) => record(settlement)));
    await rows.query("alter table attempt_away rename to attempt");
    assert.deepEqual(
      failed.map(({ status }) => status),
      ["rejected", "rejected", "rejected"],
    );
    assert.equal(await idleOf(settlements), 0, "an outcome without its attempt is not written either");
    await Promise.all(settlements.map((settlement) => record(settlement)));
    assert.equal(await idleOf(settlements), 3);
  });
});
