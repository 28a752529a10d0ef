import {
  createCommitAcrossAgents,
  inTransaction,
  LOCKED,
  type Database,
  type GroupCommit,
  type LockedRows,
  type Log,
} from "../../platform/index.ts";
import { isOpen, transition } from "../machine/machine.ts";
import { applyLooks, type AppliedLook, type LookStep } from "../steps/apply-looks.ts";
import { timerLengthsOf } from "../steps/lock-conversation.ts";
import { lockMany, type LockedHandoff } from "../steps/lock-many.ts";

export interface LookCall {
  agentId: string;
  handoffId: string;
  callId: string;
  /** On the clock of `performance.now()`. */
  calledAt: number;
}

export type LookResult =
  /** Something was due, and is done. */
  | ({ kind: "moved" } & AppliedLook)
  /** It was not time, or the handoff has ended; `calls` see to it that somebody looks again. */
  | ({ kind: "unmoved" } & Pick<AppliedLook, "calls">)
  | { kind: "unreadable"; error: unknown };

/** Checks of all agents' handoffs that come at the same moment share a transaction. */
export type LookTogether = GroupCommit<LookCall, LookResult>;

export function lookTogether(db: Database, log: Log): LookTogether {
  return createCommitAcrossAgents({
    agentOf: ({ agentId }) => agentId,
    write: (calls, lockedRows) => inTransaction(db, (trx) => lookAtMany(trx, calls, lockedRows)),
    // Nothing is due the second time, and the call drains the lanes that it holds since the first.
    readBack: "repeatable",
    log,
  });
}

const ENDED: LookResult = { kind: "unmoved", calls: [] };

/** The first of two calls for one handoff checks it; the other finds the result by checking again. */
export async function lookAtMany(
  db: Database,
  calls: LookCall[],
  lockedRows: LockedRows,
): Promise<(LookResult | typeof LOCKED)[]> {
  const first = [...new Map(calls.toReversed().map((call) => [call.handoffId, call])).values()];
  const locked = await lockMany(db, first, lockedRows);
  const results = new Map<LookCall, LookResult | typeof LOCKED>();
  const steps: (LookStep & { call: LookCall; isMoved: boolean })[] = [];
  for (const [index, call] of first.entries()) {
    const found: LockedHandoff = locked[index] ?? { kind: "gone" };
    if (found.kind === "busy") results.set(call, LOCKED);
    else if (found.kind === "unreadable") results.set(call, found);
    else if (found.kind === "gone" || !isOpen(found.handoff.current)) results.set(call, ENDED);
    else steps.push({ ...decide(found, call), call });
  }
  const applied = steps.length === 0 ? [] : await applyLooks(db, steps);
  for (const [index, { call, isMoved }] of steps.entries()) {
    const { lanes, calls } = applied[index] ?? { lanes: [], calls: [] };
    results.set(call, isMoved ? { kind: "moved", lanes, calls } : { kind: "unmoved", calls });
  }
  return calls.map((call) => results.get(call) ?? LOCKED);
}

/** Rule 2: a look that comes early leaves the handoff as it is, and asks to be called again when it is time. */
function decide(
  { locked, handoff }: Extract<LockedHandoff, { kind: "locked" }>,
  { callId, calledAt }: LookCall,
): LookStep & { isMoved: boolean } {
  const step = transition(
    handoff.current,
    { kind: "looked", at: locked.conversation.at },
    timerLengthsOf(locked),
  );
  const isMoved = step.kind === "moved";
  return {
    locked,
    handoff,
    next: isMoved ? step.handoff : handoff.current,
    effects: isMoved ? step.effects : [],
    callId,
    lateMs: () => performance.now() - calledAt,
    isMoved,
  };
}
