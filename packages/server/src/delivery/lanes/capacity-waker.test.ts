import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { callsIn } from "@signalbox/tests/support/engine-calls.ts";
import { startReceiver, type Receiver } from "@signalbox/tests/support/receiver.ts";
import { openRows, type Row, type Rows } from "@signalbox/tests/support/rows.ts";
import { openEngine, type Engine } from "../../engine/index.ts";
import { createLog, openWorkDatabase, type Database } from "../../platform/index.ts";
import { createBacklogRateLimit } from "../destinations/backlog-rate-limit.ts";
import { createConcurrencyLimit } from "../destinations/concurrency-limit.ts";
import { createCapacityWaker } from "./capacity-waker.ts";

const PLACES = 16;
const AWAKE_AT_FIRST = 6;
const URL = "http://127.0.0.1:9/hook";

describe("capacity waker", () => {
  let rows: Rows;
  let db: Database;
  /** Stands where the engine's ingress is: what arrives there is what was called. */
  let ingress: Receiver;
  let engine: Engine;
  let agentId: string;
  let webhookId: string;
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
    ({ agentId, webhookId } = await rows.addAgent());
  });

  async function addLanes(count: number, columns: Row): Promise<void> {
    for (let lane = 0; lane < count; lane += 1)
      await rows.insert("lane", {
        agent_id: agentId,
        id: randomUUID(),
        destination_id: webhookId,
        conversation_id: randomUUID(),
        tail_seq: 2,
        done_seq: 1,
        parked_at: new Date(),
        ...columns,
      });
  }
  const inState = async (state: string) =>
    (await rows.query("select 1 from lane where state = $1", [state])).length;

  function openWaker() {
    const now = () => performance.now();
    const limit = createConcurrencyLimit({
      inFlightMax: 100,
      destinationMax: PLACES,
      liveWorkers: () => 1,
    });
    const backlogRate = createBacklogRateLimit({ now, sleep: () => Promise.resolve() });
    return {
      capacity: createCapacityWaker({ db, engine, log: createLog("silent", {}), limit, backlogRate }),
      backlogRate,
    };
  }

  it("parked lanes are woken and called up to the allowed number", async () => {
    await addLanes(10, { state: "parked" });
    const { capacity } = openWaker();
    assert.equal(await capacity.fill(agentId, webhookId, 8), true);
    assert.equal(await inState("awake"), 8);
    assert.equal(callsIn(ingress.requests).length, 8);
    assert.equal(await capacity.fill(agentId, webhookId, 8), true, "two more are parked");
    assert.equal(callsIn(ingress.requests).length, 8, "and none of them is woken");
    assert.equal(await capacity.fill(agentId, webhookId, 16), false);
    assert.equal(await inState("parked"), 0);
  });

  it("no more lanes are awake than there are slots or the backlog rate allows", async () => {
    await addLanes(40, { state: "parked" });
    const { capacity, backlogRate } = openWaker();
    await backlogRate.acquire(webhookId);
    await capacity.fill(agentId, webhookId, 256);
    assert.equal(await inState("awake"), AWAKE_AT_FIRST);
    await openWaker().capacity.fill(agentId, webhookId, 256);
    assert.equal(await inState("awake"), PLACES);
  });

  it("one parked lane is woken for each lane that becomes idle", async () => {
    await addLanes(20, { state: "parked" });
    const { capacity } = openWaker();
    capacity.onLaneIdle(agentId, webhookId);
    await capacity.fill(agentId, webhookId, 8);
    await rows.query(
      "update lane set state = 'idle', done_seq = tail_seq where id in (select id from lane where state = 'awake' limit 3)",
    );
    capacity.onLaneIdle(agentId, webhookId);
    await eventually("three more are called", () => callsIn(ingress.requests).length === 11);
    assert.equal(await inState("awake"), 8);
    assert.equal(await inState("parked"), 9);
  });

  it("a lane that waits for its next attempt does not keep parked lanes out", async () => {
    await addLanes(8, { state: "awake", due_at: new Date(Date.now() + 60_000) });
    await addLanes(8, { state: "parked" });
    await openWaker().capacity.fill(agentId, webhookId, 8);
    assert.equal(await inState("awake"), 16);
  });

  it("parked lanes stay parked while their breaker is open", async () => {
    await addLanes(8, { state: "parked" });
    await rows.insert("destination", { id: webhookId, agent_id: agentId, url: URL, breaker: "open" });
    await openWaker().capacity.fill(agentId, webhookId, 8);
    assert.equal(await inState("parked"), 8);
    await rows.query("update agent set deleted_at = now() where id = $1", [agentId]);
    await openWaker().capacity.fill(agentId, webhookId, 8);
    assert.equal(await inState("parked"), 0, "the lanes of a deleted agent are woken all the same");
  });
});
