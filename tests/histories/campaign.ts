import fc from "fast-check";
import { history, play, type History } from "./history.ts";
import { MUTANTS, roomsOf } from "./mutants.ts";
import type { SimulatedDatabase } from "./simulated-database.ts";
import { ORIGINALS, type Rooms, type Settled } from "./world.ts";

export interface Found {
  seed: number;
  /** The smallest history that shows it. */
  history: History;
  problems: string[];
}

export interface Figures {
  histories: number;
  violations: number;
  mutants: number;
  mutants_caught: number;
}

const CHUNK = 50;
const SHRINK_MS = 30_000;

/** Plays histories in chunks; each chunk ends at its first violation, which is then made as small as it gets. */
export async function playHistories(
  database: SimulatedDatabase,
  settled: Settled,
  { count, seed, rooms = ORIGINALS, shrinks = true }: { count: number; seed: number; rooms?: Rooms; shrinks?: boolean },
  onChunk: (played: number, found: Found | undefined) => boolean | void = () => undefined,
): Promise<Found[]> {
  const all: Found[] = [];
  for (let played = 0; played < count; played += CHUNK) {
    const chunkSeed = seed + played;
    let problems: string[] = [];
    const property = fc.asyncProperty(history, async (one) => {
      problems = await play(database, settled, one, rooms);
      return problems.length === 0;
    });
    const run = await fc.check(property, {
      numRuns: Math.min(CHUNK, count - played),
      seed: chunkSeed,
      endOnFailure: !shrinks,
      ...(shrinks ? { interruptAfterTimeLimit: SHRINK_MS + CHUNK * 1_000, markInterruptAsFailure: false } : {}),
    });
    const smallest = run.counterexample?.[0];
    const found =
      run.failed && smallest !== undefined
        ? { seed: chunkSeed, history: smallest, problems: await play(database, settled, smallest, rooms) }
        : undefined;
    if (found !== undefined) all.push(found.problems.length > 0 ? found : { ...found, problems });
    if (onChunk(Math.min(played + CHUNK, count), found) === false) break;
  }
  return all;
}

/** Every mutant must be found out within so many histories. */
export async function huntMutants(
  database: SimulatedDatabase,
  settled: Settled,
  { count, seed }: { count: number; seed: number },
): Promise<{ name: string; caught: string | undefined }[]> {
  const results: { name: string; caught: string | undefined }[] = [];
  for (const mutant of MUTANTS) {
    const rooms = await roomsOf(mutant);
    const options = { count, seed, rooms, shrinks: false };
    const [found] = await playHistories(database, settled, options, (_, violation) => violation === undefined);
    results.push({ name: mutant.name, caught: found?.problems[0] });
  }
  return results;
}

