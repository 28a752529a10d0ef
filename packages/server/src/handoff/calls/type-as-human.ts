import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { refuse, Refusal, tellTyping, type DeskCaller } from "../../platform/index.ts";
import { findHandoff } from "./find-handoff.ts";
import type { DeskParts } from "./receive-human-message.ts";

type Typing = Pick<InputOf<"typeAsHuman">, "conversation_id"> & Partial<InputOf<"typeAsHuman">>;

/** A human types, in the inbox or at any other desk: told to the user's open pages, and nowhere stored. */
export async function typeAsHuman(
  parts: DeskParts,
  caller: DeskCaller,
  { conversation_id: id, human_name }: Typing,
): Promise<Acknowledged | Refusal> {
  const found = await findHandoff(parts, caller, id);
  if (found instanceof Refusal) return found;
  const { agentId, conversationId, handoffId } = found;
  const open = await parts.agents.asAgent(agentId, (db) =>
    db
      .selectFrom("conversation")
      .select("id")
      .where("agent_id", "=", agentId)
      .where("id", "=", conversationId)
      .where("handoff_id", "=", handoffId)
      .executeTakeFirst(),
  );
  if (open === undefined) return refuse("stateConflict", "this handoff has ended");
  const name = caller.kind === "inbox" ? caller.author.name : human_name;
  tellTyping(parts.broadcast, { by: "human", agentId, conversationId, name: name ?? undefined });
  return ACKNOWLEDGED;
}
