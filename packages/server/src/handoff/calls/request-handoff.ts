import type { CurrentHandoff, HandoffTrigger, InputOf, RequestedHandoff } from "@signalbox/contract";
import { actAfterCommit, type AfterCommit, type AfterCommitParts } from "../../engine/index.ts";
import {
  once,
  refuse,
  type OnceScope,
  type AgentDatabase,
  type Database,
  type Refusal,
  type Sealer,
} from "../../platform/index.ts";
import { beginHandoff } from "../begin/begin-handoff.ts";
import { lockConversation, reachesUser, type LockedConversation } from "../steps/lock-conversation.ts";
import { readCurrent, unknownConversation } from "./read-handoffs.ts";

export interface HandoffParts extends AfterCommitParts {
  agents: AgentDatabase;
  sealer: Sealer;
}

/** Somebody asks for a person by the API: the developer on the user's behalf, or the user on a live channel. */
export async function requestHandoff(
  parts: HandoffParts,
  caller: OnceScope,
  { conversation_id }: InputOf<"requestHandoff">,
  trigger: HandoffTrigger = "api",
): Promise<RequestedHandoff | Refusal> {
  const { agents, sealer } = parts;
  const { agentId } = caller;
  const calls: AfterCommit[] = [];
  const result = await agents.asAgent(agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const locked = await lockConversation(db, agentId, conversation_id);
      if (locked === undefined) return unknownConversation();
      if (locked.conversation.control === "human")
        return { outcome: "already_open", ...(await lastOf(db, locked)) } as const;
      if (!reachesUser(locked))
        return refuse(
          "badParameter",
          "human replies are delivered to the message webhook; configure one for this agent first",
        );
      const begun = await beginHandoff(db, locked, { trigger });
      if (begun.kind === "no_desk")
        return refuse(
          "badParameter",
          "no desk of this agent accepts this handoff; add a desk, or widen its rules",
        );
      calls.push(...begun.calls);
      if (begun.kind === "away") return { outcome: "away", handoff: null } as const;
      return { outcome: "requested", ...(await lastOf(db, locked)) } as const;
    }),
  );
  void actAfterCommit(parts, calls);
  return result;
}

async function lastOf(
  db: Database,
  { conversation }: LockedConversation,
): Promise<Pick<CurrentHandoff, "handoff">> {
  const current = await readCurrent(db, conversation.agentId, conversation.id);
  return { handoff: current?.handoff ?? null };
}
