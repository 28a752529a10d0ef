import type { AgentSettings } from "../agents/index.ts";
import type { AnswerSource } from "@signalbox/contract";
import { writePairId, type FoundPair } from "../knowledge/index.ts";
import {
  openChatModelWithFallback,
  type ChatModel,
  type ModelFailure,
  type ModelUsage,
} from "../platform/index.ts";
import type { AgentKnowledge, Found, KnowledgeParts } from "./agent-knowledge.ts";
import { commandsModel } from "./commands.ts";
import { decide, offersOf } from "./decision.ts";
import type { FoundInContext } from "./follow-up.ts";
import { answerFromPairs } from "./grounded-answer.ts";
import type { AnswerDraft, DraftOptions, Said } from "./question-and-answer.ts";
import { isSameScript } from "./script.ts";
import { measure } from "./spending.ts";
import { suggestionsText } from "./suggestions.ts";

export interface Drafted {
  draft: AnswerDraft;
  used: ModelUsage | undefined;
}

const FALLBACK_TEXTS: Record<AgentSettings["language"], { alone: string; withDesk: string }> = {
  en: {
    alone: "I couldn't find an answer to that. Could you rephrase it?",
    withDesk:
      'I couldn\'t find an answer to that. Could you rephrase it? To reach our team, just say "talk to a person".',
  },
  "zh-CN": {
    alone: "抱歉，我没有找到相关答案。您可以换个说法再问一次吗？",
    withDesk: "抱歉，我没有找到相关答案。您可以换个说法再问一次，或者输入“转人工”联系我们的客服。",
  },
};

/** A turn may hold its conversation no longer than this for one answer, whichever models have a part in it. */
export const MODELS_MS_MAX = 25_000;

/** A direct answer in another language than the question is one the model can still put into words. */
export function fitsWordForWord({ pairs: [best], decision }: Found, asked: string): boolean {
  return best !== undefined && decision === "direct" && isSameScript(asked, best.answer);
}

/** Undefined where the agent has none. */
export function openChat(
  { outbound, modelQuota, log }: KnowledgeParts,
  { agentId, models: { chat, chat_fallback: fallback } }: AgentKnowledge,
  withinMs: number,
): ChatModel | undefined {
  if (chat === undefined) return undefined;
  const onFailed = ({ cause, detail }: ModelFailure) => log.warn("model_failed", { agentId, cause, detail });
  return openChatModelWithFallback(outbound, { chat, fallback }, modelQuota.of(agentId), {
    withinMs,
    onFailed,
  });
}

/** A pair that fits is given word for word; one that may fit is put to the model, which may only say what pairs say. */
export async function draftAnswer(
  parts: KnowledgeParts,
  knowledge: AgentKnowledge,
  question: { asked: string; said: Said[] },
  all: Found | FoundInContext,
  options: DraftOptions & { withinMs: number },
): Promise<Drafted> {
  const { settings } = knowledge;
  const chat = openChat(parts, knowledge, options.withinMs);
  const isInContext = "isInContext" in all;
  const isVerbatim = !isInContext && fitsWordForWord(all, question.asked);
  const found = chat === undefined || isVerbatim ? all : withoutCommands(settings, all);
  const { pairs, decision } = found;
  const [best] = pairs;
  const unclear = unclearDraft(settings, found, options);
  if (best === undefined || decision === "fallback") return { draft: unclear, used: undefined };
  const isAnswer = decision === "direct" || decision === "model";
  const direct = isAnswer ? answered(best.answer, decision === "direct", [best]) : unclear;
  if (chat === undefined || isVerbatim) return { draft: direct, used: undefined };
  const fallback = fallbackDraft(settings, options);
  const withoutModel = isInContext ? fallback : direct;
  if (commandsModel(question.asked)) return { draft: withoutModel, used: undefined };
  // The model has read what could be offered, and says that none of it is an answer.
  const refused = decision === "direct" ? withoutModel : fallback;

  const sources = [best, ...offersOf(found.searchedBy, pairs.slice(1), pairs.length)];
  const said = await measure(
    parts.onSpent,
    "model",
    () => answerFromPairs(chat, settings, question, sources, options),
    (result) => (result.kind === "failed" ? undefined : result.usage),
  );
  const { log } = parts;
  switch (said.kind) {
    case "answered":
      return { draft: { ...answered(said.text, false, said.cited), branch: "model" }, used: said.usage };
    case "asks_for_person":
      // What is said if nobody can be had after all.
      return { draft: { ...refused, asksForPerson: true }, used: said.usage };
    case "no_answer":
      return { draft: refused, used: said.usage };
    case "unsupported":
      log.info("model_answer_unsupported", { reason: said.reason });
      return { draft: withoutModel, used: said.usage };
    case "failed":
      // A caller that has left called it off: it has not failed.
      if (said.cause !== "called_off")
        log.warn("model_failed", { agentId: knowledge.agentId, cause: said.cause, detail: said.detail });
      return { draft: withoutModel, used: undefined };
  }
}

/**
 * A pair that gives orders to models is no source for one: it answers only its very question. The pair behind it is not
 * the one asked for: it may be offered, or be a source.
 */
function withoutCommands<Any extends Found>(settings: AgentSettings, found: Any): Any {
  const pairs = found.pairs.filter(({ question, answer }) => !commandsModel(`${question}\n${answer}`));
  if (pairs.length === found.pairs.length) return found;
  const decision = decide(settings, found.searchedBy, pairs);
  const isBest = pairs[0] === found.pairs[0];
  return { ...found, pairs, decision: isBest || decision === "fallback" ? decision : "offer" };
}

function answered(text: string, isExact: boolean, pairs: FoundPair[]): AnswerDraft {
  const sources = pairs.map(sourceOf);
  return {
    text,
    branch: "direct",
    outcome: "answered",
    isExact,
    suggestions: [],
    sources,
    asksForPerson: false,
  };
}

/** Orders to a model are for nobody to read, a source's question included. */
function sourceOf(pair: FoundPair): AnswerSource {
  const question = commandsModel(pair.question) ? null : pair.question;
  return { pair_id: writePairId(pair), doc_id: pair.documentId, question };
}

/** Questions to choose from where some are near; else the fallback. */
function unclearDraft(settings: AgentSettings, found: Found, options: DraftOptions): AnswerDraft {
  const { searchedBy, pairs, decision } = found;
  const offers = decision === "fallback" ? [] : offersOf(searchedBy, pairs).map(({ question }) => question);
  if (offers.length === 0) return fallbackDraft(settings, options);
  return {
    text: suggestionsText(settings, offers),
    branch: "fallback",
    outcome: "offered",
    isExact: false,
    suggestions: offers,
    sources: [],
    asksForPerson: false,
  };
}

export function fallbackDraft(
  { fallbackText, language }: AgentSettings,
  { offersPerson = false }: Pick<DraftOptions, "offersPerson">,
): AnswerDraft {
  const { alone, withDesk } = FALLBACK_TEXTS[language];
  const text = fallbackText ?? (offersPerson ? withDesk : alone);
  return {
    text,
    branch: "fallback",
    outcome: "unanswered",
    isExact: false,
    suggestions: [],
    sources: [],
    asksForPerson: false,
  };
}
