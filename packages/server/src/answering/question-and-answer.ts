import type { AnswerSource, OutputItem, Usage } from "@signalbox/contract";
import type { KnowledgeScope } from "./knowledge-scope.ts";

export interface Answer {
  text: string;
  branch: "direct" | "model" | "fallback";
  /** Whether the user was helped: an offer and small talk are neither an answer nor a gap in what the agent knows. */
  outcome: "answered" | "offered" | "small_talk" | "unanswered";
  /** A pair asks the very thing. */
  isExact: boolean;
  /** Stored questions the user may choose from, in order. */
  suggestions: string[];
  /** The pairs it stands on, in the order of its citations. */
  sources: AnswerSource[];
  componentName: string;
  /** The model called its tool for a person. */
  asksForPerson: boolean;
  /** The same aloud, where the agent speaks. */
  audio: OutputItem["content"]["audio"];
  usage: Usage;
}

/** What is to be said, before it is spoken and paid for. */
export type AnswerDraft = Pick<
  Answer,
  "text" | "branch" | "outcome" | "isExact" | "suggestions" | "sources" | "asksForPerson"
>;

/** One thing that was said before the question. */
export interface Said {
  who: "user" | "agent" | "person";
  text: string;
}

/** What the words of an answer may depend on. */
export interface DraftOptions {
  /** Each piece of text, as soon as it is there. Only what comes back at the end was held against its sources as a whole. */
  onText?: ((text: string) => void) | undefined;
  /** Calls the models off. */
  signal?: AbortSignal | undefined;
  /** What was said lately, oldest first: asked for only where it is needed. */
  recall?: () => Promise<Said[]>;
  /** The questions offered with the last reply: asked for only where a message may choose one. */
  offered?: () => Promise<string[]>;
  /** There are people who could take over, so that the model may ask for one. */
  offersPerson?: boolean;
  /** A model's answer keeps its citations, numbered as its sources are. */
  showsCitations?: boolean | undefined;
  /** Where the answer is looked for; in all that the agent knows when left out. */
  within?: KnowledgeScope | undefined;
}

export interface AnswerOptions extends DraftOptions {
  /** In which the question was asked. */
  conversationId: string;
  /** The message is being committed: nothing is stored before it is, nor if it is not. */
  committed?: Promise<void> | undefined;
  /** Whose share of the agent's tokens the answer is counted against; nobody's when left out. */
  payer?: string | undefined;
}
