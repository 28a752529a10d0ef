import { createClient } from "@signalbox/sdk";
import { openBed, type Bed } from "@signalbox/tests/support/bed.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { AS_SHIPPED } from "../support/as-shipped.ts";
import { cpuMsOf } from "../support/cpu.ts";
import { report, type Figures } from "../support/report.ts";
import { randomNumbers } from "./datasets.ts";
import * as measures from "./measures.ts";
import {
  IN_SCOPE_KINDS,
  judge,
  readParaphraseSets,
  type ParaphraseQuestion,
  type ParaphraseSet,
  type ServiceReply,
  type Verdict,
} from "./paraphrase-sets.ts";

export interface ParaphraseOptions {
  directory: string;
  half: string | undefined;
  verbose: boolean;
}

const SEED = 20_261_116;

interface Judged {
  set: string;
  language: "en" | "zh";
  kind: ParaphraseQuestion["kind"];
  verdict: Verdict;
}

/**
 * Asks the running service in blocking mode, each question in a conversation of its own, with its defaults and no model; then
 * once more without the shipped synonyms, which were made in view of some sets: a set that nobody saw is nearer to that.
 */
export async function evaluateParaphrases(options: ParaphraseOptions): Promise<void> {
  const shipped = await askAll(options, { SHIPPED_SYNONYMS: "true" });
  const without = await askAll({ ...options, verbose: false }, { SHIPPED_SYNONYMS: "false" });
  report("eval of paraphrases", {
    ...summary(shipped.judged),
    cpu_ms_mean: shipped.encoderMs / shipped.judged.length,
    also: { process_cpu_ms_mean: shipped.processMs / shipped.judged.length, n: shipped.judged.length },
    without_shipped_synonyms: summary(without.judged),
    ...eachSet(shipped.judged, ""),
    ...eachSet(without.judged, " without shipped synonyms"),
    ...bySet(shipped.judged),
  });
}

interface Asked {
  judged: Judged[];
  encoderMs: number;
  processMs: number;
}

async function askAll(
  { directory, half, verbose }: ParaphraseOptions,
  environment: Record<string, string>,
): Promise<Asked> {
  const sets = await readParaphraseSets(directory);
  await using bed = await openBed({
    apis: 1,
    workers: 1,
    environment: {
      ...AS_SHIPPED,
      BUILT_IN_ENCODER: "true",
      RATE_LIMIT_PER_SECOND: "100000",
      ...environment,
    },
  });
  const pids = [bed.api().pid()];
  const asked: Asked = { judged: [], encoderMs: 0, processMs: 0 };
  for (const set of sets) {
    const ask = await teach(bed, set);
    const cpuBefore = cpuMsOf(pids);
    const encoderBefore = await encoderCpuMs(bed);
    for (const question of chosen(set.questions, half)) {
      const reply = await ask(question.text);
      const verdict = judge(set, question, reply);
      const language = set.language === "zh-CN" ? "zh" : "en";
      asked.judged.push({ set: set.name, language, kind: question.kind, verdict });
      if (verbose && verdict !== "right") tell(set, question, verdict, reply);
    }
    asked.processMs += cpuMsOf(pids) - cpuBefore;
    asked.encoderMs += (await encoderCpuMs(bed)) - encoderBefore;
  }
  return asked;
}

function chosen(questions: ParaphraseQuestion[], half: string | undefined): ParaphraseQuestion[] {
  if (half === undefined) return questions;
  const [tuning, heldOut] = measures.halves(questions, randomNumbers(SEED));
  if (half === "tuning") return tuning;
  if (half === "held-out") return heldOut;
  throw new Error("--half takes tuning or held-out");
}

