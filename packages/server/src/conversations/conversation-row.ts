import type { ConversationEntry, ConversationOutcome } from "@signalbox/contract";
import { sql } from "kysely";

export interface ConversationRow {
  id: string;
  agent_id: string;
  channel: ConversationEntry["channel"];
  user_id: string | null;
  anonymous_id: string | null;
  email: string | null;
  phone: string | null;
  control: ConversationEntry["control"];
  epoch: number;
  outcome: ConversationOutcome;
  last_seq: number;
  redacted_at: Date | null;
  created_at: Date;
}

/** The first that holds, of the conversation `c`. */
const OUTCOME = sql`case
  when c.last_seq = 0 then 'empty'
  when c.control = 'human' then 'with_human'
  when c.turn_done_seq < c.turn_due_seq then 'waiting'
  when c.no_answers > 0 then 'unanswered'
  else 'answered' end`;

export const CONVERSATION_COLUMNS = sql`c.id, c.agent_id, c.channel, c.user_id, c.anonymous_id, c.email, c.phone, c.control,
  c.epoch, ${OUTCOME} as outcome, c.last_seq, c.redacted_at, c.created_at`;

export function describeConversation(row: ConversationRow): Omit<ConversationEntry, "last_message"> {
  return {
    conversation_id: row.id,
    agent_id: row.agent_id,
    channel: row.channel,
    user_id: row.user_id,
    anonymous_id: row.anonymous_id,
    control: row.control,
    epoch: row.epoch,
    outcome: row.outcome,
    message_count: row.last_seq,
    is_redacted: row.redacted_at !== null,
    create_time: row.created_at.getTime(),
  };
}
