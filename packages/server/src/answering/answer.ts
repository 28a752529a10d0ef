import { zeroUsage, type OutputItem, type Usage } from "@signalbox/contract";
import type { AgentSettings } from "../agents/index.ts";
import type { FoundPair } from "../knowledge/index.ts";
import { openChatModel, type ModelUsage } from "../platform/index.ts";
import { openKnowledge, type AgentKnowledge, type Choice, type KnowledgeParts } from "./agent-knowledge.ts";
import { answerFromPairs } from "./grounded-answer.ts";
import type { KnowledgeScope } from "./knowledge-scope.ts";
import { speakAnswer } from "./spoken-answer.ts";
import { isSameScript } from "./script.ts";
import { branchOf, type Thresholds } from "./thresholds.ts";
import { recordUnanswered } from "./unanswered-questions.ts";
import { usageOf } from "./usage.ts";

export interface Answer {
  text: string;
  branch: "direct" | "model" | "fallback";
  componentName: string;
  /** The model called its tool for a person. */
  asksForPerson: boolean;
  /** The same aloud, where the agent speaks. */
  audio: OutputItem["content"]["audio"];
  usage: Usage;
}

/** For whoever hears an answer while it comes about. */
export interface Hearing {
  /** Each piece of text, as soon as it is there. Only what comes back at the end was held against its sources as a whole. */
  onText: (text: string) => void;
  signal: AbortSignal;
}

/** One thing that was said before the question. */
export interface Said {
  who: "user" | "agent" | "person";
  text: string;
}

export interface AnswerOptions {
  /** In which the question was asked. */
  conversationId: string;
  hearing?: Hearing;
  /** What was said lately, oldest first: asked for only where a model would read it. */
  recall?: () => Promise<Said[]>;
  /** There are people who could take over, so that the model may ask for one. */
  offersPerson?: boolean;
  /** Where the answer is looked for; in all that the agent knows when left out. */
  within?: KnowledgeScope | undefined;
}

/** Answers questions to one agent, as it was set up when the turn began. */
export type Answerer = (question: string, options: AnswerOptions) => Promise<Answer>;

/** Undefined when the agent is gone. */
export type OpenAnswering = (agentId: string) => Promise<Answerer | undefined>;

/** The name under which the agent itself speaks, beside its human service components. */
export const OWN_COMPONENT_NAME = "Answer";

const FALLBACK_TEXTS: Record<AgentSettings["language"], string> = {
  en: "I have no answer to that yet. Please try to ask in other words.",
  "zh-CN": "这个问题我暂时还没有答案，请换一种说法再试试。",
};

const PAIRS_CONSIDERED = 5;
/** A turn may hold its conversation no longer than this for one answer, whichever models have a part in it. */
const MODELS_MS_MAX = 25_000;

export function createAnswering(parts: KnowledgeParts): OpenAnswering {
  return async (agentId) => {
    const knowledge = await openKnowledge(parts, agentId);
    if (knowledge === undefined) return undefined;
    return async (asked, options) => {
      // Nothing but attachments: there is no question that knowledge or a model could be asked.
      if (asked.trim() === "") return unspoken(fallback(knowledge.settings));
      const begun = performance.now();
      const asking = { agentId, conversationId: options.conversationId };
      const choice = choiceOf(options.within);
      const question = await knowledge.read(asked);
      const pairs = await knowledge.find(question, choice);
      const plain: Found = { pairs, thresholds: question.thresholds, isInContext: false };
      const needsModel = knowledge.models.chat !== undefined && !fitsWordForWord(plain, asked);
      const said = needsModel ? ((await options.recall?.()) ?? []) : [];
      const inContext = isFallback(plain) ? await findInContext(knowledge, asked, said, choice) : undefined;
      const { decision, used } = await decide(parts, knowledge, { asked, said }, inContext ?? plain, options);
      // What its caller kept from the agent is no gap in what it knows.
      if (decision.branch === "fallback" && options.within === undefined)
        await recordUnanswered(parts.db, asking, asked, pairs[0]);
      const embeddingTokens = question.embeddingTokens + (inContext?.embeddingTokens ?? 0);
      const { audio, characters } = await speakAnswer(parts, asking, knowledge.models, decision.text, {
        withinMs: MODELS_MS_MAX - (performance.now() - begun),
        signal: options.hearing?.signal,
      });
      const consumed = { chat: used, embeddingTokens, spokenCharacters: characters };
      const usage = usageOf(knowledge.models, consumed);
      return { ...decision, componentName: OWN_COMPONENT_NAME, audio, usage };
    };
  };
}

