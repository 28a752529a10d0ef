import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { openWorkDatabase, type Database } from "../../platform/index.ts";
import { enqueue, laneIdOf } from "../outbox/enqueue.ts";
import { claimLanes } from "./lane-store.ts";
import { settle } from "./settle.ts";
import { stopDeliveries } from "./stop-deliveries.ts";

describe("deliveries of an erased user", () => {
  const open = new AsyncDisposableStack();
  let rows: Rows;
  let db: Database;
  before(async () => {
    rows = open.use(await openRows());
    const options = { url: rows.url, poolSize: 2, onError: () => undefined };
    ({ db } = open.adopt(openWorkDatabase(options), (opened) => opened.close()));
  });
  after(() => open.disposeAsync());

  /** A lane with two deliveries that wait, and what a worker says later of an attempt it is making now. */
  async function attemptUnderWay() {
    const { agentId, webhookId: destinationId, conversationId } = await rows.addAgent();
    const items = [{ body: Buffer.from("Ada") }, { body: Buffer.from("Ada") }];
    await enqueue(db, { agentId, destinationId, conversationId, event: "message", sender: "ai", items });
    const laneId = laneIdOf(destinationId, conversationId);
    const [result] = await claimLanes(db, [{ agentId, laneId, callId: randomUUID() }], 20);
    if (result?.kind !== "claimed") throw new Error("the lane was not claimed");
    const [delivery = assert.fail("nothing waits")] = result.claim.deliveries;
    const attempt = {
      id: randomUUID(),
      number: 1,
      durationMs: 5,
      cause: undefined,
      httpStatus: 200,
      url: undefined,
      proof: undefined,
      responseBody: Buffer.from("Ada"),
    };
    const outcome = {
      agentId,
      laneId,
      fence: result.claim.fence,
      seq: delivery.seq,
      deliveryId: delivery.id,
      createdAt: delivery.createdAt,
      state: "delivered" as const,
      cause: undefined,
      retryInMs: 0,
      attempt,
    };
    return { agentId, conversationId, laneId, settleLate: () => settle(db, [outcome]) };
  }
  const replies = (agentId: string) =>
    rows.query("select response_body from attempt where agent_id = $1", [agentId]);

  it("deliveries of an erased user are given up without their bodies, and the reply to a late attempt is not stored", async () => {
    const { agentId, conversationId, laneId, settleLate } = await attemptUnderWay();
    assert.equal(await stopDeliveries(db, agentId, conversationId), 2);
    const deliveries = await rows.query("select state, cause, body from delivery where lane_id = $1", [
      laneId,
    ]);
    const stopped = { state: "dead", cause: "erased", body: Buffer.alloc(0) };
    assert.deepEqual(deliveries, [stopped, stopped]);
    assert.deepEqual(await settleLate(), [{ held: false }]);
    assert.deepEqual(await replies(agentId), [{ response_body: null }]);
    assert.deepEqual(await rows.query("select state from lane where id = $1", [laneId]), [{ state: "idle" }]);
  });

  it("a late attempt is not stored once the lane of an erased user is gone", async () => {
    const { agentId, laneId, settleLate } = await attemptUnderWay();
    await rows.query("delete from lane where id = $1", [laneId]);
    assert.deepEqual(await settleLate(), [{ held: false }]);
    assert.deepEqual(await replies(agentId), []);
  });

  it("a delivery that is erased while its lane is claimed is given to nobody", async () => {
    const { agentId, webhookId: destinationId, conversationId } = await rows.addAgent();
    const items = [{ body: Buffer.from("Ada") }];
    await enqueue(db, { agentId, destinationId, conversationId, event: "message", sender: "ai", items });
    const laneId = laneIdOf(destinationId, conversationId);
    let isErased = false;
    // Between the statement that takes the lane and the one that reads what waits in it.
    const meanwhile = db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (!isErased) await stopDeliveries(db, agentId, conversationId);
        isErased = true;
        return result;
      },
    });
    const [result] = await claimLanes(meanwhile, [{ agentId, laneId, callId: randomUUID() }], 20);
    if (result?.kind !== "claimed") throw new Error("the lane was not claimed");
    assert.deepEqual(result.claim.deliveries, []);
  });
});
