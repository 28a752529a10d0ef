import { makeCalls, type Engine, type EngineObject, type Work } from "../engine/index.ts";
import { inTransaction, type Database } from "../platform/index.ts";
import { applyStep } from "./apply-step.ts";
import { isOpen, transition, type Step } from "./machine.ts";
import { conversationOf, lengthsOf, openScene } from "./scene.ts";

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
    const scene = await openScene(db, agentId, conversationId, id);
    const kept = scene?.kept;
    if (scene === undefined || kept === undefined || !isOpen(kept.handoff)) return [];
    const step = transition(kept.handoff, { kind: "looked", at: scene.conversation.at }, lengthsOf(scene));
    const unmoved: Step = { kind: "moved", handoff: kept.handoff, effects: [] };
    // The call that brought us here is spent.
    return applyStep(db, scene, { ...kept, timerCallAt: null }, step.kind === "moved" ? step : unmoved);
  });
  await makeCalls(engine, calls);
}
