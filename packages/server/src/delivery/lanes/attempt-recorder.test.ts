import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { createLog, openWorkDatabase, type Database } from "../../platform/index.ts";
import { createAttemptRecorder } from "./attempt-recorder.ts";
import type { Settlement } from "./settle.ts";

const LANES = 30;

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

  it("the recorder writes outcomes of messages accepted far apart separately", async () => {
    const settlements = await newOutcomes(2, 60_000);
    const record = createAttemptRecorder(db, createLog("silent", {}));
    await Promise.all(settlements.map((settlement) => record(settlement)));
    assert.equal(await commitsOf(settlements), 2);
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
