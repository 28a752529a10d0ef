import { sql } from "kysely";
import { laneIdOf, stopDeliveries } from "../../delivery/index.ts";
import type { AfterCommit } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import { transition } from "../machine/machine.ts";
import { applyStep } from "../steps/apply-step.ts";
import {
  announcing,
  lockConversation,
  type LockedConversation,
  lockLanes,
  type StoredHandoff,
  timerLengthsOf,
} from "../steps/lock-conversation.ts";

/** The calls to make after the commit, and how many deliveries were stopped. */
export interface ErasureResult {
  calls: AfterCommit[];
  stopped: number;
}

/**
 * Stops every delivery of the conversation that still waits. A desk that may know of the user gets a close (4.8), which holds
 * ids alone. The caller erases the conversation in the same transaction.
 */
export async function endForErasure(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<ErasureResult | undefined> {
  const locked = await lockConversation(db, agentId, conversationId);
  if (locked === undefined) return undefined;
  await lockLanes(db, locked.conversation);
  const knowing =
    locked.handoff !== undefined && (await deskMayKnow(db, locked, locked.handoff))
      ? locked.handoff
      : undefined;
  const stopped = await stopDeliveries(db, agentId, conversationId);
  const calls = knowing === undefined ? [] : await closeAtDesk(db, locked, knowing);
  return { calls: [...calls, ...announcing(locked.conversation)], stopped };
}

/** For the desk, the user left. No notice and no return of control: the conversation is about to be erased. */
async function closeAtDesk(
  db: Database,
  locked: LockedConversation,
  handoff: StoredHandoff,
): Promise<AfterCommit[]> {
  const event = { kind: "user_closed", at: locked.conversation.at } as const;
  const step = transition(handoff.current, event, timerLengthsOf(locked));
  if (step.kind !== "moved") return [];
  const effects = step.effects.filter((effect) => effect.do === "close_desk");
  return applyStep(db, locked, handoff, { ...step, effects });
}

/** A call that nobody has taken up yet never reached the desk: there is nothing to close. */
async function deskMayKnow(
  db: Database,
  { conversation }: LockedConversation,
  { current, deskId, id }: StoredHandoff,
): Promise<boolean> {
  if (current.state !== "requested") return true;
  const { rows } = await sql<{ fence: number }>`
    select fence from lane where agent_id = ${conversation.agentId} and id = ${laneIdOf(deskId, id)}`.execute(
    db,
  );
  return (rows[0]?.fence ?? 0) > 0;
}
