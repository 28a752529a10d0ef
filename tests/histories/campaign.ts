import fc from "fast-check";
import { history, type History } from "./drawn-history.ts";
import { play, type Verdict } from "./history.ts";
import { MUTANTS, roomsOf } from "./mutants.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { ORIGINALS, type Rooms, type Settled } from "./world-parts.ts";

export interface Found extends Verdict {
  seed: number;
  history: History;
}

export interface Figures {
  histories: number;
  violations: number;
  mutants: number;
  mutants_caught: number;
}

const CHUNK = 50;
const SHRINK_MS = 20_000;

interface Campaign {
  count: number;
  seed: number;
  rooms?: Rooms;
}

/** Plays histories in chunks; each chunk ends at its first violation. `onChunk` may say that it is enough. */
export async function playHistories(
  database: SimulatedDatabase,
  settled: Settled,
  { count, seed, rooms = ORIGINALS }: Campaign,
  onChunk: (played: number, found: Found | undefined) => boolean = () => true,
): Promise<Found[]> {
  const all: Found[] = [];
  for (let played = 0; played < count; played += CHUNK) {
    const chunkSeed = seed + played;
    let verdict: Verdict | undefined;
    const property = fc.asyncProperty(history, async (one) => {
      verdict = await play(database, settled, one, rooms);
      return verdict.problems.length === 0;
    });
    const numRuns = Math.min(CHUNK, count - played);
    const run = await fc.check(property, { numRuns, seed: chunkSeed, endOnFailure: true });
    const failing = run.counterexample?.[0];
    const found = failing && verdict && { seed: chunkSeed, history: failing, ...verdict };
    if (found !== undefined) all.push(found);
    if (!onChunk(played + numRuns, found)) break;
  }
  return all;
}

/** The same violation with fewer rounds and actions, as far as a moment allows. */
export async function shrink(
  database: SimulatedDatabase,
  settled: Settled,
  found: Found,
  rooms: Rooms = ORIGINALS,
): Promise<Found> {
  const deadline = performance.now() + SHRINK_MS;
  let smallest = found;
  for (let isSmaller = true; isSmaller && performance.now() < deadline;) {
    isSmaller = false;
    for (const candidate of smallerThan(smallest.history)) {
      if (performance.now() > deadline) break;
      const verdict = await play(database, settled, candidate, rooms);
      if (verdict.problems.length === 0) continue;
      smallest = { ...smallest, history: candidate, ...verdict };
      isSmaller = true;
      break;
    }
  }
  return smallest;
}

function* smallerThan({ rounds, ...rest }: History): Generator<History> {
  for (const index of rounds.keys()) yield { ...rest, rounds: rounds.toSpliced(index, 1) };
  for (const [index, round] of rounds.entries()) {
    if (round.setsClockBack)
      yield { ...rest, rounds: rounds.with(index, { ...round, setsClockBack: false }) };
    if (round.answerLost !== null)
      yield { ...rest, rounds: rounds.with(index, { ...round, answerLost: null }) };
    if (round.erases) yield { ...rest, rounds: rounds.with(index, { ...round, erases: false }) };
    if (round.crash !== null) yield { ...rest, rounds: rounds.with(index, { ...round, crash: null }) };
    for (const at of round.actions.keys())
      if (round.actions.length > 1)
        yield { ...rest, rounds: rounds.with(index, { ...round, actions: round.actions.toSpliced(at, 1) }) };
  }
}

const HISTORIES_OF_A_SEED = 25;
const SCHEDULES_OF_A_WITNESS = 10;

/** Every mutant must be found out, by its witness or else within HISTORIES_OF_A_SEED histories of another seed. */
export async function huntMutants(
  database: SimulatedDatabase,
  settled: Settled,
  { count, seed }: { count: number; seed: number },
): Promise<{ name: string; caught: string | undefined }[]> {
  const results: { name: string; caught: string | undefined }[] = [];
  for (const mutant of MUTANTS) {
    const rooms = await roomsOf(mutant);
    const hunt = async (histories: { count: number; seed: number }) => {
      const campaign = { ...histories, rooms };
      const [found] = await playHistories(database, settled, campaign, (_, one) => one === undefined);
      return found?.problems[0];
    };
    const { witness } = mutant;
    const byWitness =
      typeof witness === "number"
        ? await hunt({ count: HISTORIES_OF_A_SEED, seed: witness })
        : await playInSchedules(database, settled, witness, rooms);
    results.push({ name: mutant.name, caught: byWitness ?? (await hunt({ count, seed })) });
  }
  return results;
}

/** One order of its steps after another: which statement waits for which depends on the machine as well. */
async function playInSchedules(
  database: SimulatedDatabase,
  settled: Settled,
  witness: History,
  rooms: Rooms,
): Promise<string | undefined> {
  for (let schedule = 0; schedule < SCHEDULES_OF_A_WITNESS; schedule += 1) {
    const one = { ...witness, seed: witness.seed + schedule };
    const [problem] = (await play(database, settled, one, rooms)).problems;
    if (problem !== undefined) return problem;
  }
  return undefined;
}
