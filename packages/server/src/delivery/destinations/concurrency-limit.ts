/**
 * Adaptive concurrency limit for attempts on this worker (additive increase, multiplicative decrease). A destination has as many
 * in flight as its answers allow; while others wait, an agent has its fair share of the worker.
 */
export interface ConcurrencyLimit {
  /** True once there is capacity; false after a moment without: the lane then waits in PostgreSQL, at no cost. */
  acquire(agentId: string, destinationId: string): Promise<boolean>;
  release(agentId: string, destinationId: string): void;
  /** How many attempts the destination's answers allow at once, over all workers. */
  capacityOf(destinationId: string): number;
  /** Learns from an attempt. */
  note(destinationId: string, attempt: { isAlive: boolean; latencyMs: number }): void;
}

export interface ConcurrencyLimitOptions {
  /** Attempts in flight on this worker, over all destinations. */
  inFlightMax: number;
  /** Attempts in flight to one destination, over all workers. */
  destinationMax: number;
  liveWorkers: () => number;
}

interface DestinationState {
  inFlight: number;
  limit: number;
}

interface Waiter {
  agentId: string;
  destinationId: string;
  admit: (admitted: boolean) => void;
}

const LIMIT_START = 16;
const WAIT_MS = 250;
/** Slower than this, more at once would only wait longer at the other end. */
const SLOW_MS = 1_000;
const REMEMBERED_MAX = 20_000;

export function createConcurrencyLimit({
  inFlightMax,
  destinationMax,
  liveWorkers,
}: ConcurrencyLimitOptions): ConcurrencyLimit {
  const destinations = new Map<string, DestinationState>();
  const agentsInFlight = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let inFlight = 0;

  function stateOf(destinationId: string): DestinationState {
    let state = destinations.get(destinationId);
    if (state === undefined) {
      if (destinations.size >= REMEMBERED_MAX) forgetQuiet(destinations);
      state = { inFlight: 0, limit: LIMIT_START };
      destinations.set(destinationId, state);
    }
    return state;
  }

  function hasCapacity(agentId: string, destinationId: string): boolean {
    const { inFlight: toDestination, limit } = stateOf(destinationId);
    const share = Math.max(1, Math.floor(destinationMax / liveWorkers()));
    if (toDestination >= Math.min(Math.floor(limit), share)) return false;
    if (inFlight < inFlightMax) return true;
    // The worker is full: an agent below its even share still comes in, so a flood cannot keep others out.
    return (
      (agentsInFlight.get(agentId) ?? 0) < Math.floor(inFlightMax / Math.max(1, agentsInFlight.size + 1))
    );
  }

  function take(agentId: string, destinationId: string): void {
    inFlight += 1;
    stateOf(destinationId).inFlight += 1;
    agentsInFlight.set(agentId, (agentsInFlight.get(agentId) ?? 0) + 1);
  }

  /** The waiting agent with the fewest in flight goes first; within an agent it is first come, first served. */
  function admitNext(): void {
    let next: Waiter | undefined;
    let fewest = Infinity;
    for (const waiter of waiting) {
      const share = agentsInFlight.get(waiter.agentId) ?? 0;
      if (share < fewest && hasCapacity(waiter.agentId, waiter.destinationId)) {
        next = waiter;
        fewest = share;
      }
    }
    next?.admit(true);
  }

  return {
    acquire(agentId, destinationId) {
      if (waiting.size === 0 && hasCapacity(agentId, destinationId)) {
        take(agentId, destinationId);
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const waiter: Waiter = {
          agentId,
          destinationId,
          admit(admitted) {
            clearTimeout(timer);
            waiting.delete(waiter);
            if (admitted) take(agentId, destinationId);
            resolve(admitted);
          },
        };
        const timer = setTimeout(() => waiter.admit(false), WAIT_MS);
        waiting.add(waiter);
        admitNext();
      });
    },

    release(agentId, destinationId) {
      inFlight -= 1;
      stateOf(destinationId).inFlight -= 1;
      const left = (agentsInFlight.get(agentId) ?? 1) - 1;
      if (left === 0) agentsInFlight.delete(agentId);
      else agentsInFlight.set(agentId, left);
      admitNext();
    },

    capacityOf: (destinationId) =>
      Math.min(destinationMax, Math.floor(stateOf(destinationId).limit) * liveWorkers()),

    note(destinationId, attempt) {
      const state = stateOf(destinationId);
      state.limit = nextLimit(state, attempt, destinationMax);
    },
  };
}

/** Grows by one for each full round of quick answers, shrinks with slow ones, halves with failures. */
function nextLimit(
  { limit, inFlight }: DestinationState,
  { isAlive, latencyMs }: { isAlive: boolean; latencyMs: number },
  most: number,
): number {
  if (!isAlive) return Math.max(1, limit / 2);
  if (latencyMs > SLOW_MS) return Math.max(2, limit * 0.95);
  // Only a limit that is in use has shown that it may grow.
  return inFlight >= limit * 0.75 ? Math.min(most, limit + 1 / Math.max(1, limit / 8)) : limit;
}

function forgetQuiet(destinations: Map<string, DestinationState>): void {
  for (const [id, { inFlight }] of destinations) if (inFlight === 0) destinations.delete(id);
}
