import type { HandoffTrigger } from "@signalbox/contract";
import { actAfterCommit, type AfterCommitParts } from "../engine/index.ts";
import type { EscalationResult, TurnTriggers } from "../handoff/index.ts";
import type { Database, Log, Metrics } from "../platform/index.ts";
import { logUnanswered } from "./log-turn.ts";
import { closeTurn, type DueMessage, type Turn } from "./turn-store.ts";

export interface HandOverParts extends AfterCommitParts {
  db: Database;
  log: Log;
  metrics: Metrics;
}

/** What the agent made of the message; undefined before it was asked. */
export interface AnswerFacts {
  isAnswered: boolean;
  noAnswers: number;
  modelAsks: boolean;
}

/** Why one message may have to be handed over. */
export interface HandOverCause {
  trigger: HandoffTrigger | undefined;
  mayBeAddress: boolean;
}

/** Undefined when the message is the agent's to answer. */
export function handOverCause(
  triggers: TurnTriggers,
  { quietSeq, isQuiet, awaitsAddress }: Turn,
  due: DueMessage,
  answer: AnswerFacts | undefined,
): HandOverCause | undefined {
  const facts = answer ?? { isAnswered: undefined, noAnswers: 0, modelAsks: false };
  const trigger = triggers.triggerOf({ ...due, ...facts, quietSeq, isQuiet });
  const mayBeAddress = awaitsAddress && answer === undefined && due.text.includes("@");
  return trigger === undefined && !mayBeAddress ? undefined : { trigger, mayBeAddress };
}

/**
 * Hands one message of an opened turn over to people instead of answering it. What was answered before is committed already: control has not
 * moved yet. True when this turn is over, because a person has it, the user was told, or it came too late.
 */
export async function handOver(
  parts: HandOverParts,
  triggers: TurnTriggers,
  turn: Turn,
  due: DueMessage,
  { trigger, mayBeAddress }: HandOverCause,
): Promise<boolean> {
  const { db, log, metrics } = parts;
  let escalated: EscalationResult | undefined;
  if (mayBeAddress) escalated = await triggers.takeAddress(due.text, due.seq);
  if (escalated === undefined && trigger !== undefined) escalated = await triggers.escalate(trigger, due.seq);
  if (escalated === undefined || escalated.kind === "no_desk") return false;
  await closeTurn(db, turn, "superseded");
  metrics.turns.inc({ outcome: escalated.kind });
  logUnanswered(log, turn, escalated.kind, [due.id]);
  if (escalated.kind !== "superseded") await actAfterCommit(parts, escalated.calls);
  return true;
}
