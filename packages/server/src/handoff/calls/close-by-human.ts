import type { CloseByHumanReply, InputOf } from "@signalbox/contract";
import { actAfterCommit, type AfterCommit } from "../../engine/index.ts";
import { once, Refusal, type DeskCaller } from "../../platform/index.ts";
import { advance } from "../steps/apply-step.ts";
import { lockConversation } from "../steps/lock-conversation.ts";
import { findHandoff, refuseUnknown } from "./find-handoff.ts";
import type { DeskParts } from "./receive-human-message.ts";

/** Section 4.10. A handoff that has ended already, for whatever reason, answers the same. The reply names it as the call did. */
export async function closeByHuman(
  parts: DeskParts,
  caller: DeskCaller,
  { conversation_id: id }: InputOf<"closeByHuman">,
): Promise<CloseByHumanReply | Refusal> {
  const found = await findHandoff(parts, caller, id);
  if (found instanceof Refusal) return found;
  const { agents, sealer } = parts;
  const { agentId, conversationId, handoffId } = found;
  const calls: AfterCommit[] = [];
  const result = await agents.asAgent(agentId, (db) =>
    once(db, sealer, found, async (db) => {
      const locked = await lockConversation(db, agentId, conversationId, handoffId);
      const handoff = locked?.handoff;
      if (locked === undefined || handoff === undefined) return refuseUnknown(caller);
      const { at } = locked.conversation;
      calls.push(...(await advance(db, locked, handoff, { kind: "human_closed", at })));
      return { conversation_id: id, timestamp: handoff.endedAt ?? at };
    }),
  );
  void actAfterCommit(parts, calls);
  return result;
}
