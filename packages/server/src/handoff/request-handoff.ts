import type { CurrentHandoff, HandoffTrigger, InputOf, RequestedHandoff } from "@signalbox/contract";
import { makeCalls, type Engine, type EngineCall } from "../engine/index.ts";
import {
  once,
  refuse,
  type OnceScope,
  type AgentDatabase,
  type Database,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";
import { beginHandoff } from "./begin-handoff.ts";
import { readCurrent } from "./handoff-view.ts";
import { openScene, reachesUser, type Scene } from "./scene.ts";

export interface HandoffParts {
  agents: AgentDatabase;
  sealer: Sealer;
  engine: Engine;
}

/** Somebody asks for a person by the API: the developer on the user's behalf, or the user on a live channel. */
export async function requestHandoff(
  { agents, sealer, engine }: HandoffParts,
  caller: OnceScope,
  { conversation_id }: InputOf<"requestHandoff">,
  trigger: HandoffTrigger = "api",
): Promise<RequestedHandoff | Refusal> {
  const { agentId } = caller;
  const calls: EngineCall[] = [];
  const result = await agents.asAgent(agentId, (db) =>
    once(db, sealer, caller, async (db) => {
      const scene = await openScene(db, agentId, conversation_id);
      if (scene === undefined) return unknownConversation();
      if (scene.conversation.control === "human")
        return { outcome: "already_open", ...(await lastOf(db, scene)) } as const;
      if (!reachesUser(scene))
        return refuse(
          "badParameter",
          "a person's replies need a message webhook; configure one for this agent first",
        );
      const begun = await beginHandoff(db, scene, { trigger });
      if (begun.kind === "no_desk")
        return refuse("badParameter", "no human service component of this agent fits; configure one first");
      calls.push(...begun.calls);
      if (begun.kind === "away") return { outcome: "away", handoff: null } as const;
      return { outcome: "requested", ...(await lastOf(db, scene)) } as const;
    }),
  );
  void makeCalls(engine, calls);
  return result;
}

async function lastOf(db: Database, { conversation }: Scene): Promise<Pick<CurrentHandoff, "handoff">> {
  const current = await readCurrent(db, conversation.agentId, conversation.id);
  return { handoff: current?.handoff ?? null };
}

export function unknownConversation(): Refusal {
  return refuse("unknownConversation", "create one with POST /v1/conversation");
}
