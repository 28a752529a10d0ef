import type { AgentSettings } from "../agents/index.ts";
import type { FoundPair } from "../knowledge/index.ts";
import { createGroupCommit } from "../platform/index.ts";
import { readKnowledge, type AgentKnowledge, type Choice, type KnowledgeParts } from "./agent-knowledge.ts";
import type { Answer, AnswerDraft, AnswerOptions, DraftOptions } from "./question-and-answer.ts";
import {
  draftAnswer,
  fallbackDraft,
  fitsWordForWord,
  MODELS_MS_MAX,
  openChat,
  type Drafted,
} from "./draft-answer.ts";
import { findInContext, needsContext } from "./follow-up.ts";
import type { KnowledgeScope } from "./knowledge-scope.ts";
import { recordOffer } from "./question-offers.ts";
import { rewriteQuestion, type Rewrite } from "./rewrite-question.ts";
import { openSearches } from "./search-ahead.ts";
import { readSmallTalk, smallTalkReply } from "./small-talk.ts";
import { addUsage, measure } from "./spending.ts";
import { speakAnswer } from "./spoken-answer.ts";
import { chosenQuestion, mayChoose } from "./suggestions.ts";
import { recordUnanswered } from "./unanswered-questions.ts";
import { usageOf } from "./usage.ts";

/** Answers questions to one agent, as it was set up when the turn began. */
export interface Answerer {
  (question: string, options: AnswerOptions): Promise<Answer>;
  /** Begins to search for a message that is still being accepted. Its answer uses what was found. */
  lookAhead: (message: string) => void;
  /** It may take seconds, and cost money. */
  asksModels: boolean;
}

/** Undefined when the agent is gone. */
export type OpenAnswering = (agentId: string) => Promise<Answerer | undefined>;

/** The name under which the agent itself speaks, beside its human service components. */
export const OWN_COMPONENT_NAME = "Answer";

/** Everything that the agent knows. */
const ALL: Choice = { most: 5 };
/** A question is searched as it was asked where its model takes longer to put it into other words. */
const REWRITE_MS_MAX = 4_000;

export function createAnswering(parts: KnowledgeParts): OpenAnswering {
  /** Turns that begin at the same moment read the settings of their agents together; none is given what was read before it asked. */
  const readTogether = createGroupCommit<string, () => AgentKnowledge | undefined>({
    groupOf: () => "",
    shareOf: (agentId) => agentId,
    write: async (_, agentIds) => {
      const open = await readKnowledge(parts, [...new Set(agentIds)]);
      return agentIds.map((agentId) => () => open(agentId));
    },
    readBack: "repeatable",
  });
  return async (agentId) => {
    const open = await readTogether(agentId);
    const opened = open();
    if (opened === undefined) return undefined;
    const searches = openSearches(opened, ALL, parts.onSpent);
    const knowledge = { ...opened, find: searches.find };
    const answer = async (message: string, options: AnswerOptions): Promise<Answer> => {
      const begun = performance.now();
      const answered = await answerForPayer(parts, knowledge, message, options);
      const { draft, used, embeddingTokens, best, asked, byItself } = answered;
      const asking = { agentId, conversationId: options.conversationId };
      await options.committed;
      // What its caller kept from the agent is no gap in what it knows.
      if (draft.outcome === "unanswered" && asked !== "" && options.within === undefined)
        await recordUnanswered(parts.db, asking, asked, best);
      if (draft.outcome === "offered" && options.within === undefined)
        await recordOffer(parts.db, asking, asked, offeredOf(draft, byItself));
      const speak = () =>
        speakAnswer(parts, asking, knowledge.models, draft.text, {
          withinMs: MODELS_MS_MAX - (performance.now() - begun),
          signal: options.signal,
        });
      const isSpoken = knowledge.models.speech !== undefined;
      const { audio, characters } = isSpoken ? await measure(parts.onSpent, "speech", speak) : await speak();
      const consumed = { chat: used, embeddingTokens, spokenCharacters: characters };
      const usage = usageOf(knowledge.models, consumed);
      return { ...draft, componentName: OWN_COMPONENT_NAME, audio, usage };
    };
    const lookAhead = (message: string) => {
      if (message.trim() !== "" && readSmallTalk(message) === undefined && !mayChoose(message))
        searches.begin(message);
    };
    return Object.assign(answer, { lookAhead, asksModels: Object.keys(knowledge.models).length > 0 });
  };
}

