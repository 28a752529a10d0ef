/** How an attempt went, as far as its destination is concerned. */
export interface Seen {
  lives: boolean;
  laneId: string;
  latencyMs: number;
}

/**
 * Lets drains through to destinations, on this worker. A destination has as many in flight as its answers allow; an agent
 * has its share of the worker when others wait. Successes are counted here and nowhere else.
 */
export interface DestinationGate {
  /** True once there is a place; false after a moment without one: the lane then waits in PostgreSQL, at no cost. */
  enter(agentId: string, destinationId: string): Promise<boolean>;
  leave(agentId: string, destinationId: string): void;
  /** How many attempts the destination's answers allow at once, over all workers. */
  placesAt(destinationId: string): number;
  /** True when this was the failure that shows that the destination as a whole does not answer. */
  note(destinationId: string, seen: Seen): boolean;
}

export interface GateOptions {
  /** Attempts in flight on this worker, over all destinations. */
  inFlightMax: number;
  /** Attempts in flight to one destination, over all workers. */
  destinationMax: number;
  liveWorkers: () => number;
  now: () => number;
}

interface DestinationState {
  inFlight: number;
  cap: number;
  failures: number;
  failingSince: number;
  failingLaneId: string | undefined;
  severalLanesFail: boolean;
}

interface Waiter {
  agentId: string;
  destinationId: string;
  admit: (admitted: boolean) => void;
}

const CAP_START = 16;
const WAIT_MS = 250;
/** Slower than this, more at once would only wait longer at the other end. */
const SLOW_MS = 1_000;
const FAILURES_TO_TRIP = 5;
const ONE_LANE_TRIPS_AFTER_MS = 10_000;
const REMEMBERED_MAX = 20_000;

export function createDestinationGate({
  inFlightMax,
  destinationMax,
  liveWorkers,
  now,
}: GateOptions): DestinationGate {
  const destinations = new Map<string, DestinationState>();
  const agentsInFlight = new Map<string, number>();
  const waiting = new Set<Waiter>();
  let inFlight = 0;

  function stateOf(destinationId: string): DestinationState {
    let state = destinations.get(destinationId);
    if (state === undefined) {
      if (destinations.size >= REMEMBERED_MAX) forgetQuiet(destinations);
      state = { inFlight: 0, cap: CAP_START, ...NO_FAILURES };
      destinations.set(destinationId, state);
    }
    return state;
  }

  function hasRoom(agentId: string, destinationId: string): boolean {
    const { inFlight: toDestination, cap } = stateOf(destinationId);
    const share = Math.max(1, Math.floor(destinationMax / liveWorkers()));
    if (toDestination >= Math.min(Math.floor(cap), share)) return false;
    if (inFlight < inFlightMax) return true;
    // The worker is full: whoever has less than an even share still comes in, so a flood cannot keep others out.
    return (
      (agentsInFlight.get(agentId) ?? 0) < Math.floor(inFlightMax / Math.max(1, agentsInFlight.size + 1))
    );
  }

  function take(agentId: string, destinationId: string): void {
    inFlight += 1;
    stateOf(destinationId).inFlight += 1;
    agentsInFlight.set(agentId, (agentsInFlight.get(agentId) ?? 0) + 1);
  }

  /** Of those who wait, the agent with the fewest in flight goes first; among its own, who came first. */
  function admitNext(): void {
    let next: Waiter | undefined;
    let fewest = Infinity;
    for (const waiter of waiting) {
      const share = agentsInFlight.get(waiter.agentId) ?? 0;
      if (share < fewest && hasRoom(waiter.agentId, waiter.destinationId)) {
        next = waiter;
        fewest = share;
      }
    }
    next?.admit(true);
  }

  return {
    enter(agentId, destinationId) {
      if (waiting.size === 0 && hasRoom(agentId, destinationId)) {
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

    leave(agentId, destinationId) {
      inFlight -= 1;
      stateOf(destinationId).inFlight -= 1;
      const left = (agentsInFlight.get(agentId) ?? 1) - 1;
      if (left === 0) agentsInFlight.delete(agentId);
      else agentsInFlight.set(agentId, left);
      admitNext();
    },

    placesAt: (destinationId) =>
      Math.min(destinationMax, Math.floor(stateOf(destinationId).cap) * liveWorkers()),

    note(destinationId, { lives, laneId, latencyMs }) {
      const state = stateOf(destinationId);
      state.cap = nextCap(state, lives, latencyMs, destinationMax);
      if (lives) {
        Object.assign(state, NO_FAILURES);
        return false;
      }
      if (state.failures === 0) state.failingSince = now();
      if (state.failingLaneId !== undefined && state.failingLaneId !== laneId) state.severalLanesFail = true;
      state.failingLaneId = laneId;
      state.failures += 1;
      const isWhole = state.severalLanesFail || now() - state.failingSince >= ONE_LANE_TRIPS_AFTER_MS;
      return state.failures >= FAILURES_TO_TRIP && isWhole;
    },
  };
}

const NO_FAILURES = { failures: 0, failingSince: 0, failingLaneId: undefined, severalLanesFail: false };

/** Grows by one for each full round of quick answers, shrinks with slow ones, halves with failures. */
function nextCap(
  { cap, inFlight }: DestinationState,
  lives: boolean,
  latencyMs: number,
  most: number,
): number {
  if (!lives) return Math.max(1, cap / 2);
  if (latencyMs > SLOW_MS) return Math.max(2, cap * 0.95);
  // Only a cap that is in use has shown that it may grow.
  return inFlight >= cap * 0.75 ? Math.min(most, cap + 1 / Math.max(1, cap / 8)) : cap;
}

function forgetQuiet(destinations: Map<string, DestinationState>): void {
  for (const [id, { inFlight }] of destinations) if (inFlight === 0) destinations.delete(id);
}
