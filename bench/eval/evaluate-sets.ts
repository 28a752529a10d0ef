import { openBed } from "@signalbox/tests/support/bed.ts";
import { report, type Figures } from "../support/report.ts";
import { ask, teach } from "./ask-service.ts";
import { requireData } from "./data-directory.ts";
import {
  randomNumbers,
  readBanking77,
  readClinc150,
  readDebianFaq,
  readStackFaq,
  type Dataset,
} from "./datasets.ts";
import { startEmbeddingServer } from "./embedding-server.ts";
import { evaluateHeadings, summariseHeadings } from "./headings.ts";
import * as measures from "./measures.ts";

export interface SetOptions {
  data: string | undefined;
  /** Nothing but these: stackfaq, banking77, clinc, clinc_full, en, de, fr, ru, ja, zh, headings. */
  only: string[] | undefined;
  embeddingRate: number | undefined;
  withVectors: boolean;
}

const SEED = 20_261_115;
const EXAMPLES = 5;
const DROPPED = 0.3;
const PRECISE = 0.95;
const ENGLISH = new Set(["stackfaq", "banking77", "clinc", "clinc_full", "en"]);

/** How well questions find their pairs in the public sets, through the retrieval test of the service. */
export async function evaluateSets(options: SetOptions): Promise<void> {
  const data = requireData(options.data ?? process.env["SIGNALBOX_EVAL_DATA"]);
  const figures: Record<string, number> = {};
  const also: Record<string, number> = { seed: SEED };
  await using bed = await openBed({
    apis: 1,
    workers: 1,
    environment: { RATE_LIMIT_PER_SECOND: "100000", LOG_LEVEL: "warn", BUILT_IN_ENCODER: "true" },
  });

  /** Thresholds are tuned on one half of the questions; every figure is of the other half. */
  async function evaluate(name: string, dataset: Dataset, embeddingUrl?: string): Promise<void> {
    const suffix = embeddingUrl === undefined ? "" : "_dense";
    const client = await teach(bed, `${name}${suffix}`, dataset, {
      embeddingUrl,
      isEnglish: ENGLISH.has(name),
    });
    const questions = [...dataset.queries, ...dataset.outOfScope.map((text) => ({ text }))];
    const asked = await ask(
      client,
      dataset,
      questions,
      embeddingUrl === undefined ? undefined : options.embeddingRate,
    );
    const [tuning, reported] = measures.halves(asked, randomNumbers(SEED));
    const answerable = reported.filter(measures.isInScope);
    const others = reported.filter((one) => !measures.isInScope(one));
    const scoresOf = (some: measures.Asked[]) => some.map(({ topScore }) => topScore);
    const note = (what: string, value: number) => put(also, `${name}_${what}${suffix}`, value);

    put(figures, `${name}_hit1${suffix}`, measures.hitRate(answerable, 1));
    put(
      name === "stackfaq" ? figures : also,
      `${name}_mrr${suffix}`,
      measures.meanReciprocalRank(answerable),
    );
    note("n", answerable.length);
    note("hit5", measures.hitRate(answerable, 5));
    const direct = measures.lowestPreciseThreshold(tuning, PRECISE);
    const { precision, coverage } = measures.precisionAt(reported, direct);
    note("direct_threshold", direct);
    note("direct_precision", precision);
    note("direct_coverage", coverage);
    if (others.length === 0) return;
    const answer = measures.bestAnswerThreshold(tuning);
    const { inScopeAccuracy, outOfScopeRecall } = measures.refusingAt(reported, answer);
    put(figures, `${name}_auroc${suffix}`, measures.areaUnderCurve(scoresOf(answerable), scoresOf(others)));
    note("out_of_scope_n", others.length);
    note("answer_threshold", answer);
    note("in_scope_accuracy", inScopeAccuracy);
    note("out_of_scope_recall", outOfScopeRecall);
  }

  function put(into: Record<string, number>, name: string, value: number): void {
    into[name] = Math.round(value * 10_000) / 10_000;
    console.error(`${name}: ${into[name]}`);
  }

  const english: Record<string, () => Promise<Dataset>> = {
    stackfaq: () => readStackFaq(data),
    banking77: () => readBanking77(data, EXAMPLES),
    clinc: () => readClinc150(data, EXAMPLES),
  };
  const isWanted = (name: string) => options.only?.includes(name) ?? true;

  for (const [name, read] of Object.entries(english)) if (isWanted(name)) await evaluate(name, await read());
  if (options.only?.includes("clinc_full")) await evaluate("clinc_full", await readClinc150(data, Infinity));
  for (const language of ["en", "de", "fr", "ru", "ja", "zh-cn"]) {
    const name = language.split("-")[0] ?? language;
    if (isWanted(name))
      await evaluate(name, await readDebianFaq(data, language, { dropped: DROPPED, seeds: [1, 2, 3] }));
  }
  if (isWanted("headings")) {
    const headings = await evaluateHeadings(data);
    for (const [name, value] of Object.entries(summariseHeadings(headings))) put(figures, name, value);
    for (const { format, language, precision } of headings)
      put(also, `headings_${format}_${language}_precision`, precision);
  }
  if (options.withVectors) {
    await using server = await startEmbeddingServer();
    for (const [name, read] of Object.entries(english))
      if (isWanted(name)) await evaluate(name, await read(), server.url);
  }

  const all: Figures = { ...figures, also };
  report("eval", all);
}
