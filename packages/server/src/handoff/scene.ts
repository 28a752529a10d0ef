import type { HandoffTimer, HandoffTrigger } from "@signalbox/contract";
import { sql } from "kysely";
import { objectKey, type EngineCall } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import type { EndReason, Handoff } from "./machine.ts";
import {
  DEFAULT_SETTINGS,
  openSettings,
  settingsOf,
  timerLengths,
  type AgentHandoffSettings,
  type StoredSettings,
} from "./settings.ts";
import type { TimerKind, TimerLengths } from "./timers.ts";

/** A conversation under its row lock: what decides who may speak, as it is now and stays until the commit. */
export interface Conversation {
  agentId: string;
  id: string;
  channel: string;
  control: "bot" | "human";
  epoch: number;
  lastSeq: number;
  /** The desk that was away when the user asked, and takes an address. */
  awayComponentId: string | null;
  userId: string | null;
  anonymousId: string | null;
  email: string | null;
  phone: string | null;
  /** Where replies go beside the live channel's streams, or on the API at all; null when nowhere. */
  messageWebhookId: string | null;
  /** By the database's clock, in milliseconds. */
  at: number;
}

/** A handoff with what belongs to it beside its state. */
export interface KeptHandoff {
  id: string;
  conversationId: string;
  componentId: string;
  /** The name the human speaks under. */
  componentName: string;
  /** The component's own time for it; null: the agent's. */
  firstReply: HandoffTimer | null;
  trigger: HandoffTrigger;
  handoff: Handoff;
  timerCallAt: number | null;
  endedAt: number | null;
}

export interface Scene {
  conversation: Conversation;
  /** The one that was asked for, or the open one; undefined when there is none. */
  kept: KeptHandoff | undefined;
  /** Undefined when the agent was deleted. */
  agent: AgentHandoffSettings | undefined;
}

interface HandoffRow {
  id: string;
  conversation_id: string;
  component_id: string;
  component_name: string | null;
  first_reply: HandoffTimer | null;
  trigger: HandoffTrigger;
  state: Handoff["state"];
  reason: EndReason | null;
  told_seq: number;
  heard_seq: number;
  replied_seq: number;
  timer_kind: TimerKind | null;
  timer_set_at: Date | null;
  timer_due_at: Date | null;
  timer_warnings: number;
  timer_graced: boolean;
  timer_call_at: Date | null;
  ended_at: Date | null;
}

type LockedRow = Omit<Conversation, "agentId" | "id" | "at"> & { at: Date; agent: StoredSettings | null };

const OPEN = sql`h.state in ('requested', 'connecting', 'active')`;

/**
 * Takes the conversation's row lock (rule 1) and reads the handoff behind it. Two statements, one after the other: the second
 * sees what was committed before the lock was granted, which a join in the first would not.
 */
export async function openScene(
  db: Database,
  agentId: string,
  conversationId: string,
  handoffId?: string,
): Promise<Scene | undefined> {
  const locking = sql<LockedRow>`
    select channel, control, epoch, last_seq as "lastSeq",
      away_component_id as "awayComponentId", user_id as "userId", anonymous_id as "anonymousId", email, phone,
      now() as at, ${settingsOf(agentId)} as agent, (select id from webhook
        where agent_id = ${agentId} and kind = 'message' and deleted_at is null
          and (channel = 'api' or mirrors_live)) as "messageWebhookId"
    from conversation where agent_id = ${agentId} and id = ${conversationId} and redacted_at is null for update`.execute(
    db,
  );
  const reading = sql<HandoffRow>`
    select h.id, h.conversation_id, h.component_id, w.name as component_name, w.first_reply, h.trigger, h.state, h.reason,
      h.told_seq, h.heard_seq, h.replied_seq, h.timer_kind, h.timer_set_at, h.timer_due_at, h.timer_warnings, h.timer_graced,
      h.timer_call_at, h.ended_at
    from handoff h left join webhook w on w.id = h.component_id and w.agent_id = h.agent_id
    where h.agent_id = ${agentId} and h.conversation_id = ${conversationId}
      and ${handoffId === undefined ? OPEN : sql`h.id = ${handoffId}`}`.execute(db);
  const [{ rows: conversations }, { rows: handoffs }] = await Promise.all([locking, reading]);
  const [found, row] = [conversations[0], handoffs[0]];
  if (found === undefined) return undefined;
  const { agent, ...conversation } = found;
  return {
    conversation: { ...conversation, agentId, id: conversationId, at: found.at.getTime() },
    kept: row === undefined ? undefined : keep(row),
    agent: agent === null ? undefined : openSettings(agent),
  };
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

/** Word to whoever follows the conversation live, for after the commit. */
export function announcing({ agentId, id, channel }: Conversation): EngineCall[] {
  return channel === "api" ? [] : [{ announce: objectKey(agentId, id) }];
}

/** Rule 4.6: a person can join only where replies reach the user. On the API that is by the message webhook. */
export function reachesUser({ conversation: { channel, messageWebhookId } }: Scene): boolean {
  return channel !== "api" || messageWebhookId !== null;
}

/** Also of an agent that is gone: what it left behind still ends. */
export function lengthsOf({ agent, kept }: Scene): TimerLengths {
  return timerLengths(agent?.settings ?? DEFAULT_SETTINGS, kept?.firstReply);
}

function keep(row: HandoffRow): KeptHandoff {
  return {
    id: row.id,
    conversationId: row.conversation_id,
    componentId: row.component_id,
    componentName: row.component_name ?? "",
    firstReply: row.first_reply,
    trigger: row.trigger,
    handoff: stateOf(row),
    timerCallAt: row.timer_call_at?.getTime() ?? null,
    endedAt: row.ended_at?.getTime() ?? null,
  };
}

function stateOf(row: HandoffRow): Handoff {
  const marks = { toldSeq: row.told_seq, heardSeq: row.heard_seq, repliedSeq: row.replied_seq };
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
