import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { startReceiver, type Receiver } from "@signalbox/tests/support/receiver.ts";
import { openRows, type Row, type Rows } from "@signalbox/tests/support/rows.ts";
import { openEngine, type Engine } from "../engine/index.ts";
import { createLog, openWorkDatabase, type Database } from "../platform/index.ts";
import { createDestinationGate } from "./destination-gate.ts";
import { createPressure } from "./pressure.ts";
import { createRoomWaker } from "./room-waker.ts";

const PLACES = 16;
const AWAKE_WHEN_LATE = 2;
const URL = "http://127.0.0.1:9/hook";

describe("the pressure on a worker", () => {
  it("is high while lanes are taken up late, for as long as that is news", () => {
    let nowMs = 0;
    const pressure = createPressure({ now: () => nowMs });
    assert.equal(pressure.isHigh(), false);
    for (let lane = 0; lane < 20; lane += 1) pressure.note(10);
    assert.equal(pressure.isHigh(), false);
    for (let lane = 0; lane < 50; lane += 1) pressure.note(lane % 10 === 0 ? 120 : 10);
    assert.equal(pressure.isHigh(), true);
    nowMs += 2_000;
    assert.equal(pressure.isHigh(), false);
  });

  it("is not high because of one lane that nobody came for in an outage", () => {
    const pressure = createPressure({ now: () => 0 });
    for (let lane = 0; lane < 20; lane += 1) pressure.note(5);
    pressure.note(3_600_000);
    for (let lane = 0; lane < 10; lane += 1) pressure.note(5);
    assert.equal(pressure.isHigh(), false);
  });
});

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
    const pressure = createPressure({ now });
    const room = createRoomWaker({ db, engine, log: createLog("silent", {}), gate, pressure });
    return { room, late: () => Array.from({ length: 50 }, () => pressure.note(500)) };
  }

  it("are woken until as many are at work as are allowed, and called", async () => {
    await addLanes(10, { state: "parked" });
    const { room } = openWaker();
    assert.equal(await room.fill(agentId, webhookId, 8), true);
    assert.equal(await inState("awake"), 8);
    assert.equal(ingress.requests.length, 8);
    assert.equal(await room.fill(agentId, webhookId, 8), true, "two more are parked");
    assert.equal(ingress.requests.length, 8, "and none of them is woken");
    assert.equal(await room.fill(agentId, webhookId, 16), false);
    assert.equal(await inState("parked"), 0);
  });

  it("are never more at work than there are places, and few while others are late", async () => {
    await addLanes(40, { state: "parked" });
    const { room, late } = openWaker();
    late();
    await room.fill(agentId, webhookId, 256);
    assert.equal(await inState("awake"), AWAKE_WHEN_LATE);
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
    await eventually("three more are called", () => ingress.requests.length === 11);
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
