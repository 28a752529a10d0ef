import { actAfterCommit, type AfterCommitParts } from "../engine/index.ts";
import type { EscalationResult, TurnTriggers } from "../handoff/index.ts";
import type { Database, Metrics } from "../platform/index.ts";
import { closeTurn, type DueMessage, type Turn } from "./turn-store.ts";

export interface HandOverParts extends AfterCommitParts {
  db: Database;
  metrics: Metrics;
}

/** What the agent made of the message; undefined before it was asked. */
export interface AnswerFacts {
  isAnswered: boolean;
  noAnswers: number;
  modelAsks: boolean;
}

/**
 * Hands one message over to people instead of answering it, if it asks for that. `before` commits what was answered already:
 * control has not moved yet. True when this turn is over, because a person has it, the user was told, or it came too late.
 */
export async function handOver(
  parts: HandOverParts,
  triggers: TurnTriggers,
  turn: Turn,
  due: DueMessage,
  answer: AnswerFacts | undefined,
  before: () => Promise<boolean>,
): Promise<boolean> {
  const { db, metrics } = parts;
  const { quietSeq, isQuiet, awaitsAddress } = turn;
  const facts = answer ?? { isAnswered: undefined, noAnswers: 0, modelAsks: false };
  const trigger = triggers.triggerOf({ ...due, ...facts, quietSeq, isQuiet });
  const mayBeAddress = awaitsAddress && answer === undefined && due.text.includes("@");
  if (trigger === undefined && !mayBeAddress) return false;
  if (!(await before())) return true;
  let escalated: EscalationResult | undefined;
  if (mayBeAddress) escalated = await triggers.takeAddress(due.text, due.seq);
  if (escalated === undefined && trigger !== undefined) escalated = await triggers.escalate(trigger, due.seq);
  if (escalated === undefined || escalated.kind === "no_desk") return false;
  await closeTurn(db, turn, "superseded");
  metrics.turns.inc({ outcome: escalated.kind });
  if (escalated.kind !== "superseded") await actAfterCommit(parts, escalated.calls);
  return true;
}
