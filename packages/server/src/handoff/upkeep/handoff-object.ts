import {
  actAfterCommit,
  objectKey,
  type AfterCommitParts,
  type Alarm,
  type Engine,
  type EngineObject,
  type Work,
} from "../../engine/index.ts";
import { inTransaction, type Database } from "../../platform/index.ts";
import { isOpen, transition, type Step } from "../machine/machine.ts";
import { TIMER_ALARM } from "../machine/timers.ts";
import { applyStep } from "../steps/apply-step.ts";
import { conversationOf, timerLengthsOf, lockConversation } from "../steps/lock-conversation.ts";

const LONGEST_MS = 30_000;

/** The deadlines of one handoff. They stand in PostgreSQL; the engine only says that it is time to look. */
export function handoffObject(parts: AfterCommitParts & { db: Database }): EngineObject {
  return { name: "handoff", longestMs: LONGEST_MS, handlers: { look: (work) => lookAtHandoff(parts, work) } };
}

/** Wakes those whose time came within the slot, each by a call; calls that are due now share an invocation (ADR 0024). */
export function handoffAlarm({ db, engine }: { db: Database; engine: Engine }): Alarm {
  return {
    name: TIMER_ALARM,
    async ring({ fromMs, untilMs }) {
      const due = await db
        .selectFrom("handoff")
        .select(["agent_id", "id"])
        .where("timer_wake_at", ">=", new Date(fromMs))
        .where("timer_wake_at", "<", new Date(untilMs))
        .execute();
      await Promise.all(
        due.map(({ agent_id, id }) => engine.send("handoff", "look", objectKey(agent_id, id))),
      );
    },
  };
}

/** Rule 2: a look that comes early asks to be called again when it is time, and returns. */
async function lookAtHandoff(
  parts: AfterCommitParts & { db: Database },
  { agentId, id }: Pick<Work, "agentId" | "id">,
): Promise<void> {
  const conversationId = await conversationOf(parts.db, agentId, id);
  if (conversationId === undefined) return;
  const calls = await inTransaction(parts.db, async (db) => {
    const locked = await lockConversation(db, agentId, conversationId, id);
    const handoff = locked?.handoff;
    if (locked === undefined || handoff === undefined || !isOpen(handoff.current)) return [];
    const step = transition(
      handoff.current,
      { kind: "looked", at: locked.conversation.at },
      timerLengthsOf(locked),
    );
    const unmoved: Step = { kind: "moved", handoff: handoff.current, effects: [] };
    return applyStep(db, locked, handoff, step.kind === "moved" ? step : unmoved);
  });
  await actAfterCommit(parts, calls);
}