/** An agent made and taught through the API; gives what asks it. */
async function teach(bed: Bed, set: ParaphraseSet): Promise<(text: string) => Promise<ServiceReply>> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const { agent_id } = await operator.agents.create({ name: set.name, language: set.language });
  const { api_key } = await operator.keys.create({ agent_id, name: "eval" });
  const client = createClient({ baseUrl: bed.baseUrl, apiKey: api_key });
  const { doc } = await client.knowledge.add({ purpose: "QA_TEXT", name: set.name, qaList: set.pairs });
  // They are made in the background. A pair that the built-in encoder cannot read counts as done.
  await eventually(
    `every pair of ${set.name} has its vector`,
    async () => {
      const [detail] = await client.knowledge.getDocuments({ data_ids: doc.map(({ doc_id }) => doc_id) });
      return detail?.pairs_with_vectors === detail?.pairs;
    },
    { timeoutMs: 300_000, everyMs: 500 },
  );
  return async (text) => {
    const { conversation_id } = await client.conversations.create({ user_id: "eval" });
    const response = await fetch(`${bed.baseUrl}/v2/conversation/message`, {
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify({
        conversation_id,
        response_mode: "blocking",
        messages: [{ role: "user", content: text }],
      }),
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    const { output } = (await response.json()) as {
      output: { from_component_branch: string; content: { text: string } }[];
    };
    const suggestions = JSON.parse(response.headers.get("signalbox-suggestions") ?? "[]") as string[];
    return {
      text: output[0]?.content.text ?? "",
      branch: output[0]?.from_component_branch ?? "",
      suggestions,
    };
  };
}

/** What the built-in encoder has taken so far, by its own metric. */
async function encoderCpuMs(bed: Bed): Promise<number> {
  const text = await (
    await fetch(`${bed.baseUrl}/metrics`, { headers: { authorization: `Bearer ${bed.operatorToken}` } })
  ).text();
  const value = /^signalbox_encoder_cpu_seconds_total (\S{1,30})$/m.exec(text)?.[1];
  return Number(value ?? 0) * 1000;
}

function summary(judged: Judged[]): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const language of ["en", "zh"] as const) {
    const asked = judged.filter((one) => one.language === language);
    if (asked.length === 0) continue;
    for (const [name, value] of Object.entries(shares(asked))) figures[`${language}_${name}`] = value;
  }
  figures["small_talk_handled"] = share(
    judged.filter(({ kind }) => kind === "small_talk"),
    "handled",
  );
  return figures;
}

/** One line a set, for a table of sets side by side. */
function eachSet(judged: Judged[], suffix: string): Figures {
  const sets = Map.groupBy(judged, ({ set }) => set);
  return Object.fromEntries([...sets].map(([name, asked]) => [`${name}${suffix}`, shares(asked)]));
}

function shares(asked: Judged[]): Record<string, number> {
  const inScope = asked.filter(isInScope);
  const outOfScope = asked.filter(({ kind }) => kind === "out_of_scope");
  return {
    right: share(inScope, "right"),
    right_or_offered: share(inScope, "right", "offered"),
    wrong: share(inScope, "wrong"),
    out_of_scope_answered: share(outOfScope, "wrong"),
    out_of_scope_offered: share(outOfScope, "offered_other"),
  };
}

function bySet(judged: Judged[]): Figures {
  const groups = Map.groupBy(judged, ({ set, kind }) => `${set} ${kind}`);
  return Object.fromEntries(
    [...groups].map(([name, asked]) => {
      const verdicts = Map.groupBy(asked, ({ verdict }) => verdict);
      return [name, Object.fromEntries([...verdicts].map(([verdict, some]) => [verdict, some.length]))];
    }),
  );
}

function isInScope({ kind }: Judged): boolean {
  return (IN_SCOPE_KINDS as readonly string[]).includes(kind);
}

function share(asked: Judged[], ...verdicts: Verdict[]): number {
  return asked.filter(({ verdict }) => verdicts.includes(verdict)).length / Math.max(1, asked.length);
}

function tell(
  set: ParaphraseSet,
  { text, expects, kind }: ParaphraseQuestion,
  verdict: Verdict,
  { text: said, suggestions }: ServiceReply,
): void {
  const wanted = expects === null ? "nothing" : set.pairs[expects]?.question;
  const offered = suggestions.length === 0 ? "" : ` | offered: ${suggestions.join(" / ")}`;
  console.error(
    `${set.name} ${kind} ${verdict}: ${text} | wanted: ${wanted} | said: ${said.slice(0, 80)}${offered}`,
  );
}
