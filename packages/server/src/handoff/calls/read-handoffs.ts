import type { CurrentHandoff, HandoffPage, HandoffView, InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import {
  refuse,
  type AgentCaller,
  type AgentDatabase,
  type Database,
  type Refusal,
} from "../../platform/index.ts";

interface ViewRow {
  id: string;
  agent_id: string;
  conversation_id: string;
  component_id: string;
  trigger: HandoffView["trigger"];
  state: HandoffView["state"];
  reason: HandoffView["reason"];
  timer_kind: NonNullable<HandoffView["timer"]>["kind"] | null;
  timer_due_at: Date | null;
  requested_at: Date;
  first_reply_at: Date | null;
  ended_at: Date | null;
}

const VIEW_COLUMNS = sql`id, agent_id, conversation_id, component_id, trigger, state, reason, timer_kind,
  timer_due_at, requested_at, first_reply_at, ended_at`;

function describeHandoff(row: ViewRow): HandoffView {
  return {
    handoff_id: row.id,
    agent_id: row.agent_id,
    conversation_id: row.conversation_id,
    component_id: row.component_id,
    trigger: row.trigger,
    state: row.state,
    reason: row.reason,
    request_time: row.requested_at.getTime(),
    first_reply_time: row.first_reply_at?.getTime() ?? null,
    end_time: row.ended_at?.getTime() ?? null,
    timer:
      row.timer_kind === null || row.timer_due_at === null
        ? null
        : { kind: row.timer_kind, due_time: row.timer_due_at.getTime() },
  };
}

/** Who speaks in a conversation of this agent, and its last handoff. */
export async function getHandoff(
  { agents }: { agents: AgentDatabase },
  { agentId }: AgentCaller,
  { conversation_id }: InputOf<"getHandoff">,
): Promise<CurrentHandoff | Refusal> {
  const current = await agents.asAgent(agentId, (db) => readCurrent(db, agentId, conversation_id));
  return current ?? unknownConversation();
}

const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

/** Newest first, of one agent: no query crosses agents. */
export async function listHandoffs(
  { db }: { db: Database },
  { agent_id, state, cursor, limit }: InputOf<"listHandoffs">,
): Promise<HandoffPage | Refusal> {
  const start = cursor === undefined ? undefined : CURSOR.exec(cursor);
  if (start === null)
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  const { rows } = await sql<ViewRow>`
    select ${VIEW_COLUMNS} from handoff
    where agent_id = ${agent_id}
      ${state === undefined ? sql`` : sql`and state = ${state}`}
      ${start === undefined ? sql`` : sql`and (requested_at, id) < (${new Date(Number(start[1]))}, ${start[2]}::uuid)`}
    order by requested_at desc, id desc limit ${limit + 1}`.execute(db);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const isMore = rows.length > limit && last !== undefined;
  return {
    list: page.map(describeHandoff),
    next_cursor: isMore ? `${last.requested_at.getTime()}_${last.id}` : null,
  };
}

/** All of one conversation, oldest first. */
export async function readHandoffsOf(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<HandoffView[]> {
  const { rows } = await sql<ViewRow>`
    select ${VIEW_COLUMNS} from handoff
    where agent_id = ${agentId} and conversation_id = ${conversationId} order by requested_at, id`.execute(
    db,
  );
  return rows.map(describeHandoff);
}

/** Who speaks, and the conversation's last handoff. Undefined: there is no such conversation of this agent. */
export async function readCurrent(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<CurrentHandoff | undefined> {
  const conversation = await db
    .selectFrom("conversation")
    .select("control")
    .where("agent_id", "=", agentId)
    .where("id", "=", conversationId)
    .executeTakeFirst();
  if (conversation === undefined) return undefined;
  const { rows } = await sql<ViewRow>`
    select ${VIEW_COLUMNS} from handoff
    where agent_id = ${agentId} and conversation_id = ${conversationId}
    order by requested_at desc, ended_at desc nulls first limit 1`.execute(db);
  const last = rows[0];
  return {
    control: conversation.control as CurrentHandoff["control"],
    handoff: last === undefined ? null : describeHandoff(last),
  };
}

export function unknownConversation(): Refusal {
  return refuse("unknownConversation", "create a conversation with POST /v1/conversation");
}