/** A user whose share of the agent's tokens is used up is answered without a model, as everybody is when the day's are. */
async function answerForPayer(
  parts: KnowledgeParts,
  knowledge: AgentKnowledge,
  message: string,
  options: AnswerOptions,
): Promise<DraftedOnce> {
  const { agentId, find } = knowledge;
  const { modelShare } = parts;
  const { payer } = options;
  if (payer === undefined || modelShare === undefined || Object.keys(knowledge.models).length === 0)
    return draftOnce(parts, knowledge, message, options);
  const isLeft = await modelShare.isLeft(agentId, payer);
  const asked = isLeft
    ? knowledge
    : {
        ...knowledge,
        models: {},
        find: (question: string, choice: Choice) => find(question, { ...choice, embeddingRate: 0 }),
      };
  const answered = await draftOnce(parts, asked, message, options);
  const { used, embeddingTokens } = answered;
  const tokens = (used?.promptTokens ?? 0) + (used?.completionTokens ?? 0) + embeddingTokens;
  modelShare.spend(agentId, payer, tokens);
  return answered;
}

interface DraftedOnce extends Drafted {
  /** What was looked up: the message, or the question it chose. */
  asked: string;
  best: FoundPair | undefined;
  /** Found by the message alone. What earlier messages helped to find says nothing of its words. */
  byItself: FoundPair[];
  embeddingTokens: number;
}

function offeredOf({ suggestions }: AnswerDraft, pairs: FoundPair[]): FoundPair[] {
  return suggestions.flatMap((question) => pairs.find((pair) => pair.question === question) ?? []);
}

/** Finds the words of an answer. Nothing is recorded. */
export async function draftOnce(
  parts: KnowledgeParts,
  knowledge: AgentKnowledge,
  message: string,
  options: DraftOptions,
): Promise<DraftedOnce> {
  const { settings, models, find } = knowledge;
  // Nothing but attachments: there is no question that knowledge or a model could be asked.
  if (message.trim() === "") return withoutSearch(fallbackDraft(settings, options));
  const asked = (await chosenFrom(message, options.offered)) ?? message;
  const choice = choiceOf(options.within);
  const reply = smallTalkOf(settings, message);
  // Small talk that no pair has a word of needs no model to find its meaning.
  if (reply !== undefined && (await find(asked, { ...choice, embeddingRate: 0 })).decision === "fallback")
    return withoutSearch(reply);
  const plain = await find(asked, choice);
  const [best] = plain.pairs;
  const { embeddingTokens } = plain;
  if (reply !== undefined && (best === undefined || plain.decision !== "direct"))
    return { ...withoutSearch(reply), embeddingTokens };
  const fits = fitsWordForWord(plain, asked);
  const needsPast = !fits && (models.chat !== undefined || needsContext(plain, asked));
  const said = needsPast ? ((await options.recall?.()) ?? []) : [];
  const begun = performance.now();
  const rewrite = rewriterOf(parts, knowledge, options);
  const inContext = fits ? undefined : await findInContext(find, { asked, plain, said }, choice, rewrite);
  const withinMs = MODELS_MS_MAX - (performance.now() - begun);
  const found = inContext ?? plain;
  const drafted = await draftAnswer(parts, knowledge, { asked, said }, found, { ...options, withinMs });
  return {
    ...drafted,
    used: addUsage(inContext?.used, drafted.used),
    asked,
    best,
    byItself: inContext === undefined ? plain.pairs : [],
    embeddingTokens: embeddingTokens + (inContext?.embeddingTokens ?? 0),
  };
}

/** Undefined where no model could. */
function rewriterOf(
  parts: KnowledgeParts,
  knowledge: AgentKnowledge,
  { signal }: DraftOptions,
): Rewrite | undefined {
  const chat = openChat(parts, knowledge, REWRITE_MS_MAX);
  if (chat === undefined) return undefined;
  return (asked, said) =>
    measure(
      parts.onSpent,
      "rewrite",
      () => rewriteQuestion(chat, asked, said, signal),
      ({ usage }) => usage,
    );
}

function withoutSearch(draft: AnswerDraft): DraftedOnce {
  return { draft, used: undefined, asked: "", best: undefined, byItself: [], embeddingTokens: 0 };
}

function smallTalkOf(settings: AgentSettings, message: string): AnswerDraft | undefined {
  const kind = readSmallTalk(message);
  const text = kind === undefined ? undefined : smallTalkReply(settings, kind);
  if (text === undefined) return undefined;
  return {
    text,
    branch: "direct",
    outcome: "small_talk",
    isExact: false,
    suggestions: [],
    sources: [],
    asksForPerson: false,
  };
}

async function chosenFrom(message: string, offered: DraftOptions["offered"]): Promise<string | undefined> {
  if (offered === undefined || !mayChoose(message)) return undefined;
  return chosenQuestion(message, await offered());
}

function choiceOf(within: KnowledgeScope | undefined): Choice {
  if (within === undefined) return ALL;
  const { knowledgeBaseIds, documentIds } = within;
  return { ...ALL, documentsIn: (id) => (knowledgeBaseIds.includes(id) ? "all" : documentIds) };
}
