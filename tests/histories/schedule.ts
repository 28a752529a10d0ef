import { AsyncLocalStorage } from "node:async_hooks";

/** Something that goes wrong at one step. */
export class Fault extends Error {}

/** A process that died at this point: whatever it had not committed is undone by the database. */
export class Crash extends Fault {}

/** A connection that broke after PostgreSQL committed and before it said so. The process lives on. */
export class AnswerLost extends Fault {}

export interface Operation {
  name: string;
  /** It dies before its so-manieth step; undefined: it lives. */
  diesAt: number | undefined;
  /** Its so-manieth step fails, and it lives on. */
  failsAt?: number | undefined;
  /** The answer to its first commit from this step on is lost. */
  losesAnswerFrom?: number | undefined;
}

interface Running extends Operation {
  steps: number;
  dead: boolean;
  /** The step it died before is a call to the engine. */
  diedCalling: boolean;
  hasLostAnswer: boolean;
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
  #waiting: (() => void)[] = [];
  #together = false;
  /** Somebody waits for a turn, or has ended. */
  #wake: () => void = () => undefined;

  constructor(seed: number) {
    this.#random = randomFrom(seed);
  }

  random(): number {
    return this.#random();
  }

  /** Whether the running process died on the way. */
  isDead(): boolean {
    return this.#current.getStore()?.dead === true;
  }

  /** Whether the running process died when it called the engine, which its own code may not notice. */
  hasDiedCalling(): boolean {
    return this.#current.getStore()?.diedCalling === true;
  }

  /** As a process of its own, which outlives its caller. */
  apart<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    return this.#current.run(begun({ name, diesAt: undefined }), work);
  }

  /** Whether the answer to a commit of the operation that asks was lost. */
  hasLostAnswer(): boolean {
    return this.#current.getStore()?.hasLostAnswer === true;
  }

  /** Asked after each commit: whether its answer is lost. */
  losesAnswer(): boolean {
    const running = this.#current.getStore();
    if (running?.losesAnswerFrom === undefined || running.hasLostAnswer) return false;
    if (running.steps < running.losesAnswerFrom) return false;
    running.hasLostAnswer = true;
    return true;
  }

  /** A process that is about to take a step waits here for its turn. */
  async step<Result>(work: () => Promise<Result>, isCall = false): Promise<Result> {
    const running = this.#current.getStore();
    if (running === undefined) return work();
    running.steps += 1;
    if (running.dead || running.steps === running.diesAt) {
      running.diedCalling ||= isCall && !running.dead;
      running.dead = true;
      throw new Crash(running.name);
    }
    if (running.steps === running.failsAt) throw new Fault(running.name);
    if (this.#together) {
      await new Promise<void>((resume) => {
        this.#waiting.push(resume);
        this.#wake();
      });
    }
    return work();
  }

  async run(operations: (Operation & { work: () => Promise<unknown> })[]): Promise<unknown[]> {
    this.#together = operations.length > 1;
    let left = operations.length;
    const ended = operations.map(({ work, ...operation }) =>
      this.#current
        .run(begun(operation), () => work())
        .catch((error: unknown) => error)
        .finally(() => {
          left -= 1;
          this.#wake();
        }),
    );
    const since = performance.now();
    while (this.#together && left > 0) {
      if (performance.now() - since > STUCK_MS) throw new Error("a history is stuck");
      const [next] = this.#waiting.splice(Math.floor(this.#random() * this.#waiting.length), 1);
      next?.();
      // Until somebody waits for a turn again, or the step turns out to wait for a lock.
      await this.#somethingHappens();
    }
    this.#together = false;
    // What nobody waited for, such as a call to the engine, happens now.
    for (const resume of this.#waiting.splice(0)) resume();
    return Promise.all(ended);
  }

  #somethingHappens(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, BLOCKED_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function begun(operation: Operation): Running {
  return { ...operation, steps: 0, dead: false, diedCalling: false, hasLostAnswer: false };
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
