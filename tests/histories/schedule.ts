import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that died at this point: whatever it had not committed is undone by the database. */
export class Crash extends Error {}

export interface Operation {
  name: string;
  /** It dies before its so-manieth step; undefined: it lives. */
  diesAt: number | undefined;
}

interface Running extends Operation {
  steps: number;
  dead: boolean;
}

interface Waiting {
  resume: () => void;
}

/** A statement that takes longer than this waits for a lock that somebody else holds. */
const BLOCKED_MS = 4;
const STUCK_MS = 20_000;

/**
 * Runs operations at the same time, one step of one of them after another, in an order drawn from a seed. A step is a
 * statement of a transaction or a call to a developer; a step that waits for a lock lets the others go on.
 */
export class Schedule {
  readonly #current = new AsyncLocalStorage<Running>();
  readonly #random: () => number;
  #waiting: Waiting[] = [];
  #together = false;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  random(): number {
    return this.#random();
  }

  /** Whoever is about to take a step waits here for its turn. */
  async step<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = this.#current.getStore();
    if (running === undefined) return work();
    running.steps += 1;
    if (running.dead || running.steps === running.diesAt) {
      running.dead = true;
      throw new Crash(running.name);
    }
    if (this.#together) await new Promise<void>((resume) => this.#waiting.push({ resume }));
    return work();
  }

  async run(operations: (Operation & { work: () => Promise<unknown> })[]): Promise<unknown[]> {
    this.#together = operations.length > 1;
    let left = operations.length;
    const ended = operations.map(({ name, diesAt, work }) =>
      this.#current
        .run({ name, diesAt, steps: 0, dead: false }, () => work())
        .catch((error: unknown) => error)
        .finally(() => {
          left -= 1;
        }),
    );
    const since = performance.now();
    while (left > 0) {
      if (performance.now() - since > STUCK_MS) throw new Error("a history is stuck");
      if (this.#waiting.length === 0) {
        await (this.#together ? sleep(0) : Promise.all(ended));
        continue;
      }
      const [next] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
      next?.resume();
      // Until somebody waits for a turn again, or the step turns out to wait for a lock.
      const begun = performance.now();
      const before = this.#waiting.length;
      while (left > 0 && this.#waiting.length === before && performance.now() - begun < BLOCKED_MS)
        await new Promise((resolve) => setImmediate(resolve));
    }
    this.#together = false;
    return Promise.all(ended);
  }
}

/** Mulberry32: small, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
