import { open, stat } from "node:fs/promises";
import type { SeededRandom } from "./seeded-random.ts";

/** What shows that a fault really happened, in figures. */
export type Evidence = Record<string, number | string>;

/** One way to break something. */
export type Fault = {
  kind: string;
  /** The part it breaks: faults of the same part do not overlap. */
  part: string;
  /** How often it is chosen, beside others. */
  weight: number;
  /** Breaks it, proves that it is broken, and mends it. Throws when it cannot be proven: it is then struck again. */
  strike(random: SeededRandom): Promise<Evidence>;
};

/** The faults left out of this run, and why. */
export type NotRun = { kind: string; lacks: string };

export type FaultChoice = { faults: Fault[]; notRun: NotRun[] };

export function proven(isProven: boolean, what: string): void {
  if (!isProven) throw new Error(`not proven: ${what}`);
}

/** The lines that are written to a log from now on. */
export async function followLog(file: string): Promise<() => Promise<string>> {
  const { size } = await stat(file);
  return async () => {
    const log = await open(file);
    try {
      const { size: grown } = await log.stat();
      const buffer = Buffer.alloc(Math.max(0, grown - size));
      await log.read(buffer, 0, buffer.length, size);
      return buffer.toString("utf8");
    } finally {
      await log.close();
    }
  };
}
