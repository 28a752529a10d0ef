import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { sql } from "kysely";
import { openWorkDatabase, type Database } from "../../platform/index.ts";
import type { OperatorEvent } from "../destinations/operator-events.ts";
import { claimLanes } from "./lane-store.ts";
import { laneSweeps } from "./lane-sweeps.ts";

const HOUR_MS = 3_600_000;

// A message is dated by the begin of its transaction, which may have waited for the lock of the one before it.
describe("message dated earlier than the one before it", () => {
  let db: Database;
  const open = new AsyncDisposableStack();
  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const clone = await cloneDatabase(cluster);
    open.defer(() => clone.drop());
    const work = openWorkDatabase({ url: clone.url, poolSize: 2, onError: () => undefined });
    open.defer(() => work.close());
    db = work.db;
  });
  after(() => open.disposeAsync());

  async function makeLane(
    state: "awake" | "parked",
    doneSeq: number,
    pendingSince: Date,
    dates: Date[],
  ): Promise<string> {
    const id = randomUUID();
    await db
      .insertInto("lane")
      .values({
        agent_id: id,
        id,
        destination_id: id,
        conversation_id: id,
        state,
        tail_seq: dates.length,
        done_seq: doneSeq,
        pending_since: pendingSince,
      })
      .execute();
    for (const [index, created_at] of dates.entries())
      await db
        .insertInto("delivery")
        .values({
          agent_id: id,
          lane_id: id,
          seq: index + 1,
          id: randomUUID(),
          created_at,
          event: "message",
          sender: "ai",
          body: Buffer.from("{}"),
          state: index < doneSeq ? "delivered" : "pending",
        })
        .execute();
    return id;
  }

  it("a message dated earlier than the one before it in its lane is sent in its turn", async () => {
    const now = Date.now();
    const id = await makeLane("awake", 1, new Date(now), [new Date(now), new Date(now - 20_000)]);
    const [claimed] = await claimLanes(db, [{ agentId: id, laneId: id, callId: id }], 20);
    assert.ok(claimed?.kind === "claimed");
    assert.deepEqual(
      claimed.claim.deliveries.map(({ seq }) => seq),
      [2],
    );
  });

  it("a message dated earlier than the one before it does not expire first", async () => {
    const cutoff = Date.now() - HOUR_MS;
    const id = await makeLane("parked", 0, new Date(cutoff - 5_000), [
      new Date(cutoff - 5_000),
      new Date(cutoff + 5_000),
      new Date(cutoff - 4_000),
      new Date(cutoff + 60_000),
    ]);
    const raised: OperatorEvent[] = [];
    const engine = {
      send: async () => true,
      setAlarm: async () => true,
      probe: async () => undefined,
      close: async () => undefined,
    };
    const events = { raise: async (event: OperatorEvent) => void raised.push(event) };
    const expiry = laneSweeps({ db, engine, graceMs: 1, expireMs: HOUR_MS, events }).find(
      ({ name }) => name === "expired_while_parked",
    );
    assert.equal(await expiry?.run(), 3);
    const { rows } = await sql<{ state: string; cause: string | null }>`
      select state, cause from delivery where agent_id = ${id} order by seq`.execute(db);
    assert.deepEqual(
      rows.map(({ state, cause }) => `${state} ${cause}`),
      ["dead expired", "dead expired", "dead expired", "pending null"],
    );
    const lane = await db.selectFrom("lane").selectAll().where("id", "=", id).executeTakeFirst();
    assert.deepEqual([lane?.done_seq, lane?.state], [3, "parked"]);
    assert.deepEqual(raised, [{ kind: "deliveries_expired", agentId: id, destinationId: id, count: 3 }]);
    const dead = await sql<{ count: number }>`
      select count(*)::integer as count from dead_letter where agent_id = ${id}`.execute(db);
    assert.deepEqual(dead.rows, [{ count: 3 }]);
  });
});
