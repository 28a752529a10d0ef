import { randomUUID } from "node:crypto";
import type { HandoffItem, HandoffTrigger } from "@signalbox/contract";
import { sql } from "kysely";
import { enqueue } from "../../delivery/index.ts";
import type { AfterCommit } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import { noticeText } from "../settings/agent-settings.ts";
import { addressOf, forwardSince } from "../steps/apply-step.ts";
import { type LockedConversation, lockLanes } from "../steps/lock-conversation.ts";
import { notifyUser } from "../steps/notify-user.ts";
import { establishBytes } from "../steps/protocol-bodies.ts";
import { nextOpening } from "./business-hours.ts";
import { readDesks, type Desk } from "./choose-desk.ts";
import { readTranscript } from "./transcript.ts";

/** Nobody is there: which desk opens first, and when. */
export interface Away {
  trigger: HandoffTrigger;
  answeredSeq?: number;
  desk: Desk;
  opensAt: number;
  transcript: HandoffItem[];
}

/** All desks are closed: the agent keeps control, and the user is asked for an email address. */
export async function offerToLeaveMessage(
  db: Database,
  locked: LockedConversation,
  away: Away,
): Promise<AfterCommit[]> {
  await settleAway(db, locked, away, { away_component_id: away.desk.id });
  return tell(db, locked, away.desk, "away");
}

/**
 * The request goes to the desk when it opens, by the ordinary timetable. Nobody waits for it in the conversation, so for us it
 * has ended; at the desk it stays open until a human has seen to it. Until then what the user adds goes behind it.
 */
export async function leaveMessage(
  db: Database,
  locked: LockedConversation,
  away: Away,
  email: string,
): Promise<AfterCommit[]> {
  const { conversation } = locked;
  const { agentId, id: conversationId } = conversation;
  const { desk, opensAt, transcript, trigger } = away;
  const waiting = await messageThatWaits(db, locked);
  if (waiting !== undefined) return addToMessage(db, locked, away, waiting);
  const handoffId = randomUUID();
  await db
    .insertInto("handoff")
    .values({
      agent_id: agentId,
      id: handoffId,
      conversation_id: conversationId,
      component_id: desk.id,
      trigger,
      state: "closed",
      reason: "message_left",
      forwarded_seq: conversation.lastSeq,
      requested_at: sql<Date>`date_trunc('milliseconds', now())`,
      ended_at: sql<Date>`now()`,
    })
    .execute();
  await settleAway(db, locked, away, { away_component_id: null, email });
  const calls = await enqueue(db, {
    ...addressOf(locked, { id: handoffId, deskId: desk.id }),
    notBefore: new Date(opensAt),
    event: "message_left",
    sender: "user",
    items: [{ body: establishBytes({ ...conversation, email }, handoffId, transcript) }],
  });
  return [...calls, ...(await tell(db, locked, desk, "message_left"))];
}

interface WaitingMessage {
  id: string;
  deskId: string;
  forwardedSeq: number;
}

/** A message of this conversation that its desk has not been sent, because it is closed. */
async function messageThatWaits(
  db: Database,
  { conversation: { agentId, id } }: LockedConversation,
): Promise<WaitingMessage | undefined> {
  const { rows } = await sql<WaitingMessage>`
    select h.id, h.component_id as "deskId", h.forwarded_seq as "forwardedSeq" from handoff h
    join lane l on l.agent_id = h.agent_id and l.conversation_id = h.conversation_id and l.handoff_id = h.id
    join webhook w on w.id = h.component_id and w.agent_id = h.agent_id and w.deleted_at is null
    where h.agent_id = ${agentId} and h.conversation_id = ${id} and h.reason = 'message_left' and l.not_before > now()
    order by h.requested_at desc limit 1`.execute(db);
  return rows[0];
}

/** A user who asks again opens no second ticket: later messages go to the desk as chat, behind the message. */
async function addToMessage(
  db: Database,
  locked: LockedConversation,
  away: Away,
  waiting: WaitingMessage,
): Promise<AfterCommit[]> {
  const { agentId } = locked.conversation;
  await lockLanes(db, locked.conversation);
  const { calls, forwardedSeq } = await forwardSince(db, locked, waiting, waiting.forwardedSeq);
  await db
    .updateTable("handoff")
    .set({ forwarded_seq: forwardedSeq })
    .where("agent_id", "=", agentId)
    .where("id", "=", waiting.id)
    .execute();
  await settleAway(db, locked, away, { away_component_id: null });
  return [...calls, ...(await tell(db, locked, away.desk, "message_left"))];
}

/** The email address a user wrote after the notice. Undefined when the desk of that notice was deleted. */
export async function takeAddress(
  db: Database,
  locked: LockedConversation,
  email: string,
  answeredSeq: number,
): Promise<AfterCommit[] | undefined> {
  const { agentId, at, awayDeskId } = locked.conversation;
  const desk = (await readDesks(db, agentId)).find(({ id }) => id === awayDeskId);
  if (desk === undefined) return undefined;
  const transcript = await readTranscript(db, locked);
  const opensAt = nextOpening(desk.hours, at);
  return leaveMessage(db, locked, { trigger: "phrase", answeredSeq, desk, opensAt, transcript }, email);
}

/** The notice answers the message that asked, also when it is turned off; the agent then asks for no person for a while. */
async function settleAway(
  db: Database,
  { conversation, agent }: LockedConversation,
  { answeredSeq = 0 }: Away,
  changes: { away_component_id: string | null; email?: string },
): Promise<void> {
  const { rows } = await sql<{ awake: boolean }>`
    update conversation set
      away_component_id = ${changes.away_component_id}::uuid,
      email = coalesce(${changes.email ?? null}, email),
      no_answers = 0,
      handoff_quiet_until = now() + ${agent?.settings.quiet_seconds ?? 0} * interval '1 second',
      turn_done_seq = greatest(turn_done_seq, ${answeredSeq}),
      turn_awake = turn_due_seq > greatest(turn_done_seq, ${answeredSeq}),
      turn_due_since = now()
    where agent_id = ${conversation.agentId} and id = ${conversation.id}
    returning turn_awake as awake`.execute(db);
  if (rows.length === 0) throw new Error("a conversation vanished under its lock");
}

async function tell(
  db: Database,
  locked: LockedConversation,
  desk: Desk,
  notice: "away" | "message_left",
): Promise<AfterCommit[]> {
  const text = locked.agent && noticeText(locked.agent, notice);
  if (text === undefined) return [];
  return notifyUser(db, locked.conversation, { sender: "system", deskName: desk.name, text });
}
