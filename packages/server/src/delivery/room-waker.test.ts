import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { callsIn } from "@signalbox/tests/support/engine-calls.ts";
import { startReceiver, type Receiver } from "@signalbox/tests/support/receiver.ts";
import { openRows, type Row, type Rows } from "@signalbox/tests/support/rows.ts";
import { openEngine, type Engine } from "../engine/index.ts";
import { createLog, openWorkDatabase, type Database } from "../platform/index.ts";
import { createBacklogPace } from "./backlog-pace.ts";
import { createDestinationGate } from "./destination-gate.ts";
import { createRoomWaker } from "./room-waker.ts";

const PLACES = 16;
const AWAKE_AT_FIRST = 6;
const URL = "http://127.0.0.1:9/hook";

describe("lanes that wait for room", () => {
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
    const gate = createDestinationGate({
      inFlightMax: 100,
      destinationMax: PLACES,
      liveWorkers: () => 1,
      now,
    });
    const pace = createBacklogPace({ now, sleep: () => Promise.resolve() });
    return { room: createRoomWaker({ db, engine, log: createLog("silent", {}), gate, pace }), pace };
  }

  it("are woken until as many are at work as are allowed, and called", async () => {
    await addLanes(10, { state: "parked" });
    const { room } = openWaker();
    assert.equal(await room.fill(agentId, webhookId, 8), true);
    assert.equal(await inState("awake"), 8);
    assert.equal(callsIn(ingress.requests).length, 8);
    assert.equal(await room.fill(agentId, webhookId, 8), true, "two more are parked");
    assert.equal(callsIn(ingress.requests).length, 8, "and none of them is woken");
    assert.equal(await room.fill(agentId, webhookId, 16), false);
    assert.equal(await inState("parked"), 0);
  });

  it("are never more at work than there are places, and no more than the pace of backlogs has work for", async () => {
    await addLanes(40, { state: "parked" });
    const { room, pace } = openWaker();
    await pace.turn(webhookId);
    await room.fill(agentId, webhookId, 256);
    assert.equal(await inState("awake"), AWAKE_AT_FIRST);
    await openWaker().room.fill(agentId, webhookId, 256);
    assert.equal(await inState("awake"), PLACES);
  });

  it("come when another one rests, one for one", async () => {
    await addLanes(20, { state: "parked" });
    const { room } = openWaker();
    room.rested(agentId, webhookId);
    await room.fill(agentId, webhookId, 8);
    await rows.query(
      "update lane set state = 'idle', done_seq = tail_seq where id in (select id from lane where state = 'awake' limit 3)",
    );
    room.rested(agentId, webhookId);
    await eventually("three more are called", () => callsIn(ingress.requests).length === 11);
    assert.equal(await inState("awake"), 8);
    assert.equal(await inState("parked"), 9);
  });

  it("are not kept out by one that waits for its next attempt", async () => {
    await addLanes(8, { state: "awake", due_at: new Date(Date.now() + 60_000) });
    await addLanes(8, { state: "parked" });
    await openWaker().room.fill(agentId, webhookId, 8);
    assert.equal(await inState("awake"), 16);
  });

  it("stay where they are while their destination is down", async () => {
    await addLanes(8, { state: "parked" });
    await rows.insert("destination", { id: webhookId, agent_id: agentId, url: URL, breaker: "open" });
    await openWaker().room.fill(agentId, webhookId, 8);
    assert.equal(await inState("parked"), 8);
    await rows.query("update agent set deleted_at = now() where id = $1", [agentId]);
    await openWaker().room.fill(agentId, webhookId, 8);
    assert.equal(await inState("parked"), 0, "whoever has nowhere to go must see that");
  });
});
