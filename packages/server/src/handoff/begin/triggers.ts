import type { HandoffSettings, HandoffTrigger } from "@signalbox/contract";
import { readPersonRequest } from "./person-request.ts";

export interface TurnFacts {
  /** The user's message, by its number in the conversation. */
  seq: number;
  text: string;
  /** Whether the agent found an answer; undefined before it was asked. */
  isAnswered: boolean | undefined;
  /** Questions in a row without an answer, this one included. */
  noAnswers: number;
  /** The model called its tool for a person. */
  modelAsks: boolean;
  /** Messages up to here have had their handoff. */
  quietSeq: number;
  /** A person was here a moment ago: the agent asks for no other by itself. */
  isQuiet: boolean;
}

/** The trigger that asks for a person in one turn of the agent, if any does. */
export function triggerOf(facts: TurnFacts, settings: HandoffSettings): HandoffTrigger | undefined {
  if (facts.seq <= facts.quietSeq) return undefined;
  const request = readPersonRequest(facts.text, settings);
  if (request === "asks" || (request === "may_ask" && facts.isAnswered === false)) return "phrase";
  if (facts.isQuiet) return undefined;
  if (facts.modelAsks) return "model";
  const limit = settings.no_answer_limit;
  return limit !== null && facts.noAnswers >= limit ? "no_answer" : undefined;
}
