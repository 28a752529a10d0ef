import { sql } from "kysely";
import { firstIdAt, type Database } from "../platform/index.ts";

export interface SaidSomewhere {
  agentId: string;
  conversationId: string;
}

interface MessageRow extends SaidSomewhere {
  id: string;
}

const READ_MAX = 300;
/** A message's id is made before its transaction commits, and by the clock of its node. */
const LATE_MS = 10_000;

/** Each look tells where something was said since the look before; the first tells nothing. */
export function createMessageWatch(db: Database): () => Promise<SaidSomewhere[]> {
  let known: Set<string> | undefined;
  return async () => {
    const { rows } = await sql<MessageRow>`
      select agent_id as "agentId", conversation_id as "conversationId", id from message
      where id > ${firstIdAt(Date.now() - LATE_MS)}::uuid order by id desc limit ${READ_MAX}`.execute(db);
    const before = known;
    known = new Set(rows.map(({ id }) => id));
    return before === undefined ? [] : rows.filter(({ id }) => !before.has(id));
  };
}
