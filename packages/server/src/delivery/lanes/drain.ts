import { objectKey, type Engine, type Work } from "../../engine/index.ts";
import { newId, type Database, type Log, type Metrics, type Outbound } from "../../platform/index.ts";
import type { Destination, DestinationRow, OpenDestination } from "../../webhooks/index.ts";
import { causeOf, isAlive } from "../attempts/attempt-outcome.ts";
import { attempt, type Attempted } from "./attempt.ts";
import type { NextStep } from "../attempts/retry-schedule.ts";
import type { BacklogRateLimit } from "../destinations/backlog-rate-limit.ts";
import {
  closeBreaker,
  openBreaker,
  scheduleNextProbe,
  type TripRule,
} from "../destinations/circuit-breaker.ts";
import type { ConcurrencyLimit } from "../destinations/concurrency-limit.ts";
import { answersOthers } from "../destinations/destination-store.ts";
import type { OperatorEvents } from "../destinations/operator-events.ts";
import { HOLD_MS } from "../outbox/lane-hold.ts";
import type { AttemptRecorder } from "./attempt-recorder.ts";
import type { CapacityWaker } from "./capacity-waker.ts";
import type { DeliveryPolicies } from "./delivery-policy.ts";
import {
  releaseLane,
  renewHold,
  type Claim,
  type ClaimResult,
  type LaneClaimer,
  type PendingDelivery,
} from "./lane-store.ts";
import { logSettled } from "./log-settled.ts";
import { parkForCapacity, parkIfBreakerOpen } from "./parking.ts";
import { reachOf } from "./reach.ts";
import type { Settled, Settlement } from "./settle.ts";

export interface DrainParts {
  db: Database;
  engine: Engine;
  outbound: Outbound;
  claim: LaneClaimer;
  recorder: AttemptRecorder;
  limit: ConcurrencyLimit;
  tripRule: TripRule;
  capacity: CapacityWaker;
  backlogRate: BacklogRateLimit;
  events: OperatorEvents;
  openDestination: OpenDestination;
  log: Log;
  metrics: Metrics;
  policies: DeliveryPolicies;
  stopping: AbortSignal;
}

/** Short enough that any worker can be stopped, and that another version of this code can take over. */
const DRAIN_MS = 30_000;
/** A batch read longer ago than this may have been delivered by somebody else, or its webhook changed: read again. */
const BATCH_MS = 1_000;
const BACKLOG_AFTER_MS = 1_000;
const RENEW_EVERY_MS = HOLD_MS / 3;

/**
 * `more`: there may be more to send. `rest`: idle, parked or waiting for its time. `no_capacity`: parked until another lane
 * rests. `lost`: another drain has the lane.
 */
type BatchEnd = "more" | "rest" | "no_capacity" | "lost" | "out_of_time";

interface Batch {
  agentId: string;
  laneId: string;
  claim: Claim;
  destination: Destination | undefined;
}

/** Drains a lane for a call: as it finds it, or as it has claimed it already. */
export type DrainLane = (work: Work, claim?: Claim) => Promise<void>;

/** Sends what waits in one lane, in order, until it is idle, has to wait, or time is up. */
export async function drainLane(
  parts: DrainParts,
  { agentId, id, callId, ended }: Work,
  claimed?: Claim,
): Promise<void> {
  const { db, engine, backlogRate, capacity, stopping } = parts;
  const key = objectKey(agentId, id);
  const begun = performance.now();
  const isOutOfTime = () => ended.aborted || stopping.aborted || performance.now() - begun > DRAIN_MS;

  for (let held = claimed; ; held = undefined) {
    const result: ClaimResult =
      held === undefined
        ? await parts.claim({ agentId, laneId: id, callId })
        : { kind: "claimed", claim: held };
    if (result.kind === "nothing") return;
    if (result.kind === "early") {
      await engine.send("lane", "drain", key, result.byMs);
      return;
    }
    const { claim } = result;
    backlogRate.note(claim.destinationId, claim.lateMs);
    const destination = claim.destination && openIfReadable(parts, claim, claim.destination);
    const end =
      destination !== undefined && mustWait(claim) && !isUrgentNext(parts, claim)
        ? await parkOrGoOn(parts, agentId, id, claim)
        : await sendWhileHeld(parts, { agentId, laneId: id, claim, destination }, isOutOfTime);
    if (end === "rest") capacity.onLaneIdle(agentId, claim.destinationId);
    if (end === "rest" || end === "no_capacity" || end === "lost") return;
    if (end === "more" && !isOutOfTime()) continue;
    // The next call is another: it need not wait for this one's hold to end.
    await releaseLane(db, agentId, id, claim);
    await engine.send("lane", "drain", key);
    return;
  }
}

/** The breaker is open, and this lane is not the one that probes. */
function mustWait({ breaker, trying }: Claim): boolean {
  return breaker !== "closed" && !trying;
}

