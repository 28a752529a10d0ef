import { parseArgs } from "node:util";
import { openBed } from "../../tests/support/bed.ts";
import { ask, teach } from "./ask-service.ts";
import {
  randomNumbers,
  readBanking77,
  readClinc150,
  readDebianFaq,
  readStackFaq,
  type Dataset,
} from "./datasets.ts";
import { startEmbeddingServer } from "./embedding-server.ts";
import * as measures from "./measures.ts";

// `npm run eval -- --json`: how well questions find their answers, through the service itself.
// The data is not ours to ship; --data names the folder that holds it.

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    data: { type: "string", default: "../shared/data" },
    only: { type: "string", multiple: true },
    sample: { type: "string", default: "1" },
    "dense-sample": { type: "string", default: "5" },
    "embedding-rate": { type: "string" },
    "no-dense": { type: "boolean", default: false },
    full: { type: "boolean", default: false },
  },
});

const SEED = 20_261_115;
const EXAMPLES = 5;
const DROPPED = 0.3;
const PRECISE = 0.95;
const figures: Record<string, number> = {};

await using bed = await openBed({
  apis: 1,
  workers: 1,
  environment: { RATE_LIMIT_PER_SECOND: "100000", LOG_LEVEL: "warn" },
});
const isWanted = (name: string) => values.only === undefined || values.only.includes(name);
const every = (items: Dataset["queries"], step: string) => items.filter((_, at) => at % Number(step) === 0);

async function evaluate(
  name: string,
  dataset: Dataset,
  suffix = "",
  embeddingUrl?: string,
): Promise<measures.Asked[]> {
  const step = embeddingUrl === undefined ? values.sample : values["dense-sample"];
  const client = await teach(bed, `${name}${suffix}`, dataset, embeddingUrl);
  const rate = values["embedding-rate"] === undefined ? undefined : Number(values["embedding-rate"]);
  const asked = await ask(
    client,
    dataset,
    every(dataset.queries, step),
    embeddingUrl === undefined ? undefined : rate,
  );
  const others = dataset.outOfScope.filter((_, at) => at % Number(step) === 0).map((text) => ({ text }));
  const refused = await ask(client, dataset, others, embeddingUrl === undefined ? undefined : rate);
  note(`${name}_n${suffix}`, asked.length);
  note(`${name}_hit1${suffix}`, measures.hitRate(asked, 1));
  note(`${name}_hit5${suffix}`, measures.hitRate(asked, 5));
  note(`${name}_mrr${suffix}`, measures.meanReciprocalRank(asked));
  if (refused.length === 0) return asked;
  note(`${name}_out_n${suffix}`, refused.length);
  note(
    `${name}_auroc${suffix}`,
    measures.areaUnderCurve(
      asked.map(({ topScore }) => topScore),
      refused.map(({ topScore }) => topScore),
    ),
  );
  return [...asked, ...refused];
}

/** Thresholds are tuned on one half of the questions, and what they do is reported on the other. */
function calibrate(name: string, asked: measures.Asked[], suffix = ""): void {
  const [tuning, reported] = measures.halves(asked, randomNumbers(SEED));
  const direct = measures.lowestPreciseThreshold(tuning, PRECISE);
  const { precision, coverage } = measures.precisionAt(reported, direct);
  note(`${name}_direct_threshold${suffix}`, direct);
  note(`${name}_direct_precision${suffix}`, precision);
  note(`${name}_direct_coverage${suffix}`, coverage);
  if (asked.every(({ right }) => right !== undefined)) return;
  const answer = measures.bestAnswerThreshold(tuning);
  const { inScopeAccuracy, outOfScopeRecall } = measures.refusingAt(reported, answer);
  note(`${name}_answer_threshold${suffix}`, answer);
  note(`${name}_in_scope_accuracy${suffix}`, inScopeAccuracy);
  note(`${name}_out_of_scope_recall${suffix}`, outOfScopeRecall);
}

function note(name: string, value: number): void {
  figures[name] = Math.round(value * 10_000) / 10_000;
  console.error(`${name}: ${figures[name]}`);
}

const english: [string, () => Promise<Dataset>][] = [
  ["stackfaq", () => readStackFaq(values.data)],
  ["banking77", () => readBanking77(values.data, EXAMPLES)],
  ["clinc", () => readClinc150(values.data, EXAMPLES)],
];
note("seed", SEED);
for (const [name, read] of english) if (isWanted(name)) calibrate(name, await evaluate(name, await read()));

if (values.full && isWanted("clinc_full"))
  calibrate("clinc_full", await evaluate("clinc_full", await readClinc150(values.data, Infinity)));

for (const language of ["en", "de", "fr", "ru", "ja", "zh-cn"]) {
  const name = language.split("-")[0] ?? language;
  if (!isWanted(name)) continue;
  await evaluate(name, await readDebianFaq(values.data, language, { dropped: DROPPED, seeds: [1, 2, 3] }));
}

if (!values["no-dense"]) {
  await using server = await startEmbeddingServer();
  for (const [name, read] of english)
    if (isWanted(name)) calibrate(name, await evaluate(name, await read(), "_dense", server.url), "_dense");
}

console.log(values.json ? JSON.stringify(figures) : "done");
