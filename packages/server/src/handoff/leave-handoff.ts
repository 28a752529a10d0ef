import type { CurrentHandoff, InputOf } from "@signalbox/contract";
import { makeCalls, type EngineCall } from "../engine/index.ts";
import { once, type OnceScope, type Refusal } from "../platform/index.ts";
import { applyStep } from "./apply-step.ts";
import { readCurrent } from "./handoff-view.ts";
import { transition } from "./machine.ts";
import { unknownConversation, type HandoffParts } from "./request-handoff.ts";
import { lengthsOf, openScene } from "./scene.ts";

/** The user leaves the person. Where nobody is there to be left it is no mistake: the user wants the agent, and has it. */
export async function leaveHandoff(
  { agents, sealer, engine }: HandoffParts,
  caller: OnceScope,
  { conversation_id }: InputOf<"leaveHandoff">,
): Promise<CurrentHandoff | Refusal> {
  const { agentId } = caller;
  const calls: EngineCall[] = [];
  const result = await agents.asAgent(agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const scene = await openScene(db, agentId, conversation_id);
      if (scene === undefined) return unknownConversation();
      const { kept, conversation } = scene;
      if (kept !== undefined) {
        const step = transition(kept.handoff, { kind: "user_closed", at: conversation.at }, lengthsOf(scene));
        if (step.kind === "moved") calls.push(...(await applyStep(db, scene, kept, step)));
      }
      return (await readCurrent(db, agentId, conversation_id)) ?? unknownConversation();
    }),
  );
  void makeCalls(engine, calls);
  return result;
}
