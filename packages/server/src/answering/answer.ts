import type { Usage } from "@signalbox/contract";
import type { AgentSettings } from "../agents/index.ts";
import type { FoundPair } from "../knowledge/index.ts";
import { openChatModel, type ModelUsage } from "../platform/index.ts";
import { openKnowledge, type AgentKnowledge, type KnowledgeParts } from "./agent-knowledge.ts";
import { answerFromPairs } from "./grounded-answer.ts";
import { isSameScript } from "./script.ts";
import { branchOf } from "./thresholds.ts";
import { recordUnanswered } from "./unanswered-questions.ts";
import { usageOf } from "./usage.ts";

export interface Answer {
  text: string;
  branch: "direct" | "model" | "fallback";
  componentName: string;
  /** The model called its tool for a person. */
  asksForPerson: boolean;
  usage: Usage;
}

/** For whoever hears an answer while it comes about. */
export interface Hearing {
  /** Each piece of text, as soon as it is there. Only what comes back at the end was held against its sources as a whole. */
  onText: (text: string) => void;
  signal: AbortSignal;
}

export interface AnswerOptions {
  hearing?: Hearing;
  /** There are people who could take over, so that the model may ask for one. */
  offersPerson?: boolean;
}

/** Answers questions to one agent, as it was set up when the turn began. */
export type Answerer = (question: string, options?: AnswerOptions) => Promise<Answer>;

/** Undefined when the agent is gone. */
export type OpenAnswering = (agentId: string) => Promise<Answerer | undefined>;

/** The name under which the agent itself speaks, beside its human service components. */
export const OWN_COMPONENT_NAME = "Answer";

const FALLBACK_TEXTS: Record<AgentSettings["language"], string> = {
  en: "I have no answer to that yet. Please try to ask in other words.",
  "zh-CN": "这个问题我暂时还没有答案，请换一种说法再试试。",
};

const PAIRS_CONSIDERED = 5;
/** A turn may hold its conversation no longer than this for one answer. */
const MODEL_TIMEOUT_MS_MAX = 25_000;

export function createAnswering(parts: KnowledgeParts): OpenAnswering {
  return async (agentId) => {
    const knowledge = await openKnowledge(parts, agentId);
    if (knowledge === undefined) return undefined;
    return async (asked, options) => {
      const question = await knowledge.read(asked);
      const pairs = await knowledge.find(question, { most: PAIRS_CONSIDERED });
      const { decision, used } = await decide(parts, knowledge, asked, pairs, question.thresholds, options);
      if (decision.branch === "fallback") await recordUnanswered(parts.db, agentId, asked, pairs[0]);
      const usage = usageOf(knowledge.models, { chat: used, embeddingTokens: question.embeddingTokens });
      return { ...decision, componentName: OWN_COMPONENT_NAME, usage };
    };
  };
}

interface Decided {
  decision: Pick<Answer, "text" | "branch" | "asksForPerson">;
  used: ModelUsage | undefined;
}

/** A pair that fits is given word for word; one that may fit is put to the model, which may only say what pairs say. */
async function decide(
  { outbound, log }: KnowledgeParts,
  { settings, models: { chat } }: AgentKnowledge,
  asked: string,
  pairs: FoundPair[],
  thresholds: Parameters<typeof branchOf>[1],
  options: AnswerOptions | undefined,
): Promise<Decided> {
  const [best] = pairs;
  const branch = best === undefined ? "fallback" : branchOf(best.score, thresholds);
  if (best === undefined || branch === "fallback") return { decision: fallback(settings), used: undefined };
  // A direct answer in another language than the question is one the model can still put into words.
  const isReadable = isSameScript(asked, best.answer);
  if (chat === undefined || (branch === "direct" && isReadable))
    return { decision: directly(best), used: undefined };

  const timeoutMs = Math.min(chat.timeoutMs, MODEL_TIMEOUT_MS_MAX);
  const sources = pairs.filter(({ score }) => score >= thresholds.answer);
  const said = await answerFromPairs(
    openChatModel(outbound, { ...chat, timeoutMs }),
    settings,
    asked,
    sources,
    options,
  );
  switch (said.kind) {
    case "answered":
      return { decision: { text: said.text, branch: "model", asksForPerson: false }, used: said.usage };
    case "asks_for_person": {
      // What is said if nobody can be had after all.
      const otherwise = branch === "direct" ? directly(best) : fallback(settings);
      return { decision: { ...otherwise, asksForPerson: true }, used: said.usage };
    }
    case "no_answer":
      return { decision: branch === "direct" ? directly(best) : fallback(settings), used: said.usage };
    case "unsupported":
      log.info({ reason: said.reason }, "a model's answer was not borne out by its sources");
      return { decision: directly(best), used: said.usage };
    case "failed":
      log.warn({ cause: said.cause, detail: said.detail }, "a model did not answer; the best pair does");
      return { decision: directly(best), used: undefined };
  }
}

function directly({ answer }: FoundPair): Decided["decision"] {
  return { text: answer, branch: "direct", asksForPerson: false };
}

function fallback({ fallbackText, language }: AgentSettings): Decided["decision"] {
  return { text: fallbackText ?? FALLBACK_TEXTS[language], branch: "fallback", asksForPerson: false };
}
