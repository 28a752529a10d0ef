import { appendFileSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { KINDS, runCampaign } from "./campaign/campaign.ts";
import { privateDirectory, runOnPrivateMachine, whyNoPrivateMachine } from "../support/private-machine.ts";
import { addFigures, complaintsOf, describeResult, figuresOf } from "./campaign/result.ts";
import type { Figures } from "./campaign/result.ts";

const USAGE = `usage: npm run faults -- [--kinds parts|cluster] [--minutes N] [--faults N] [--messages N] [--seed N] [--only KIND,KIND] [--record FILE] [--json]
       npm run faults -- --total FILE [--json]
  --kinds     parts that come back (the default), or the machines of a cluster
  --minutes   break things for at least so long; 3 unless something else is given
  --faults    and until this number of faults is proven
  --messages  and until this number of messages was accepted
  --seed      repeats the choices of a run; what they meet depends on the machine
  --only      these kinds of faults alone
  --record    adds the figures to a file, one line a run
  --total     runs nothing and adds up such a file
  --json      the last line is the figures as one JSON object`;

const { values } = parseArgs({
  options: {
    kinds: { type: "string", default: "parts" },
    minutes: { type: "string" },
    faults: { type: "string" },
    messages: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
    record: { type: "string" },
    total: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function readNumber(name: "minutes" | "faults" | "messages" | "seed", otherwise: number): number {
  const value = Number(values[name] ?? otherwise);
  if (Number.isFinite(value) && value >= 0) return value;
  console.error(`--${name} must be a number\n${USAGE}`);
  process.exit(2);
}

function readKinds(): keyof typeof KINDS {
  const { kinds } = values;
  if (kinds === "parts" || kinds === "cluster") return kinds;
  console.error(`--kinds must be ${Object.keys(KINDS).join(" or ")}\n${USAGE}`);
  process.exit(2);
}

function conclude(figures: Figures): void {
  const complaints = complaintsOf(figures);
  const { faults_proven, accepted, lost, reordered, duplicates, voided, minutes } = figures;
  console.log(
    `${faults_proven} faults proven, ${voided} void; ${accepted} messages accepted, ${lost} lost, ${reordered} reordered, ${duplicates} duplicates; ${minutes} minutes`,
  );
  for (const complaint of complaints) console.log(`failed: ${complaint}`);
  if (values.json) console.log(JSON.stringify({ ...figures, failed: complaints }));
  process.exitCode = complaints.length === 0 ? 0 : 1;
}

async function run(): Promise<void> {
  const isBounded = values.faults !== undefined || values.messages !== undefined;
  const seed = readNumber("seed", Math.floor(Math.random() * 1_000_000_000));
  console.log(`seed ${seed}`);
  const result = await runCampaign({
    seed,
    kinds: readKinds(),
    minutes: readNumber("minutes", isBounded ? 0 : 3),
    faults: readNumber("faults", 0),
    messages: readNumber("messages", 0),
    only: values.only?.split(",") ?? [],
    say: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  for (const line of describeResult(result)) console.log(line);
  const figures = figuresOf(result);
  if (values.record !== undefined)
    appendFileSync(values.record, `${JSON.stringify({ at: new Date().toISOString(), seed, ...figures })}\n`);
  conclude(figures);
}

if (values.help) {
  console.log(USAGE);
} else if (values.total !== undefined) {
  const runs = readFileSync(values.total, "utf8").trim().split("\n");
  conclude(
    runs
      .map((line) => {
        const { at: _, seed: __, ...figures } = JSON.parse(line) as Figures & { at: string; seed: number };
        return figures;
      })
      .reduce(addFigures),
  );
} else if (privateDirectory() === undefined && whyNoPrivateMachine() === undefined) {
  process.exitCode = await runOnPrivateMachine(
    fileURLToPath(import.meta.url),
    process.argv.slice(2),
    (line) => console.log(line),
  );
} else {
  await run();
}
