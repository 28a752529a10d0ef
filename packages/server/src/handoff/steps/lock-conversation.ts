import type { HandoffTimer, HandoffTrigger } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { objectKey, type AfterCommit } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import type { EndReason, Handoff } from "../machine/machine.ts";
import type { TimerKind, TimerLengths } from "../machine/timers.ts";
import {
  DEFAULT_SETTINGS,
  openSettings,
  settingsOf,
  timerLengths,
  type AgentHandoffSettings,
  type StoredSettings,
} from "../settings/agent-settings.ts";

/** A conversation under its row lock: what decides who may speak, as it is now and stays until the commit. */
export interface Conversation {
  agentId: string;
  id: string;
  channel: string;
  control: "bot" | "human";
  epoch: number;
  lastSeq: number;
  /** The desk that was away when the user asked, and takes an address. */
  awayDeskId: string | null;
  userId: string | null;
  anonymousId: string | null;
  email: string | null;
  phone: string | null;
  /** Where replies go beside the live channel's streams, or on the API at all; null when nowhere. */
  messageWebhookId: string | null;
  /** By the database's clock, in milliseconds. */
  at: number;
}

/** A handoff as its row has it: the state, and what belongs to it beside. */
export interface StoredHandoff {
  id: string;
  conversationId: string;
  deskId: string;
  /** The name the human speaks under. */
  deskName: string;
  /** The desk's own time for it; null: the agent's. */
  firstReply: HandoffTimer | null;
  trigger: HandoffTrigger;
  /** Where it stands, as the state machine sees it. */
  current: Handoff;
  endedAt: number | null;
}

/** A conversation whose row is locked, with its handoff and its agent as they are until the commit. */
export interface LockedConversation {
  conversation: Conversation;
  /** The one that was asked for, or the open one; undefined when there is none. */
  handoff: StoredHandoff | undefined;
  /** Undefined when the agent was deleted. */
  agent: AgentHandoffSettings | undefined;
}

export interface HandoffRow {
  id: string;
  conversation_id: string;
  component_id: string;
  component_name: string | null;
  first_reply: HandoffTimer | null;
  trigger: HandoffTrigger;
  state: Handoff["state"];
  reason: EndReason | null;
  forwarded_seq: number;
  acknowledged_seq: number;
  replied_seq: number;
  timer_kind: TimerKind | null;
  timer_set_at: Date | null;
  timer_due_at: Date | null;
  timer_warnings: number;
  timer_graced: boolean;
  ended_at: Date | null;
}

/** The columns of a handoff `h` and its desk `w`. */
export const HANDOFF_COLUMNS: RawBuilder<unknown> = sql`
  h.id, h.conversation_id, h.component_id, w.name as component_name, w.first_reply, h.trigger, h.state, h.reason,
  h.forwarded_seq, h.acknowledged_seq, h.replied_seq, h.timer_kind, h.timer_set_at, h.timer_due_at, h.timer_warnings, h.timer_graced, h.ended_at`;

type LockedRow = Omit<Conversation, "agentId" | "id" | "at"> & { at: Date; agent: StoredSettings | null };

const OPEN = sql`h.state in ('requested', 'connecting', 'active')`;

/**
 * Takes the conversation's row lock (rule 1) and reads the handoff behind it. Two statements, one after the other: the second
 * sees what was committed before the lock was granted, which a join in the first would not.
 */
export async function lockConversation(
  db: Database,
  agentId: string,
  conversationId: string,
  handoffId?: string,
): Promise<LockedConversation | undefined> {
  const locking = sql<LockedRow>`
    select channel, control, epoch, last_seq as "lastSeq",
      away_component_id as "awayDeskId", user_id as "userId", anonymous_id as "anonymousId", email, phone,
      now() as at, ${settingsOf(agentId)} as agent, (select id from webhook
        where agent_id = ${agentId} and kind = 'message' and deleted_at is null
          and (channel = 'api' or mirrors_live)) as "messageWebhookId"
    from conversation where agent_id = ${agentId} and id = ${conversationId} and redacted_at is null for update`.execute(
    db,
  );
  const reading = sql<HandoffRow>`
    select ${HANDOFF_COLUMNS}
    from handoff h left join webhook w on w.id = h.component_id and w.agent_id = h.agent_id
    where h.agent_id = ${agentId} and h.conversation_id = ${conversationId}
      and ${handoffId === undefined ? OPEN : sql`h.id = ${handoffId}`}`.execute(db);
  const [{ rows: conversations }, { rows: handoffs }] = await Promise.all([locking, reading]);
  const [found, row] = [conversations[0], handoffs[0]];
  if (found === undefined) return undefined;
  const { agent, ...conversation } = found;
  return {
    conversation: { ...conversation, agentId, id: conversationId, at: found.at.getTime() },
    handoff: row === undefined ? undefined : storedHandoff(row),
    agent: agent === null ? undefined : openSettings(agent),
  };
}

