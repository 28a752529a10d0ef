import { parseArgs } from "node:util";
import { runCampaign } from "./campaign.ts";
import { summaryOf } from "./summary.ts";

const USAGE = `usage: npm run fuzz -- [--requests N] [--minutes N] [--seed N] [--json]
  --requests  how many requests to send; 10000 unless --minutes is given
  --minutes   send for this long instead
  --seed      repeats a run: the same seed gives the same requests
  --json      the last line is the whole verdict as one JSON object`;

const { values } = parseArgs({
  options: {
    requests: { type: "string" },
    minutes: { type: "string" },
    seed: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

function readNumber(name: "requests" | "minutes" | "seed", otherwise: number): number {
  const value = Number(values[name] ?? otherwise);
  if (Number.isFinite(value) && value > 0) return value;
  console.error(`--${name} must be a number above zero\n${USAGE}`);
  process.exit(2);
}

if (values.help) {
  console.log(USAGE);
} else {
  const byTime = values.minutes !== undefined;
  const verdict = await runCampaign({
    seed: readNumber("seed", Math.floor(Math.random() * 1_000_000_000)),
    requests: readNumber("requests", byTime ? 1e9 : 10_000),
    minutes: readNumber("minutes", 60),
  });
  const { text, faults } = summaryOf(verdict);
  console.log(text);
  if (values.json) console.log(JSON.stringify({ ...verdict, faults }));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
