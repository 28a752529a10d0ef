import type { CurrentHandoff, HandoffView } from "@signalbox/contract";
import { sql } from "kysely";
import type { Database } from "../platform/index.ts";

export interface ViewRow {
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

export const VIEW_COLUMNS = sql`id, agent_id, conversation_id, component_id, trigger, state, reason, timer_kind,
  timer_due_at, requested_at, first_reply_at, ended_at`;

export function describeHandoff(row: ViewRow): HandoffView {
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