/** It waited for its destination before its lane was woken, and not only for this worker. */
function isBacklog({ awakeSince }: Claim, delivery: PendingDelivery): boolean {
  return awakeSince.getTime() - delivery.createdAt.getTime() > BACKLOG_AFTER_MS;
}

/** Time in which it was not meant to go out is no lag. */
function lagSeconds({ now, notBefore }: Claim, { createdAt }: PendingDelivery): number {
  const since = Math.max(createdAt.getTime(), notBefore?.getTime() ?? 0);
  return (now().getTime() - since) / 1000;
}

function isUrgentNext({ policies }: DrainParts, { deliveries: [next] }: Claim): boolean {
  return next !== undefined && policies[next.event].isUrgent;
}

/** A secret that no key opens is the operator's to mend: its messages wait their time like those of any other failure. */
function openIfReadable(
  { openDestination, log }: DrainParts,
  { now, destinationId }: Claim,
  row: DestinationRow,
): Destination | undefined {
  try {
    return openDestination(row, now());
  } catch (error) {
    log.error("webhook_secret_unreadable", { err: error, destinationId });
    return undefined;
  }
}

async function parkOrGoOn(
  { db }: DrainParts,
  agentId: string,
  laneId: string,
  claim: Claim,
): Promise<BatchEnd> {
  return (await parkIfBreakerOpen(db, agentId, laneId, claim)) ? "rest" : "more";
}

async function sendBatch(parts: DrainParts, batch: Batch, isOutOfTime: () => boolean): Promise<BatchEnd> {
  const { claim } = batch;
  const readAt = performance.now();
  // One outcome may be on its way to the disk while the next message is on its way to the developer.
  let recording: Promise<Settled> | undefined;
  let doneSeq = claim.doneSeq;
  let blockedForMs = claim.blockedForMs;

  for (const delivery of claim.deliveries) {
    const stale = performance.now() - readAt > BATCH_MS;
    if (stale || isOutOfTime()) {
      if ((await recording)?.held === false) return "lost";
      return stale ? "more" : "out_of_time";
    }
    const attempted = await attemptOne(parts, batch, delivery);
    if ((await recording)?.held === false) return "lost";
    if (attempted === "no_capacity") return restForCapacity(parts, batch);
    const tripped = noteAttempt(parts, batch, attempted);
    const facts = { number: delivery.attempts + 1, blockedForMs, jitter: Math.random() };
    const policy = parts.policies[delivery.event];
    const urgent = policy.isUrgent;
    const step = policy.nextStep(attempted.outcome, facts, claim.destination);
    recording = record(parts, batch, delivery, attempted, step);
    // It is awaited after the next attempt; until then a failure must not count as unhandled.
    recording.catch(() => undefined);
    if (step.do === "finish") parts.metrics.deliveryLagSeconds.observe(lagSeconds(claim, delivery));
    if (step.do === "give_up" && !urgent)
      await parts.events.raise({
        kind: "delivery_dead",
        ...identityOf(batch),
        deliveryId: delivery.id,
        cause: step.cause,
      });
    if (claim.trying || step.do === "retry" || step.do === "disable_destination") {
      const settled = await recording;
      return afterSetback(parts, batch, { delivery, attempted, step, tripped, urgent, settled });
    }
    doneSeq = delivery.seq;
    blockedForMs = 0;
    // Deliveries behind a call that was given up may have gone with it.
    if (step.do === "give_up" && urgent) return (await recording).held ? "more" : "lost";
  }

  const settled = await recording;
  if (settled === undefined) return "more";
  if (!settled.held) return "lost";
  return settled.tailSeq === doneSeq ? "rest" : "more";
}

/** A developer, or PostgreSQL, may take longer to answer than a silent worker holds a lane. */
async function sendWhileHeld(parts: DrainParts, batch: Batch, isOutOfTime: () => boolean): Promise<BatchEnd> {
  const { db, log } = parts;
  const { agentId, laneId, claim } = batch;
  const renew = () =>
    renewHold(db, agentId, laneId, claim).catch((error: unknown) =>
      log.debug("lease_not_renewed", { err: error, laneId }),
    );
  const renewing = setInterval(() => void renew(), RENEW_EVERY_MS);
  try {
    return await sendBatch(parts, batch, isOutOfTime);
  } finally {
    clearInterval(renewing);
  }
}

/** A place is held for the exchange itself and no longer, so that a quick destination is never short of them. */
async function attemptOne(
  parts: DrainParts,
  { agentId, claim, destination }: Batch,
  delivery: PendingDelivery,
): Promise<Attempted | "no_capacity"> {
  if (destination === undefined) {
    return nothingSent(claim.destination === undefined ? "no_destination" : "unreadable_secret");
  }
  const { limit, backlogRate, outbound, metrics } = parts;
  const policy = parts.policies[delivery.event];
  const call = { outbound, metrics, timeoutMs: policy.timeoutMs(claim.destination) };
  if (policy.isUrgent) {
    return mustWait(claim) ? nothingSent("destination_down") : attempt(call, destination, claim, delivery);
  }
  if (isBacklog(claim, delivery)) await backlogRate.acquire(destination.id);
  if (!(await limit.acquire(agentId, destination.id))) return "no_capacity";
  try {
    return await attempt(call, destination, claim, delivery);
  } finally {
    limit.release(agentId, destination.id);
  }
}

