import { parseArgs } from "node:util";
import { loseAnInstallation, RESTORES } from "./restores.ts";
import { drillRolling } from "./rolling.ts";

const USAGE = `usage: npm run drills -- [--seconds N] [--only restores|rolling] [--from COMMIT] [--json]
  --seconds  traffic after each step of the rolling upgrade, at least; 10 unless something else is given
  --only     one of the two
  --from     the older version of the rolling upgrade is this commit. Otherwise it is this checkout, and the newer
             version is the same code with one more migration
  --json     the last line is the figures as one JSON object`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "10" },
    only: { type: "string" },
    from: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const seconds = Number(values.seconds);
if (values.help || !Number.isFinite(seconds) || !["restores", "rolling", undefined].includes(values.only)) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 2);
}

const say = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);
const failures: string[] = [];
const figures: Record<string, number | boolean> = {};

/** The log of a process that did not start is long. */
function reasonOf(error: unknown): string {
  return String(error).slice(-2_000);
}

async function restore(): Promise<void> {
  await using lost = await loseAnInstallation();
  let complete = 0;
  for (const kind of RESTORES) {
    const begun = performance.now();
    try {
      await lost.restore(kind);
      complete += 1;
      say(`restored from ${kind}: complete, in ${Math.round((performance.now() - begun) / 1_000)} s`);
    } catch (error) {
      failures.push(`restore from ${kind}: ${reasonOf(error)}`);
    }
  }
  Object.assign(figures, { restores: RESTORES.length, restored_complete: complete });
}

async function roll(): Promise<void> {
  const { requests, failed, rolledBack, verdict, duplicates } = await drillRolling({
    seconds,
    from: values.from,
    say,
  });
  const counts = Object.entries(verdict).map(([name, found]) => [name, found.length] as const);
  Object.assign(figures, {
    rolling_requests: requests,
    rolling_failed: failed.length,
    rollback_ok: rolledBack,
    duplicates,
    ...Object.fromEntries(counts),
  });
  failures.push(...failed.map((reason) => `request failed: ${reason}`));
  if (!rolledBack) failures.push("the older version does not run on the schema of the newer one");
  for (const [name, count] of counts) if (count > 0) failures.push(`${name}: ${count}`);
}

if (values.only !== "rolling") await restore();
if (values.only !== "restores")
  await roll().catch((error: unknown) => failures.push(`rolling: ${reasonOf(error)}`));
for (const failure of failures) console.log(`failed: ${failure}`);
if (values.json) console.log(JSON.stringify({ ...figures, failed: failures }));
process.exitCode = failures.length === 0 ? 0 : 1;
