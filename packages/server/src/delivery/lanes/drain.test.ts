import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it, mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { callsIn } from "@signalbox/tests/support/engine-calls.ts";
import { startReceiver, type Receiver, type Responder } from "@signalbox/tests/support/receiver.ts";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { sql } from "kysely";
import { openEngine, type Engine } from "../../engine/index.ts";
import {
  createLifecycle,
  createLog,
  createMetrics,
  createSealer,
  openOutbound,
  openWorkDatabase,
  type Database,
  type Outbound,
} from "../../platform/index.ts";
import { createDestinationOpener } from "../../webhooks/index.ts";
import { createBacklogRateLimit, type BacklogRateLimit } from "../destinations/backlog-rate-limit.ts";
import { createTripRule } from "../destinations/circuit-breaker.ts";
import { createConcurrencyLimit } from "../destinations/concurrency-limit.ts";
import { createOperatorEvents } from "../destinations/operator-events.ts";
import { enqueueWith, laneIdOf } from "../outbox/enqueue.ts";
import { createAttemptRecorder } from "./attempt-recorder.ts";
import { createCapacityWaker } from "./capacity-waker.ts";
import { commonPolicies } from "./delivery-policy.ts";
import { drainLane } from "./drain.ts";
import { claimLanes, createLaneClaimer } from "./lane-store.ts";

const sealer = createSealer([{ id: "k1", material: randomBytes(32) }]);

