import { sql } from "kysely";
import { firstIdAt, type Database } from "../platform/index.ts";

export interface SaidSomewhere {
  agentId: string;
  conversationId: string;
}

interface MessageRow extends SaidSomewhere {
  id: string;
}

/** For one agent: a busy one has endless news, and takes none from the others. */
const PER_AGENT = 100;
/** A message's id is made before its transaction commits, and by the clock of its node. */
const LATE_MS = 10_000;

/** Each look tells where something was said since the look before; the first tells nothing. */
export function createMessageWatch(db: Database): () => Promise<SaidSomewhere[]> {
  let known: Map<string, string> | undefined;
  return async () => {
    const { rows } = await sql<MessageRow>`
      select "agentId", "conversationId", id from (
        select agent_id as "agentId", conversation_id as "conversationId", id,
          row_number() over (partition by agent_id order by id desc) as place
        from (
          select distinct on (agent_id, conversation_id) agent_id, conversation_id, id from message
          where id > ${firstIdAt(Date.now() - LATE_MS)}::uuid order by agent_id, conversation_id, id desc) last) newest
      where place <= ${PER_AGENT}`.execute(db);
    const before = known;
    known = new Map(rows.map(({ conversationId, id }) => [conversationId, id]));
    if (before === undefined) return [];
    return rows.filter(({ conversationId, id }) => before.get(conversationId) !== id);
  };
}
