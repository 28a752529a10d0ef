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

/** A table for people; with `--json` one JSON object as the last line. */
export function report(scenario: string, figures: Record<string, number>): void {
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Math.round(value * 1000) / 1000]),
  );
  console.log(`\n${scenario}, ${new Date().toISOString().slice(0, 10)}, Node ${process.version}`);
  for (const [name, value] of Object.entries(rounded)) console.log(`  ${name.padEnd(36)} ${value}`);
  if (process.argv.includes("--json")) console.log(JSON.stringify(rounded));
}
