import { randomUUID } from "node:crypto";
import type { HandoffTrigger } from "@signalbox/contract";
import { sql } from "kysely";
import { enqueue } from "../../delivery/index.ts";
import { objectKey, type AfterCommit } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import { begin } from "../machine/machine.ts";
import { addressOf } from "../steps/apply-step.ts";
import { reachesUser, type StoredHandoff, type LockedConversation } from "../steps/lock-conversation.ts";
import { establishBytes } from "../steps/protocol-bodies.ts";
import { chooseDesk, readDesks, type Desk } from "./choose-desk.ts";
import { leaveMessage, offerToLeaveMessage } from "./leave-message.ts";
import { readTranscript } from "./transcript.ts";

export interface HandoffCause {
  trigger: HandoffTrigger;
  /** The user's message that said so; answered by this, whatever comes of it. */
  answeredSeq?: number;
}

export type BeginResult =
  | { kind: "begun"; handoff: StoredHandoff; calls: AfterCommit[] }
  | { kind: "away"; calls: AfterCommit[] }
  /** No desk fits, or nothing a human writes would reach the user. */
  | { kind: "no_desk" };

/**
 * Moves control to the human side and enqueues the establish call (4.6) in one transaction, so the agent is silent before the
 * desk hears of the handoff. The caller holds the conversation's lock and the agent has control.
 */
export async function beginHandoff(
  db: Database,
  locked: LockedConversation,
  cause: HandoffCause,
): Promise<BeginResult> {
  const { conversation } = locked;
  if (!reachesUser(locked)) return { kind: "no_desk" };
  const [desks, transcript] = await Promise.all([
    readDesks(db, conversation.agentId),
    readTranscript(db, locked),
  ]);
  const words = transcript.filter(({ message_type }) => message_type === "QUESTION").map(({ text }) => text);
  const choice = chooseDesk(desks, { trigger: cause.trigger, words, at: conversation.at });
  if (choice.kind === "none") return { kind: "no_desk" };
  if (choice.kind === "away") {
    const away = { ...cause, ...choice, transcript };
    const calls =
      conversation.email === null
        ? await offerToLeaveMessage(db, locked, away)
        : await leaveMessage(db, locked, away, conversation.email);
    return { kind: "away", calls };
  }
  const handoff = await insertHandoff(db, locked, choice.desk, cause.trigger);
  await takeControl(db, locked, handoff, cause.answeredSeq);
  const asked = await readAsking(db, locked, cause.answeredSeq);
  const calls = await enqueue(db, {
    ...addressOf(locked, handoff),
    event: "handoff_requested",
    sender: "user",
    items: [{ body: establishBytes(locked.conversation, handoff.id, transcript), ...asked }],
  });
  // On every channel: an answer that a caller of the API waits for or follows ends.
  const announced = { announce: objectKey(conversation.agentId, conversation.id) };
  return { kind: "begun", handoff, calls: [...calls, announced] };
}

/** The message that asked for a person, if one did: what is sent because of it can be found by its id and its trace. */
async function readAsking(
  db: Database,
  { conversation }: LockedConversation,
  seq: number | undefined,
): Promise<{ inReplyTo?: string; traceparent?: string | null }> {
  if (seq === undefined) return {};
  const asking = await db
    .selectFrom("message")
    .select(["id as inReplyTo", "traceparent"])
    .where("agent_id", "=", conversation.agentId)
    .where("conversation_id", "=", conversation.id)
    .where("seq", "=", seq)
    .executeTakeFirst();
  return asking ?? {};
}

async function insertHandoff(
  db: Database,
  { conversation }: LockedConversation,
  { id: deskId, name, firstReply }: Desk,
  trigger: HandoffTrigger,
): Promise<StoredHandoff> {
  const current = begin(conversation.lastSeq);
  const handoff: StoredHandoff = {
    // Drawn by chance as a whole: for a desk that calls without a key, knowing it is the proof.
    id: randomUUID(),
    conversationId: conversation.id,
    deskId,
    deskName: name,
    firstReply,
    trigger,
    current,
    endedAt: null,
  };
  await db
    .insertInto("handoff")
    .values({
      agent_id: conversation.agentId,
      id: handoff.id,
      conversation_id: conversation.id,
      component_id: deskId,
      trigger,
      state: current.state,
      forwarded_seq: current.marks.forwardedSeq,
      requested_at: sql<Date>`date_trunc('milliseconds', now())`,
    })
    .execute();
  return handoff;
}

/** Every turn that is under way has begun in another epoch from here on, and commits nothing. */
async function takeControl(
  db: Database,
  { conversation }: LockedConversation,
  { id: handoffId }: StoredHandoff,
  answeredSeq = 0,
): Promise<void> {
  await db
    .updateTable("conversation")
    .set({
      control: "human",
      epoch: sql`epoch + 1`,
      handoff_id: handoffId,
      away_component_id: null,
      turn_awake: false,
      turn_done_seq: sql`greatest(turn_done_seq, ${answeredSeq})`,
    })
    .where("agent_id", "=", conversation.agentId)
    .where("id", "=", conversation.id)
    .execute();
}
