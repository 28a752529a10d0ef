import type { CloseByHumanReply, InputOf } from "@signalbox/contract";
import { makeCalls, type EngineCall } from "../engine/index.ts";
import { once, Refusal, type DeskCaller } from "../platform/index.ts";
import { applyStep } from "./apply-step.ts";
import { findHandoff } from "./find-handoff.ts";
import { transition } from "./machine.ts";
import type { DeskParts } from "./receive-human-message.ts";
import { lengthsOf, openScene } from "./scene.ts";

/** Section 4.10. A handoff that has ended already, for whatever reason, answers the same. */
export async function closeByHuman(
  parts: DeskParts,
  caller: DeskCaller,
  { conversation_id: handoffId }: InputOf<"closeByHuman">,
): Promise<CloseByHumanReply | Refusal> {
  const found = await findHandoff(parts, caller, handoffId);
  if (found instanceof Refusal) return found;
  const { agents, sealer, engine } = parts;
  const { agentId, conversationId } = found;
  const calls: EngineCall[] = [];
  const result = await agents.asAgent(agentId, (db) =>
    once(db, sealer, found, async (db) => {
      const scene = await openScene(db, agentId, conversationId, handoffId);
      const kept = scene?.kept;
      if (scene === undefined || kept === undefined) throw new Error("a handoff that was just found is gone");
      const { at } = scene.conversation;
      const step = transition(kept.handoff, { kind: "human_closed", at }, lengthsOf(scene));
      if (step.kind === "moved") calls.push(...(await applyStep(db, scene, kept, step)));
      return { conversation_id: handoffId, timestamp: kept.endedAt ?? at };
    }),
  );
  void makeCalls(engine, calls);
  return result;
}
