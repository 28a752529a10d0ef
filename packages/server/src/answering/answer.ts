import type { OutputItem, Usage } from "@signalbox/contract";
import type { AgentSettings } from "../agents/index.ts";
import type { FoundPair } from "../knowledge/index.ts";
import { openKnowledge, type AgentKnowledge, type Choice, type KnowledgeParts } from "./agent-knowledge.ts";
import {
  draftAnswer,
  fallbackDraft,
  fitsWordForWord,
  MODELS_MS_MAX,
  type AnswerDraft,
  type Drafted,
} from "./draft-answer.ts";
import { findInContext, needsContext } from "./follow-up.ts";
import type { KnowledgeScope } from "./knowledge-scope.ts";
import { readSmallTalk, smallTalkReply } from "./small-talk.ts";
import { speakAnswer } from "./spoken-answer.ts";
import { chosenQuestion, mayChoose } from "./suggestions.ts";
import { recordUnanswered } from "./unanswered-questions.ts";
import { usageOf } from "./usage.ts";

export interface Answer {
  text: string;
  branch: "direct" | "model" | "fallback";
  /** Whether the user was helped: an offer and small talk are neither an answer nor a gap in what the agent knows. */
  outcome: "answered" | "offered" | "small_talk" | "unanswered";
  /** A pair asks the very thing. */
  isExact: boolean;
  /** Stored questions the user may choose from, in order. */
  suggestions: string[];
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
  /** What was said lately, oldest first: asked for only where it is needed. */
  recall?: () => Promise<Said[]>;
  /** The questions offered with the last reply: asked for only where a message may choose one. */
  offered?: () => Promise<string[]>;
  /** There are people who could take over, so that the model may ask for one. */
  offersPerson?: boolean;
  /** Where the answer is looked for; in all that the agent knows when left out. */
  within?: KnowledgeScope | undefined;
}

/** Answers questions to one agent, as it was set up when the turn began. */
export interface Answerer {
  (question: string, options: AnswerOptions): Promise<Answer>;
  /** It may take seconds, and cost money. */
  asksModels: boolean;
}

/** Undefined when the agent is gone. */
export type OpenAnswering = (agentId: string) => Promise<Answerer | undefined>;

/** The name under which the agent itself speaks, beside its human service components. */
export const OWN_COMPONENT_NAME = "Answer";

const PAIRS_CONSIDERED = 5;

export function createAnswering(parts: KnowledgeParts): OpenAnswering {
  return async (agentId) => {
    const knowledge = await openKnowledge(parts, agentId);
    if (knowledge === undefined) return undefined;
    const answer = async (message: string, options: AnswerOptions): Promise<Answer> => {
      const begun = performance.now();
      const { draft, used, embeddingTokens, best, asked } = await answerOnce(
        parts,
        knowledge,
        message,
        options,
      );
      const asking = { agentId, conversationId: options.conversationId };
      // What its caller kept from the agent is no gap in what it knows.
      if (draft.outcome === "unanswered" && asked !== "" && options.within === undefined)
        await recordUnanswered(parts.db, asking, asked, best);
      const { audio, characters } = await speakAnswer(parts, asking, knowledge.models, draft.text, {
        withinMs: MODELS_MS_MAX - (performance.now() - begun),
        signal: options.hearing?.signal,
      });
      const consumed = { chat: used, embeddingTokens, spokenCharacters: characters };
      const usage = usageOf(knowledge.models, consumed);
      return { ...draft, componentName: OWN_COMPONENT_NAME, audio, usage };
    };
    return Object.assign(answer, { asksModels: Object.keys(knowledge.models).length > 0 });
  };
}

interface AnsweredOnce extends Drafted {
  /** What was looked up: the message, or the question it chose. */
  asked: string;
  best: FoundPair | undefined;
  embeddingTokens: number;
}

async function answerOnce(
  parts: KnowledgeParts,
  knowledge: AgentKnowledge,
  message: string,
  options: AnswerOptions,
): Promise<AnsweredOnce> {
  const { settings, models } = knowledge;
  // Nothing but attachments: there is no question that knowledge or a model could be asked.
  if (message.trim() === "") return withoutSearch(fallbackDraft(settings, options));
  const asked = (await chosenFrom(message, options.offered)) ?? message;
  const choice = choiceOf(options.within);
  const reply = smallTalkOf(settings, message);
  // Small talk that no pair has a word of needs no model to find its meaning.
  if (
    reply !== undefined &&
    (await knowledge.find(asked, { ...choice, embeddingRate: 0 })).decision === "fallback"
  )
    return withoutSearch(reply);
  const plain = await knowledge.find(asked, choice);
  const [best] = plain.pairs;
  const { embeddingTokens } = plain;
  if (reply !== undefined && (best === undefined || plain.decision !== "direct"))
    return { ...withoutSearch(reply), embeddingTokens };
  const fits = fitsWordForWord(plain, asked);
  const needsPast = !fits && (models.chat !== undefined || needsContext(plain, asked));
  const said = needsPast ? ((await options.recall?.()) ?? []) : [];
  const inContext = fits ? undefined : await findInContext(knowledge, { asked, plain, said }, choice);
  const question = { asked, said };
  const found = inContext ?? plain;
  const drafted = await draftAnswer(parts, knowledge, question, found, options);
  return {
    ...drafted,
    asked,
    best,
    embeddingTokens: embeddingTokens + (inContext?.embeddingTokens ?? 0),
  };
}

function withoutSearch(draft: AnswerDraft): AnsweredOnce {
  return { draft, used: undefined, asked: "", best: undefined, embeddingTokens: 0 };
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
    asksForPerson: false,
  };
}

async function chosenFrom(message: string, offered: AnswerOptions["offered"]): Promise<string | undefined> {
  if (offered === undefined || !mayChoose(message)) return undefined;
  return chosenQuestion(message, await offered());
}

function choiceOf(within: KnowledgeScope | undefined): Choice {
  const most = PAIRS_CONSIDERED;
  if (within === undefined) return { most };
  const { knowledgeBaseIds, documentIds } = within;
  return { most, documentsIn: (id) => (knowledgeBaseIds.includes(id) ? "all" : documentIds) };
}
