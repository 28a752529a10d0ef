import { parseArgs } from "node:util";
import { runResources } from "./campaign.ts";
import { resourceFigures } from "./figures.ts";

const USAGE = `usage: npm run resources -- [--minutes N] [--per-second N] [--seed N] [--json]
  --minutes     how long requests are sent; 5 unless given
  --per-second  how many; 60 unless given
  --seed        repeats a run: the same seed gives the same requests
  --json        the last line is the figures as one JSON object`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string" },
    "per-second": { type: "string" },
    seed: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const SECONDS_PER_ROUND = 30;
const PROBES = 80;

function readNumber(name: "minutes" | "per-second" | "seed", otherwise: number): number {
  const value = Number(values[name] ?? otherwise);
  if (Number.isFinite(value) && value > 0) return value;
  console.error(`--${name} must be a number above zero\n${USAGE}`);
  process.exit(2);
}

if (values.help) {
  console.log(USAGE);
} else {
  const rounds = Math.max(2, Math.round((readNumber("minutes", 5) * 60) / SECONDS_PER_ROUND));
  const result = await runResources({
    seed: readNumber("seed", Math.floor(Math.random() * 1_000_000)),
    rounds,
    secondsPerRound: SECONDS_PER_ROUND,
    probes: PROBES,
    perSecond: readNumber("per-second", 60),
    say: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  const { figures, faults } = resourceFigures(result);
  for (const fault of faults) console.log(`failed: ${fault}`);
  if (values.json) console.log(JSON.stringify(figures));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
