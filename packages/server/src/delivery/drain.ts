import { objectKey, type Engine, type Work } from "../engine/index.ts";
import {
  newId,
  type Database,
  type Log,
  type Metrics,
  type Outbound,
  type Sealer,
} from "../platform/index.ts";
import { openDestination, type Destination } from "../webhooks/index.ts";
import type { AttemptRecorder } from "./attempt-recorder.ts";
import { attempt, type Attempted } from "./attempt.ts";
import { claimLane, type Claim, type PendingDelivery, type Settled } from "./lane-store.ts";
import { causeOf, nextStep, type NextStep } from "./outcome.ts";

export interface DrainParts {
  db: Database;
  engine: Engine;
  outbound: Outbound;
  recorder: AttemptRecorder;
  sealer: Sealer;
  log: Log;
  metrics: Metrics;
  timeoutMs: number;
  stopping: AbortSignal;
}

/** Rule 4.5, retries: the wait after the first failure, after the second, and so on; the last repeats. */
const RETRY_DELAYS_MS = [1_000, 3_000, 10_000, 30_000, 60_000, 120_000, 300_000];

/** Short enough that any worker can be stopped, and that another version of this code can take over. */
const DRAIN_MS = 30_000;
/** A batch read longer ago than this may have been delivered by somebody else: read again. */
const BATCH_MS = 5_000;
const BATCH_MAX = 20;

type BatchEnd = "read_again" | "idle" | "waiting" | "fenced" | "out_of_time";

/** Sends what waits in one lane, in order, until it is idle, has to wait, or time is up. */
export async function drainLane(parts: DrainParts, { agentId, id, ended }: Work): Promise<void> {
  const { db, engine, stopping } = parts;
  const begun = performance.now();
  const isOutOfTime = () => ended.aborted || stopping.aborted || performance.now() - begun > DRAIN_MS;

  for (;;) {
    const result = await claimLane(db, agentId, id, BATCH_MAX);
    if (result.kind === "nothing") return;
    if (result.kind === "early") {
      await engine.send("lane", "drain", objectKey(agentId, id), result.byMs);
      return;
    }
    const end = await sendBatch(parts, agentId, id, result.claim, isOutOfTime);
    if (end === "read_again" && !isOutOfTime()) continue;
    // Whoever took the lane over, or the reconciler, goes on; everybody else asks for the next drain.
    if (end === "out_of_time" || end === "read_again")
      await engine.send("lane", "drain", objectKey(agentId, id));
    return;
  }
}

async function sendBatch(
  parts: DrainParts,
  agentId: string,
  laneId: string,
  claim: Claim,
  isOutOfTime: () => boolean,
): Promise<BatchEnd> {
  const readAt = performance.now();
  const destination =
    claim.destination === undefined
      ? undefined
      : openDestination(claim.destination, parts.sealer, new Date());
  // One outcome may be on its way to the disk while the next message is on its way to the developer.
  let recording: Promise<Settled> | undefined;
  let doneSeq = claim.doneSeq;

  for (const delivery of claim.deliveries) {
    const stale = performance.now() - readAt > BATCH_MS;
    if (stale || isOutOfTime()) {
      if ((await recording)?.held === false) return "fenced";
      return stale ? "read_again" : "out_of_time";
    }
    const attempted = await attemptOne(parts, destination, delivery);
    if ((await recording)?.held === false) return "fenced";
    const step = nextStep(attempted.outcome, delivery.attempts + 1, RETRY_DELAYS_MS, Math.random());
    recording = record(parts, agentId, laneId, claim.fence, delivery, attempted, step);
    // It is awaited after the next attempt; until then a failure must not count as unhandled.
    recording.catch(() => undefined);
    if (step.do === "retry") {
      if (!(await recording).held) return "fenced";
      await parts.engine.send("lane", "drain", objectKey(agentId, laneId), step.inMs);
      return "waiting";
    }
    doneSeq = delivery.seq;
    if (step.do === "finish")
      parts.metrics.deliveryLagSeconds.observe((Date.now() - delivery.createdAt.getTime()) / 1000);
  }

  const settled = await recording;
  if (settled === undefined) return "read_again";
  if (!settled.held) return "fenced";
  return settled.tailSeq === doneSeq ? "idle" : "read_again";
}

async function attemptOne(
  parts: DrainParts,
  destination: Destination | undefined,
  delivery: PendingDelivery,
): Promise<Attempted> {
  if (destination === undefined) return { outcome: { kind: "no_destination" }, durationMs: 0 };
  return attempt(parts, destination, delivery);
}

function record(
  { recorder, log }: DrainParts,
  agentId: string,
  laneId: string,
  fence: number,
  delivery: PendingDelivery,
  { outcome, durationMs }: Attempted,
  step: NextStep,
): Promise<Settled> {
  const number = delivery.attempts + 1;
  const cause = causeOf(outcome);
  const httpStatus = "status" in outcome ? outcome.status : undefined;
  log.debug(
    { agentId, laneId, deliveryId: delivery.id, seq: delivery.seq, number, cause, httpStatus, durationMs },
    "attempt",
  );
  return recorder({
    agentId,
    laneId,
    fence,
    seq: delivery.seq,
    deliveryId: delivery.id,
    createdAt: delivery.createdAt,
    state: step.do === "finish" ? "delivered" : step.do === "give_up" ? "dead" : "pending",
    retryInMs: step.do === "retry" ? step.inMs : 0,
    attempt: { id: newId(), number, durationMs, cause, httpStatus },
  });
}