function unspoken(decision: Decided["decision"]): Answer {
  return { ...decision, componentName: OWN_COMPONENT_NAME, audio: [], usage: zeroUsage() };
}

function choiceOf(within: KnowledgeScope | undefined): Choice {
  const most = PAIRS_CONSIDERED;
  if (within === undefined) return { most };
  const { knowledgeBaseIds, documentIds } = within;
  return { most, documentsIn: (id) => (knowledgeBaseIds.includes(id) ? "all" : documentIds) };
}

interface Found {
  pairs: FoundPair[];
  thresholds: Thresholds;
  /** Found by the question together with the one before it: a model may make something of it, word for word it answers nothing. */
  isInContext: boolean;
}

function isFallback({ pairs: [best], thresholds }: Found): boolean {
  return best === undefined || branchOf(best.score, thresholds) === "fallback";
}

/** A direct answer in another language than the question is one the model can still put into words. */
function fitsWordForWord({ pairs: [best], thresholds, isInContext }: Found, asked: string): boolean {
  if (best === undefined || isInContext || branchOf(best.score, thresholds) !== "direct") return false;
  return isSameScript(asked, best.answer);
}

/** "And on Sundays?" finds nothing by itself: it is looked up once more, together with what the user had asked before. */
async function findInContext(
  knowledge: AgentKnowledge,
  asked: string,
  said: Said[],
  choice: Choice,
): Promise<(Found & { embeddingTokens: number }) | undefined> {
  const before = said.findLast(({ who }) => who === "user");
  if (before === undefined) return undefined;
  const question = await knowledge.read(`${before.text}\n${asked}`);
  const pairs = await knowledge.find(question, choice);
  const { thresholds, embeddingTokens } = question;
  return { pairs, thresholds, isInContext: true, embeddingTokens };
}

interface Decided {
  decision: Pick<Answer, "text" | "branch" | "asksForPerson">;
  used: ModelUsage | undefined;
}

/** A pair that fits is given word for word; one that may fit is put to the model, which may only say what pairs say. */
async function decide(
  { outbound, modelQuota, log }: KnowledgeParts,
  { agentId, settings, models: { chat } }: AgentKnowledge,
  { asked, said: saidBefore }: { asked: string; said: Said[] },
  found: Found,
  options: AnswerOptions,
): Promise<Decided> {
  const { pairs, thresholds, isInContext } = found;
  const [best] = pairs;
  const branch = best === undefined ? "fallback" : branchOf(best.score, thresholds);
  if (best === undefined || branch === "fallback") return { decision: fallback(settings), used: undefined };
  if (chat === undefined || fitsWordForWord(found, asked))
    return { decision: directly(best), used: undefined };
  const withoutModel = isInContext ? fallback(settings) : directly(best);

  const timeoutMs = Math.min(chat.timeoutMs, MODELS_MS_MAX);
  const sources = pairs.filter(({ score }) => score >= thresholds.answer);
  const said = await answerFromPairs(
    openChatModel(outbound, { ...chat, timeoutMs }, modelQuota.of(agentId)),
    settings,
    { asked, said: saidBefore },
    sources,
    options,
  );
  switch (said.kind) {
    case "answered":
      return { decision: { text: said.text, branch: "model", asksForPerson: false }, used: said.usage };
    case "asks_for_person": {
      // What is said if nobody can be had after all.
      const otherwise = branch === "direct" ? withoutModel : fallback(settings);
      return { decision: { ...otherwise, asksForPerson: true }, used: said.usage };
    }
    case "no_answer":
      return { decision: branch === "direct" ? withoutModel : fallback(settings), used: said.usage };
    case "unsupported":
      log.info({ reason: said.reason }, "a model's answer was not borne out by its sources");
      return { decision: withoutModel, used: said.usage };
    case "failed":
      log.warn({ cause: said.cause, detail: said.detail }, "a model did not answer; the best pair does");
      return { decision: withoutModel, used: undefined };
  }
}

function directly({ answer }: FoundPair): Decided["decision"] {
  return { text: answer, branch: "direct", asksForPerson: false };
}

function fallback({ fallbackText, language }: AgentSettings): Decided["decision"] {
  return { text: fallbackText ?? FALLBACK_TEXTS[language], branch: "fallback", asksForPerson: false };
}
