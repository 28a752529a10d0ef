import { setTimeout as sleep } from "node:timers/promises";
import type { Interval } from "../../support/ledger.ts";
import { eventually } from "../../support/processes.ts";
import { now } from "../../support/receiver.ts";
import type { Evidence, Fault } from "./fault.ts";
import { seededRandom } from "./seeded-random.ts";
import type { SeededRandom } from "./seeded-random.ts";

export type StrikeOptions = {
  /** It ends when all three are reached. */
  minutes: number;
  faults: number;
  messages: number;
  /** Only these kinds; all when empty. */
  only: string[];
  say: (line: string) => void;
};

/** The load that faults hit. */
export type Target = {
  random: SeededRandom;
  underWay: () => number;
  accepted: () => number;
  received: () => number;
};

export type Miss = { kind: string; reason: string };

export type Struck = {
  proven: { kind: string; evidence: Evidence }[];
  /** Did not take hold; each was struck again. */
  missed: Miss[];
  /** Never took hold, however often it was struck: the run is void. */
  voided: Miss[];
  intervals: Interval[];
};

/** How many faults may overlap, if they are of different parts. */
const STRIKERS = 2;
/** A fault with less under way, or in a standstill, proves nothing. */
const UNDER_WAY_MIN = 10;
const RECEIVED_MIN = 25;
const FLOWS_AGAIN_MS = 120_000;
/** A pool does not fill while the service refuses work, say; a fault that never takes hold is broken itself. */
const TRIES_MAX = 3;
/** Counted to the fault: what was cut off by it comes back to life a moment later. */
const AFTERMATH_MS = 5_000;

/** One fault after another, each in the middle of the load; ends early when messages no longer flow after one. */
export async function strikeAll(faults: Fault[], options: StrikeOptions, target: Target): Promise<Struck> {
  const { random, underWay, accepted, received } = target;
  const { say, only } = options;
  const turns = takeTurns(
    faults.filter(({ kind }) => only.length === 0 || only.includes(kind)),
    random,
  );
  const struck: Struck = { proven: [], missed: [], voided: [], intervals: [] };
  const tries = new Map<string, number>();
  const busy = new Set<string>();
  const endsAt = now() + options.minutes * 60_000;
  let receivedByThen = 0;
  let isStalled = false;

  const count = () => struck.proven.length + busy.size;
  const isEnough = () =>
    isStalled ||
    (now() >= endsAt && !turns.owesRepeats() && count() >= options.faults && accepted() >= options.messages);
  /** When many messages are asked for beside many faults, the faults are spread over them. */
  const isAhead = () =>
    options.faults > 0 && options.messages > 0 && count() >= (options.faults * accepted()) / options.messages;
  const flows = () => received() >= receivedByThen + RECEIVED_MIN && underWay() >= UNDER_WAY_MIN;

  async function strike(fault: Fault): Promise<void> {
    const { kind } = fault;
    const dice = seededRandom(random.between(0, 2 ** 31));
    let from = now();
    try {
      await eventually("messages flow", flows, { timeoutMs: FLOWS_AGAIN_MS, everyMs: 10 }).catch((error) => {
        isStalled = true;
        throw error;
      });
      from = now();
      const evidence = { underWay: underWay(), ...(await fault.strike(dice)) };
      struck.proven.push({ kind, evidence });
      tries.delete(kind);
      say(`${kind} ${JSON.stringify(evidence)} | ${struck.proven.length} faults, ${accepted()} accepted`);
    } catch (error) {
      const tried = (tries.get(kind) ?? 0) + 1;
      tries.set(kind, tried);
      const isVoid = isStalled || tried >= TRIES_MAX;
      if (!isVoid) turns.repeat(fault);
      (isVoid ? struck.voided : struck.missed).push({ kind, reason: String(error) });
      say(`${isVoid ? "void" : "missed"}: ${kind}: ${String(error)}`);
    }
    struck.intervals.push({ from, until: now() + AFTERMATH_MS });
    receivedByThen = received();
  }

  async function strikeOn(): Promise<void> {
    while (!isEnough()) {
      const fault = isAhead() ? undefined : turns.next(busy);
      if (fault === undefined) {
        await sleep(20);
        continue;
      }
      busy.add(fault.part);
      await strike(fault);
      busy.delete(fault.part);
    }
  }
  await Promise.all(Array.from({ length: STRIKERS }, strikeOn));
  return struck;
}

type Turns = {
  next(busy: ReadonlySet<string>): Fault | undefined;
  repeat(fault: Fault): void;
  owesRepeats(): boolean;
};

/** Every kind in turn, as often as it weighs, in an order that the seed decides; of a part that is free. */
function takeTurns(faults: Fault[], random: SeededRandom): Turns {
  const round = faults.flatMap((fault) => Array.from({ length: fault.weight }, () => fault));
  const repeats: Fault[] = [];
  let waiting: Fault[] = [];
  const takeFree = (from: Fault[], busy: ReadonlySet<string>) => {
    const at = from.findIndex(({ part }) => !busy.has(part));
    return at === -1 ? undefined : from.splice(at, 1)[0];
  };
  return {
    next(busy) {
      if (waiting.length === 0) waiting = random.shuffled(round);
      return takeFree(repeats, busy) ?? takeFree(waiting, busy);
    },
    repeat: (fault) => void repeats.push(fault),
    owesRepeats: () => repeats.length > 0,
  };
}