/** Rule 9: the conversation is locked first, then its lanes by id. For a transaction that writes to several of them. */
export async function lockLanes(
  db: Database,
  { agentId, id }: Pick<Conversation, "agentId" | "id">,
): Promise<void> {
  await sql`select id from lane where agent_id = ${agentId} and conversation_id = ${id} order by id for update`.execute(
    db,
  );
}

/** Which conversation a handoff belongs to never changes, so it is read before the lock. */
export async function conversationOf(
  db: Database,
  agentId: string,
  handoffId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom("handoff")
    .select("conversation_id")
    .where("agent_id", "=", agentId)
    .where("id", "=", handoffId)
    .executeTakeFirst();
  return row?.conversation_id;
}

/**
 * The handoff with this id, or the last one of the conversation with this id: the open one, while one is open. Which it is
 * may change until the lock is taken, and the handoff that was found is then an ended one.
 */
export async function handoffNamed(
  db: Database,
  agentId: string,
  id: string,
): Promise<{ handoffId: string; conversationId: string } | undefined> {
  const { rows } = await sql<{ handoffId: string; conversationId: string }>`
    select h.id as "handoffId", h.conversation_id as "conversationId" from (
      (select id, conversation_id, 0 as rank from handoff where agent_id = ${agentId} and id = ${id})
      union all
      (select id, conversation_id, 1 from handoff where agent_id = ${agentId} and conversation_id = ${id}
        order by requested_at desc, id desc limit 1)
    ) h order by rank limit 1`.execute(db);
  return rows[0];
}

/** Tells the live followers of the conversation, after the commit. */
export function announcing({ agentId, id, channel }: Conversation): AfterCommit[] {
  return channel === "api" ? [] : [{ announce: objectKey(agentId, id) }];
}

/** Rule 4.6: a person can join only where replies reach the user. On the API that is by the message webhook. */
export function reachesUser({ conversation: { channel, messageWebhookId } }: LockedConversation): boolean {
  return channel !== "api" || messageWebhookId !== null;
}

/** Also of an agent that is gone: what it left behind still ends. */
export function timerLengthsOf({ agent, handoff }: LockedConversation): TimerLengths {
  return timerLengths(agent?.settings ?? DEFAULT_SETTINGS, handoff?.firstReply);
}

export function storedHandoff(row: HandoffRow): StoredHandoff {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    deskId: row.component_id,
    deskName: row.component_name ?? "",
    firstReply: row.first_reply,
    trigger: row.trigger,
    current: stateOf(row),
    endedAt: row.ended_at?.getTime() ?? null,
  };
}

function stateOf(row: HandoffRow): Handoff {
  const marks = {
    forwardedSeq: row.forwarded_seq,
    acknowledgedSeq: row.acknowledged_seq,
    repliedSeq: row.replied_seq,
  };
  switch (row.state) {
    case "requested":
      return { state: row.state, marks };
    case "busy":
    case "closed":
      if (row.reason === null) throw new Error("a handoff ended without a reason");
      return { state: row.state, reason: row.reason };
    case "connecting":
    case "active": {
      const { timer_kind: kind, timer_warnings: warnings, timer_graced: graced } = row;
      const [setAt, dueAt] = [row.timer_set_at?.getTime(), row.timer_due_at?.getTime()];
      if (kind === null || setAt === undefined || dueAt === undefined)
        throw new Error("an open handoff has no timer");
      return { state: row.state, marks, timer: { kind, setAt, dueAt, warnings, graced } };
    }
  }
}
