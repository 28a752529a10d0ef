/**
 * The rate at which this worker sends the messages of all backlogs together: as fast as it can while no other lane has
 * anything to send, and otherwise no faster than lets the other lanes be taken up in time.
 */
export interface BacklogRateLimit {
  /** A lane was taken up this late. It counts unless its own destination has a backlog. */
  note(destinationId: string, lateMs: number): void;
  /** Resolves when the next message of a destination's backlog may be sent. */
  acquire(destinationId: string): Promise<void>;
  /** More lanes of one destination would only wait for a permit. */
  lanesMost(): number;
}

/** A lane is late if it waits longer than both: this time, and this many times the usual wait without a backlog. */
const LATE_MS = 25;
const LATE_TIMES_USUAL = 3;
/** Each lane moves the usual wait by this much, towards the median. */
const USUAL_STEP_MS = 0.25;
/** After an outage of ours every lane is late for a while, which is not usual. */
const USUAL_MAX_MS = 100;
/** Some lanes are late on any machine, and a stall of PostgreSQL makes several late at once. */
const LATE_SHARE_MAX = 0.1;
/** The weight of one lane in the share that is late: about the last fifty count. */
const WEIGHT = 0.02;
const ALONE_AFTER_MS = 10_000;

/** The first rate and the lowest: a backlog that stood still would never end. */
const MIN_PER_SECOND = 50;
/** At this rate nothing is held back. */
const MAX_PER_SECOND = 10_000;
const STEP_MS = 250;
/** For each step: while nobody else is there, until somebody was late for the first time, and after that, near that pace or not. */
const GROWTH = { alone: 2, unknown: 1.25, near: 1.01, far: 1.05 };
const NEAR = { from: 0.8, to: 1.2 };
const SLOWER = 0.7;
/** The weight of one step in the recent rate: a step in which the machine stalled says little. */
const STEP_WEIGHT = 0.2;
/** Lanes due before a slowdown say nothing of the slower rate, and a stall makes many late that are all taken up after it. */
const SETTLED_AFTER_MS = 500;
const FORGOTTEN_AFTER_MS = 10_000;
const TURNS_A_LANE_PER_SECOND = 8;
/** Longer, and what a lane holds would have to be read again before it is sent. */
const WAIT_MAX_MS = 500;

export function createBacklogRateLimit({
  now,
  sleep,
}: {
  now: () => number;
  sleep: (ms: number) => Promise<unknown>;
}): BacklogRateLimit {
  let perSecond = Infinity;
  let othersLateAt: number | undefined;
  let lateShare = 0;
  let usualMs = 0;
  let sentPerSecond = 0;
  let notedAt = -Infinity;
  let turnAt = -Infinity;
  let slowedAt = -Infinity;
  let step = { begunAt: now(), turns: 0 };
  const backlogTurnAt = new Map<string, number>();

  const isForgotten = () => now() - turnAt > FORGOTTEN_AFTER_MS;
  const isSettled = () => now() - slowedAt > SETTLED_AFTER_MS;
  const hasBacklog = (destinationId: string) =>
    now() - (backlogTurnAt.get(destinationId) ?? -Infinity) <= FORGOTTEN_AFTER_MS;

  function begin(): void {
    backlogTurnAt.clear();
    perSecond = MIN_PER_SECOND;
    othersLateAt = undefined;
    lateShare = 0;
    sentPerSecond = MIN_PER_SECOND;
    step = { begunAt: now(), turns: 0 };
  }

  function growthPhase(): keyof typeof GROWTH {
    if (now() - notedAt > ALONE_AFTER_MS) return "alone";
    if (othersLateAt === undefined) return "unknown";
    const share = perSecond / othersLateAt;
    return share > NEAR.from && share < NEAR.to ? "near" : "far";
  }

  function adjust(): void {
    const passedMs = now() - step.begunAt;
    if (passedMs < STEP_MS) return;
    sentPerSecond += STEP_WEIGHT * ((step.turns * 1000) / passedMs - sentPerSecond);
    if (lateShare > LATE_SHARE_MAX) {
      othersLateAt = Math.min(perSecond, sentPerSecond);
      perSecond = Math.max(MIN_PER_SECOND, SLOWER * othersLateAt);
      lateShare = 0;
      slowedAt = now();
    } else if (isSettled()) {
      perSecond *= GROWTH[growthPhase()];
      if (perSecond > MAX_PER_SECOND) perSecond = Infinity;
    }
    step = { begunAt: now(), turns: 0 };
  }

  return {
    note(destinationId, lateMs) {
      if (hasBacklog(destinationId)) return;
      notedAt = now();
      if (!isSettled()) return;
      if (isForgotten())
        usualMs = Math.min(USUAL_MAX_MS, usualMs + (lateMs > usualMs ? USUAL_STEP_MS : -USUAL_STEP_MS));
      const isLate = lateMs > Math.max(LATE_MS, LATE_TIMES_USUAL * usualMs);
      lateShare += WEIGHT * ((isLate ? 1 : 0) - lateShare);
    },
    async acquire(destinationId) {
      if (isForgotten()) begin();
      else adjust();
      backlogTurnAt.set(destinationId, now());
      step.turns += 1;
      turnAt = Math.min(Math.max(now(), turnAt + 1000 / perSecond), now() + WAIT_MAX_MS);
      const waitMs = turnAt - now();
      if (waitMs > 0) await sleep(waitMs);
    },
    lanesMost: () => (isForgotten() ? Infinity : Math.floor(perSecond / TURNS_A_LANE_PER_SECOND)),
  };
}
