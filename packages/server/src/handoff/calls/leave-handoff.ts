import type { CurrentHandoff, InputOf } from "@signalbox/contract";
import { actAfterCommit, type AfterCommit } from "../../engine/index.ts";
import { once, type OnceScope, type Refusal } from "../../platform/index.ts";
import { advance } from "../steps/apply-step.ts";
import { lockConversation } from "../steps/lock-conversation.ts";
import { readCurrent, unknownConversation } from "./read-handoffs.ts";
import type { HandoffParts } from "./request-handoff.ts";

/** The user leaves the person. Where nobody is there to be left it is no mistake: the user wants the agent, and has it. */
export async function leaveHandoff(
  parts: HandoffParts,
  caller: OnceScope,
  { conversation_id }: InputOf<"leaveHandoff">,
): Promise<CurrentHandoff | Refusal> {
  const { agents, sealer } = parts;
  const { agentId } = caller;
  const calls: AfterCommit[] = [];
  const result = await agents.asAgent(agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const locked = await lockConversation(db, agentId, conversation_id);
      if (locked === undefined) return unknownConversation();
      const { handoff, conversation } = locked;
      if (handoff !== undefined)
        calls.push(...(await advance(db, locked, handoff, { kind: "user_closed", at: conversation.at })));
      return (await readCurrent(db, agentId, conversation_id)) ?? unknownConversation();
    }),
  );
  void actAfterCommit(parts, calls);
  return result;
}