describe("drain", () => {
  let rows: Rows;
  let db: Database;
  let developer: Receiver;
  /** Stands where the engine's ingress is: what arrives there is what was called. */
  let ingress: Receiver;
  let engine: Engine;
  let outbound: Outbound;
  const closing = new AsyncDisposableStack();
  before(async () => {
    rows = closing.use(await openRows());
    const opened = openWorkDatabase({ url: rows.url, poolSize: 4, onError: () => undefined });
    closing.defer(() => opened.close());
    db = opened.db;
    developer = closing.use(await startReceiver());
    ingress = closing.use(await startReceiver());
    engine = openEngine({ ingressUrl: ingress.url });
    closing.defer(() => engine.close());
    outbound = openOutbound({
      allowedHosts: [],
      allowedRanges: [{ range: "127.0.0.1", port: "*" }],
      connectionLifeMs: 60_000,
    });
    closing.defer(() => outbound.close());
  });
  after(() => closing.disposeAsync());
  beforeEach(() => {
    developer.requests.length = 0;
    ingress.requests.length = 0;
    developer.respond(() => undefined);
  });

  async function newLane(messages: number) {
    const { agentId, webhookId, conversationId } = await rows.addAgent();
    const secret = `whsec_${randomBytes(32).toString("base64")}`;
    await rows.query("update webhook set url = $2, signing_secret_sealed = $3 where id = $1", [
      webhookId,
      developer.url,
      sealer.seal(secret, `webhook|${agentId}|${webhookId}|signing_secret_sealed`),
    ]);
    return addMessages({ agentId, webhookId, conversationId }, messages);
  }

  async function addMessages(
    { agentId, webhookId, conversationId }: { agentId: string; webhookId: string; conversationId: string },
    messages: number,
  ) {
    const outbox = enqueueWith(sql`accepted`, {
      agentId,
      destinationId: webhookId,
      conversationId,
      event: "message",
      sender: "ai",
      items: Array.from({ length: messages }, (_, index) => ({
        body: Buffer.from(JSON.stringify({ index })),
      })),
    });
    await sql`with accepted as (select 1), ${outbox} select 1`.execute(db);
    return { agentId, webhookId, id: laneIdOf(webhookId, conversationId) };
  }
  type Lane = Awaited<ReturnType<typeof newLane>>;

  const newLimit = () =>
    createConcurrencyLimit({ inFlightMax: 16, destinationMax: 16, liveWorkers: () => 1 });

  function drain(
    lane: Lane,
    {
      ended = new AbortController().signal,
      callId = randomUUID(),
      lifecycle = createLifecycle(),
      limit = newLimit(),
      tripRule = createTripRule(() => performance.now()),
      backlogRate = createBacklogRateLimit({ now: () => performance.now(), sleep }),
    } = {},
  ) {
    const log = createLog("silent", {});
    const recorder = createAttemptRecorder(db, log);
    const { stopping } = lifecycle;
    const shared = { db, engine, log, metrics: createMetrics() };
    const capacity = createCapacityWaker({ ...shared, limit, backlogRate });
    const events = createOperatorEvents(shared);
    const retry = {
      delaysMs: [1_000, 3_000, 10_000, 30_000, 60_000, 120_000, 300_000],
      blockedMaxMs: 900_000,
    };
    const claim = createLaneClaimer(db, log);
    const sending = {
      outbound,
      claim,
      recorder,
      limit,
      tripRule,
      capacity,
      backlogRate,
      events,
      openDestination: createDestinationOpener(sealer),
      policies: commonPolicies({ timeoutMs: 2_000, retry }),
    };
    const parts = { ...shared, ...sending, stopping };
    return drainLane(parts, { ...lane, callId, ended });
  }

  /** The developer does this when a message arrives, and then answers as usual. */
  const onArrival = (act: (sequence: number) => unknown): Responder => {
    return async ({ headers }) => {
      await act(Number(headers["signalbox-sequence"]));
      return undefined;
    };
  };
  const arrived = () => developer.requests.map(({ headers }) => Number(headers["signalbox-sequence"]));
  const calls = () =>
    callsIn(ingress.requests).map(
      ({ handler, delayMs }) => `${handler}${delayMs > 0 ? ` in ${delayMs} ms` : ""}`,
    );
  async function laneOf({ id }: Lane) {
    const [row] = await rows.query("select state, done_seq::int, tail_seq::int from lane where id = $1", [
      id,
    ]);
    return row;
  }

  it("a drain sends everything in order, batch after batch, and leaves an idle lane without a further call", async () => {
    const lane = await newLane(45);
    await drain(lane);
    assert.deepEqual(
      arrived(),
      Array.from({ length: 45 }, (_, index) => index + 1),
    );
    assert.deepEqual(await laneOf(lane), { state: "idle", done_seq: 45, tail_seq: 45 });
    assert.deepEqual(calls(), []);
  });

  it("a drain sends a backlog at the backlog rate and new messages at once", async () => {
    const seen: string[] = [];
    const backlogRate: BacklogRateLimit = {
      note: () => void seen.push("taken up"),
      acquire: () => Promise.resolve(void seen.push("turn")),
      lanesMost: () => Infinity,
    };
    await drain(await newLane(2), { backlogRate });
    assert.deepEqual(seen.splice(0), ["taken up"]);

    const woken = await newLane(2);
    await rows.query("update lane set awake_since = now() + interval '5 s' where id = $1", [woken.id]);
    await drain(woken, { backlogRate });
    assert.deepEqual(seen, ["taken up", "turn", "turn"]);
  });

  it("a drain stops at a message that fails and is called again when it is due", async () => {
    const lane = await newLane(3);
    developer.respond(({ headers }) => (headers["signalbox-sequence"] === "2" ? { status: 500 } : undefined));
    await drain(lane);
    assert.deepEqual(arrived(), [1, 2]);
    assert.deepEqual(await laneOf(lane), { state: "awake", done_seq: 1, tail_seq: 3 });
    assert.match(calls().join(), /^drain in 1[0-2]\d\d ms$/);
  });

  it("a drain that comes early sends nothing and comes back on time", async () => {
    const lane = await newLane(1);
    await rows.query("update lane set due_at = now() + interval '50 s' where id = $1", [lane.id]);
    await drain(lane);
    assert.deepEqual(arrived(), []);
    assert.match(calls().join(), /^drain in (49\d{3}|50000) ms$/);
  });

  it("a drain sends nothing after its call is cancelled or the process stops, and schedules the next", async () => {
    const controller = new AbortController();
    const given = await newLane(5);
    developer.respond(onArrival((sequence) => sequence === 2 && controller.abort()));
    await drain(given, { ended: controller.signal });
    assert.deepEqual(arrived(), [1, 2]);
    assert.deepEqual(await laneOf(given), { state: "awake", done_seq: 2, tail_seq: 5 });

    developer.requests.length = 0;
    const lifecycle = createLifecycle();
    const stopped = await newLane(5);
    developer.respond(onArrival((sequence) => sequence === 3 && lifecycle.stop()));
    await drain(stopped, { lifecycle });
    assert.deepEqual(arrived(), [1, 2, 3]);
    assert.deepEqual(calls(), ["drain", "drain"]);
  });

  it("a drain sends nothing more from a stale batch when another took over the lane", async (context) => {
    const lane = await newLane(5);
    const now = performance.now.bind(performance);
    let pausedMs = 0;
    const clock = mock.method(performance, "now", () => now() + pausedMs);
    context.after(() => clock.mock.restore());
    developer.respond(
      onArrival(async () => {
        // As after a pause of its process: the clock has moved on, and so has the lane.
        pausedMs = 6_000;
        await rows.query("update lane set held_until = now() - interval '1 s' where id = $1", [lane.id]);
        await claimLanes(db, [{ agentId: lane.agentId, laneId: lane.id, callId: randomUUID() }], 1);
      }),
    );
    await drain(lane);
    assert.deepEqual(arrived(), [1]);
    assert.deepEqual(await laneOf(lane), { state: "awake", done_seq: 0, tail_seq: 5 });
    assert.deepEqual(calls(), [], "the lane is somebody else's");
  });

  it("a drain reads a stale batch again and continues when it still holds the lane", async (context) => {
    const lane = await newLane(5);
    const now = performance.now.bind(performance);
    let pausedMs = 0;
    const clock = mock.method(performance, "now", () => now() + pausedMs);
    context.after(() => clock.mock.restore());
    developer.respond(onArrival((sequence) => sequence === 2 && (pausedMs = 6_000)));
    await drain(lane);
    assert.deepEqual(arrived(), [1, 2, 3, 4, 5]);
    const [row] = await rows.query("select fence::int from lane where id = $1", [lane.id]);
    assert.deepEqual(row, { fence: 2 });
  });

  it("a drain ends within its time and leaves the rest to the next", async (context) => {
    const lane = await newLane(5);
    const now = performance.now.bind(performance);
    let laterMs = 0;
    const clock = mock.method(performance, "now", () => now() + laterMs);
    context.after(() => clock.mock.restore());
    developer.respond(onArrival(() => (laterMs += 16_000)));
    await drain(lane);
    assert.deepEqual(arrived(), [1, 2]);
    assert.deepEqual(calls(), ["drain"]);
  });

  it("a drain gives up every message of a deleted webhook with its cause", async () => {
    const lane = await newLane(3);
    await rows.query("update webhook set deleted_at = now() where agent_id = $1", [lane.agentId]);
    await drain(lane);
    assert.deepEqual(arrived(), []);
    assert.deepEqual(await laneOf(lane), { state: "idle", done_seq: 3, tail_seq: 3 });
    const given = await rows.query(
      `select d.seq::int, d.state, a.cause from delivery d join attempt a on a.delivery_id = d.id
       where d.lane_id = $1 order by seq`,
      [lane.id],
    );
    assert.deepEqual(
      given,
      [1, 2, 3].map((seq) => ({ seq, state: "dead", cause: "no_destination" })),
    );
  });

  it("a drain retries a message with the same id and body and the next attempt number until it is delivered", async () => {
    const lane = await newLane(1);
    developer.respond(({ headers }) => (headers["signalbox-attempt"] === "3" ? undefined : { status: 503 }));
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await drain(lane);
      await rows.query("update lane set due_at = now() where id = $1", [lane.id]);
    }
    assert.deepEqual(
      developer.requests.map(({ headers }) => headers["signalbox-attempt"]),
      ["1", "2", "3"],
    );
    assert.equal(new Set(developer.requests.map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.equal(new Set(developer.requests.map(({ bodyBytes }) => bodyBytes.toString())).size, 1);
    assert.deepEqual(await laneOf(lane), { state: "idle", done_seq: 1, tail_seq: 1 });
  });

  /** Eight failures of one message, on a worker whose clock moves three seconds with each of them. */
  async function failAgainAndAgain(lane: Lane, afterFirst: () => Promise<unknown>) {
    let clockMs = 0;
    const tripRule = createTripRule(() => (clockMs += 3_000));
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      developer.respond(() => ({ status: 500 }));
      await drain(lane, { tripRule });
      developer.respond(() => undefined);
      if (attempt === 1) await afterFirst();
      await rows.query("update lane set due_at = now() where id = $1", [lane.id]);
    }
  }

  it("one failing message opens no breaker while its webhook answers other conversations, from any worker", async () => {
    const lane = await newLane(1);
    const conversationId = await rows.addConversation(lane.agentId);
    await failAgainAndAgain(lane, async () => drain(await addMessages({ ...lane, conversationId }, 1)));
    assert.deepEqual(await laneOf(lane), { state: "awake", done_seq: 0, tail_seq: 1 });
    assert.equal(developer.requests.length, 9);
  });

  it("one failing message parks its lane when its webhook has answered nothing since", async () => {
    const lane = await newLane(1);
    await failAgainAndAgain(lane, () => Promise.resolve());
    assert.deepEqual(await laneOf(lane), { state: "parked", done_seq: 0, tail_seq: 1 });
  });
});
