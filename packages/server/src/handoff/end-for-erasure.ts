import { sql } from "kysely";
import { laneIdOf, stopDeliveries } from "../delivery/index.ts";
import type { EngineCall } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import { applyStep } from "./apply-step.ts";
import { lockLanes } from "./lock-lanes.ts";
import { transition } from "./machine.ts";
import { announcing, lengthsOf, openScene, type KeptHandoff, type Scene } from "./scene.ts";

/** What has to be called after the commit, and how many deliveries were stopped. */
export interface EndedForErasure {
  calls: EngineCall[];
  stopped: number;
}

/**
 * Nothing more of a conversation is said to anybody: what waits for the developer or a desk is stopped, and a desk that has the user
 * is told that it is over, by ids alone. The caller takes the conversation away in the same transaction.
 */
export async function endForErasure(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<EndedForErasure | undefined> {
  const scene = await openScene(db, agentId, conversationId);
  if (scene === undefined) return undefined;
  await lockLanes(db, scene.conversation);
  const told =
    scene.kept !== undefined && (await deskMayKnow(db, scene, scene.kept)) ? scene.kept : undefined;
  const stopped = await stopDeliveries(db, agentId, conversationId);
  const calls = told === undefined ? [] : await closeAtDesk(db, scene, told);
  return { calls: [...calls, ...announcing(scene.conversation)], stopped };
}

/** For the desk the user has left. Nobody else is told and no control is given back: the conversation is about to be gone. */
async function closeAtDesk(db: Database, scene: Scene, kept: KeptHandoff): Promise<EngineCall[]> {
  const event = { kind: "user_closed", at: scene.conversation.at } as const;
  const step = transition(kept.handoff, event, lengthsOf(scene));
  if (step.kind !== "moved") return [];
  const effects = step.effects.filter((effect) => effect.do === "close_desk");
  return applyStep(db, scene, kept, { ...step, effects });
}

/** A call that nobody has taken up yet never reached the desk: there is nothing to close. */
async function deskMayKnow(
  db: Database,
  { conversation }: Scene,
  { handoff, componentId, id }: KeptHandoff,
): Promise<boolean> {
  if (handoff.state !== "requested") return true;
  const { rows } = await sql<{ fence: number }>`
    select fence from lane where agent_id = ${conversation.agentId} and id = ${laneIdOf(componentId, id)}`.execute(
    db,
  );
  return (rows[0]?.fence ?? 0) > 0;
}