function nothingSent(kind: "no_destination" | "unreadable_secret" | "destination_down"): Attempted {
  return {
    outcome: { kind },
    durationMs: 0,
    url: undefined,
    proof: undefined,
    responseBody: undefined,
    traceparent: undefined,
  };
}

async function restForCapacity(
  { db, capacity }: DrainParts,
  { agentId, laneId, claim }: Batch,
): Promise<BatchEnd> {
  await parkForCapacity(db, agentId, laneId, claim);
  capacity.onLaneParked(claim.destinationId);
  return "no_capacity";
}

/** True when this attempt shows that the destination as a whole does not answer. */
function noteAttempt(
  { limit, tripRule }: DrainParts,
  { laneId, destination }: Batch,
  { outcome, durationMs }: Attempted,
): boolean {
  if (destination === undefined || outcome.kind === "destination_down") return false;
  const attempt = { isAlive: isAlive(outcome), laneId, latencyMs: durationMs };
  limit.note(destination.id, attempt);
  return tripRule.note(destination.id, attempt);
}

/** The message failed, or was its destination's try: what is to be done about the lane and about the destination. */
async function afterSetback(
  parts: DrainParts,
  batch: Batch,
  {
    delivery,
    attempted,
    step,
    tripped,
    urgent,
    settled,
  }: {
    delivery: PendingDelivery;
    attempted: Attempted;
    step: NextStep;
    tripped: boolean;
    urgent: boolean;
    settled: Settled;
  },
): Promise<BatchEnd> {
  const { db, engine } = parts;
  const { agentId, laneId, claim, destination } = batch;
  if (destination === undefined) return "more";
  const identity = { agentId, destinationId: destination.id, url: destination.url };
  const askedMs = attempted.outcome.kind === "refused" ? (attempted.outcome.retryAfterMs ?? 0) : 0;
  if (step.do === "disable_destination") await openBreaker(parts, identity, "disabled", 0);
  else if (claim.trying && isAlive(attempted.outcome)) await closeBreaker(parts, identity);
  else if (claim.trying) await scheduleNextProbe(parts, identity, askedMs);
  else if (tripped && !(await answersOthers(db, identity, laneId, delivery)))
    await openBreaker(parts, identity, "open", askedMs);

  if (!settled.held) return "lost";
  if (step.do === "finish" || step.do === "give_up") return "more";
  if (!urgent && (await parkIfBreakerOpen(db, agentId, laneId, claim))) return "rest";
  if (step.do === "retry") await engine.send("lane", "drain", objectKey(agentId, laneId), step.inMs);
  return "rest";
}

function identityOf({ agentId, claim }: Batch): { agentId: string; destinationId: string } {
  return { agentId, destinationId: claim.destinationId };
}

async function record(
  parts: DrainParts,
  { agentId, laneId, claim }: Batch,
  delivery: PendingDelivery,
  { outcome, durationMs, timings, url, proof, responseBody, traceparent }: Attempted,
  step: NextStep,
): Promise<Settled> {
  const number = delivery.attempts + 1;
  const cause = causeOf(outcome);
  const httpStatus = "status" in outcome ? outcome.status : undefined;
  const { id: deliveryId, seq, createdAt } = delivery;
  parts.log.debug("delivery_attempt", {
    agentId,
    laneId,
    deliveryId,
    seq,
    number,
    cause,
    httpStatus,
    durationMs,
  });
  const settlement: Settlement = {
    agentId,
    laneId,
    fence: claim.fence,
    seq,
    deliveryId,
    createdAt,
    state: step.do === "finish" ? "delivered" : step.do === "give_up" ? "dead" : "pending",
    cause: step.do === "give_up" ? step.cause : cause,
    retryInMs: step.do === "retry" ? step.inMs : 0,
    attempt: {
      id: newId(),
      number,
      durationMs,
      timings,
      cause,
      httpStatus,
      url,
      proof,
      responseBody,
      traceparent,
    },
  };
  const settled = await writeDown(parts, claim, delivery, settlement);
  if (settled.held && settlement.state !== "pending") logSettled(parts.log, claim, delivery, settlement);
  return settled;
}

async function writeDown(
  { db, recorder, policies }: DrainParts,
  { conversationId, handoffId }: Claim,
  { event, replayOf }: PendingDelivery,
  settlement: Settlement,
): Promise<Settled> {
  const policy = policies[event];
  const isReplay = replayOf !== null;
  if (policy.settle === undefined || settlement.state === "pending" || handoffId === undefined || isReplay)
    return recorder(settlement);
  return policy.settle({ conversationId, handoffId, settlement, reach: await reachOf(db, settlement) });
}
