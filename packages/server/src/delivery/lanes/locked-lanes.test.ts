import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { LOCKED, openWorkDatabase, type Database } from "../../platform/index.ts";
import { enqueue, laneIdOf } from "../outbox/enqueue.ts";
import { claimLanes, type Claim, type LaneCall } from "./lane-store.ts";
import { settle, type Settlement } from "./settle.ts";

const CALL: string = randomUUID();

describe("lanes of many agents in one statement", () => {
  let rows: Rows;
  let db: Database;
  const open = new AsyncDisposableStack();
  before(async () => {
    rows = open.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 4, onError: () => undefined });
    open.defer(() => opened.close());
    db = opened.db;
  });
  after(() => open.disposeAsync());

  /** A lane of another agent in which this many messages wait. */
  async function newLane(messages: number): Promise<LaneCall> {
    const { agentId, webhookId: destinationId, conversationId } = await rows.addAgent();
    const items = Array.from({ length: messages }, () => ({ body: Buffer.from("{}") }));
    await enqueue(db, { agentId, destinationId, conversationId, event: "message", sender: "ai", items });
    return { agentId, laneId: laneIdOf(destinationId, conversationId), callId: CALL };
  }
  async function claim(lane: LaneCall): Promise<Claim> {
    const [result] = await claimLanes(db, [lane], 20);
    return result?.kind === "claimed" ? result.claim : assert.fail();
  }
  async function delivered({ agentId, laneId }: LaneCall, { fence, deliveries }: Claim): Promise<Settlement> {
    const [{ seq, id: deliveryId, createdAt } = assert.fail()] = deliveries;
    const nothing = { cause: undefined, url: undefined, proof: undefined, responseBody: undefined };
    const attempt = { id: randomUUID(), number: 1, durationMs: 5, httpStatus: 200, ...nothing };
    const settled = { state: "delivered", cause: undefined, retryInMs: 0 } as const;
    return { agentId, laneId, fence, seq, deliveryId, createdAt, ...settled, attempt };
  }
  const attemptsOf = async ({ agentId }: LaneCall) =>
    (await rows.query("select 1 from attempt where agent_id = $1", [agentId])).length;
  const fencesOf = async (lanes: LaneCall[]) =>
    Promise.all(
      lanes.map(async ({ laneId }) => {
        const [row] = await rows.query("select fence::int from lane where id = $1", [laneId]);
        return row?.["fence"];
      }),
    );

  it("a claim of lanes of many agents skips a locked lane and gives each its own head", async () => {
    const lanes = [await newLane(1), await newLane(2), await newLane(1)];
    const [locked = assert.fail(), ...free] = lanes;
    const [skipped, ...claimed] = await rows.whileLocked("lane", locked.laneId, () =>
      claimLanes(db, lanes, 20, "skip"),
    );
    assert.equal(skipped, LOCKED);
    assert.deepEqual(
      claimed.map((one) =>
        one !== LOCKED && one.kind === "claimed"
          ? [one.claim.destination?.agent_id, one.claim.deliveries.length, one.claim.fence]
          : one,
      ),
      free.map(({ agentId }, index) => [agentId, 2 - index, 1]),
    );
    assert.deepEqual(await fencesOf(lanes), [0, 1, 1]);
    assert.equal((await claim(locked)).fence, 1);
  });

  it("an outcome whose lane is locked is skipped as a whole and can be written later", async () => {
    const [locked, free] = [await newLane(1), await newLane(1)];
    const settlements = await Promise.all(
      [locked, free].map(async (lane) => delivered(lane, await claim(lane))),
    );
    const results = await rows.whileLocked("lane", locked.laneId, () => settle(db, settlements, "skip"));
    assert.deepEqual(results, [LOCKED, { held: true, tailSeq: 1 }]);
    assert.deepEqual([await attemptsOf(locked), await attemptsOf(free)], [0, 1]);
    assert.deepEqual(await settle(db, settlements.slice(0, 1), "skip"), [{ held: true, tailSeq: 1 }]);
    assert.equal(await attemptsOf(locked), 1);
  });

  it("an outcome of a delivery that is gone makes no delivery", async () => {
    const lane = await newLane(1);
    const settlement = await delivered(lane, await claim(lane));
    await rows.query("delete from delivery where lane_id = $1", [lane.laneId]);
    assert.deepEqual(await settle(db, [settlement]), [{ held: true, tailSeq: 1 }]);
    assert.deepEqual(await rows.query("select 1 from delivery where lane_id = $1", [lane.laneId]), []);
  });
});
