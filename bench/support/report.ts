import { watchSteal } from "@signalbox/tests/support/machine.ts";

const stolenShare = watchSteal();

/** Figures by name; a group is figures of one kind, by size or by what stands beside them. */
export type Figures = Record<string, number | Record<string, number>>;

/** Options of a scenario, each with its default: `npm run bench -- delivery --messages 2000 --json`. */
export function readOptions<Options extends Record<string, number>>(defaults: Options): Options {
  const given = process.argv.slice(2);
  const entries = Object.entries(defaults).map(([name, fallback]) => {
    const at = given.indexOf(`--${name}`);
    const value = at < 0 ? fallback : Number(given[at + 1]);
    if (!Number.isFinite(value)) throw new Error(`--${name} takes a number`);
    return [name, value];
  });
  // Safe because every entry stands under a name of the defaults.
  return Object.fromEntries(entries) as Options;
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * A table for people; with `--json` one JSON object as the last line. Both say which share of the machine its host gave to
 * others meanwhile: above a few hundredths the figures say more of the host than of us.
 */
export function report(scenario: string, figures: Figures): void {
  const entries = Object.entries({ ...figures, stolen_share: stolenShare() }).map(
    ([name, value]): [string, Figures[string]] => [
      name,
      typeof value === "number" ? rounded(value) : roundedAll(value),
    ],
  );
  console.log(`\n${scenario}, ${new Date().toISOString().slice(0, 10)}, Node ${process.version}`);
  for (const [name, value] of entries) {
    if (typeof value === "number") print(name, value);
    else for (const [of, one] of Object.entries(value)) print(`${name} ${of}`, one);
  }
  if (process.argv.includes("--json")) console.log(JSON.stringify(Object.fromEntries(entries)));
}

function print(name: string, value: number): void {
  console.log(`  ${name.padEnd(36)} ${value}`);
}

function roundedAll(group: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(group).map(([name, value]) => [name, rounded(value)]));
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
