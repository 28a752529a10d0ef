import { makeCalls, type Engine, type EngineObject, type Work } from "../../engine/index.ts";
import { inTransaction, type Database } from "../../platform/index.ts";
import { isOpen, transition, type Step } from "../machine/machine.ts";
import { applyStep } from "../steps/apply-step.ts";
import { conversationOf, timerLengthsOf, lockConversation } from "../steps/lock-conversation.ts";

const LONGEST_MS = 30_000;

/** The deadlines of one handoff. They stand in PostgreSQL; the engine only says that it is time to look. */
export function handoffObject(parts: { db: Database; engine: Engine }): EngineObject {
  return { name: "handoff", longestMs: LONGEST_MS, handlers: { look: (work) => lookAtHandoff(parts, work) } };
}

/** Rule 2: a look that comes early asks to be called again when it is time, and returns. */
async function lookAtHandoff(
  { db, engine }: { db: Database; engine: Engine },
  { agentId, id }: Pick<Work, "agentId" | "id">,
): Promise<void> {
  const conversationId = await conversationOf(db, agentId, id);
  if (conversationId === undefined) return;
  const calls = await inTransaction(db, async (db) => {
    const locked = await lockConversation(db, agentId, conversationId, id);
    const handoff = locked?.handoff;
    if (locked === undefined || handoff === undefined || !isOpen(handoff.current)) return [];
    const step = transition(
      handoff.current,
      { kind: "looked", at: locked.conversation.at },
      timerLengthsOf(locked),
    );
    const unmoved: Step = { kind: "moved", handoff: handoff.current, effects: [] };
    // The call that brought us here is spent.
    return applyStep(db, locked, { ...handoff, timerCallAt: null }, step.kind === "moved" ? step : unmoved);
  });
  await makeCalls(engine, calls);
}
