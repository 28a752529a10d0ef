import { parseArgs } from "node:util";
import { runCampaign } from "./campaign.ts";
import { figuresOf } from "./figures.ts";
import { VECTORS } from "./vectors.ts";

const USAGE = `usage: npm run abuse -- [--seconds N] [--minutes N] [--only VECTOR,VECTOR] [--json]
  --seconds  how long each vector is used; 60 unless --minutes is given
  --minutes  how long the whole run may take instead
  --only     these vectors alone: ${VECTORS.map(({ name }) => name).join(", ")}
  --json     the last line is the figures as one JSON object`;

const { values } = parseArgs({
  options: {
    seconds: { type: "string" },
    minutes: { type: "string" },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** Each vector has a rest of a third of its time before it; one more warms up, and one follows the last. */
const REST_SHARE = 1 / 3;
const VECTOR_TIMES = VECTORS.length + (VECTORS.length + 2) * REST_SHARE;
/** A slow answer says nothing of the service while the host serves others. */
const TRIES = 3;
/** Below the most a document holds, so that there is room to append. */
const LARGE_DOCUMENT_PAIRS = 90_000;

function readSeconds(): number {
  const seconds =
    values.minutes === undefined
      ? Number(values.seconds ?? 60)
      : (Number(values.minutes) * 60) / VECTOR_TIMES;
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  console.error(`--seconds and --minutes must be numbers above zero\n${USAGE}`);
  process.exit(2);
}

if (values.help) {
  console.log(USAGE);
} else {
  const seconds = readSeconds();
  const result = await runCampaign({
    seconds,
    restSeconds: seconds * REST_SHARE,
    pairs: LARGE_DOCUMENT_PAIRS,
    perSecond: 10,
    tries: TRIES,
    only: values.only?.split(",") ?? [],
    say: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
  });
  const { figures, faults } = figuresOf(result);
  for (const { name, p99Ms, ratio, errors } of result.vectors)
    console.log(
      `${name.padEnd(20)} p99 ${p99Ms.toFixed(0).padStart(6)} ms, ${ratio.toFixed(2)} x, ${errors.length} errors`,
    );
  console.log(`without abuse: p99 ${result.restP99Ms.toFixed(0)} ms`);
  for (const fault of faults) console.log(`failed: ${fault}`);
  if (values.json) console.log(JSON.stringify(figures));
  process.exitCode = faults.length === 0 ? 0 : 1;
}
