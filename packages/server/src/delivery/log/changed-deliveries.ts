import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";

export interface ChangedDelivery {
  agentId: string;
  id: string;
  conversationId: string;
}

interface MarkedRow {
  agent_id: string;
  lane_id: string;
  id: string;
  created_at: Date;
  state: string;
  attempts: number;
}

/** Those accepted last are watched, and those of them that are still pending later. */
const NEWEST = 300;
const PENDING_MAX = 600;

/**
 * Each look tells which deliveries are new or have a new state since the look before; the first tells none. It reads a
 * bounded number of rows by index, however many there are: no index holds the time of the last change.
 */
export function createDeliveryWatch(db: Database): () => Promise<ChangedDelivery[]> {
  let marks: Map<string, string> | undefined;
  let pending: MarkedRow[] = [];
  return async () => {
    const rows = await readWatched(db, pending);
    const changed = rows.filter((row) => marks !== undefined && marks.get(row.id) !== markOf(row));
    marks = new Map(rows.map((row) => [row.id, markOf(row)]));
    pending = rows.filter(({ state }) => state === "pending").slice(0, PENDING_MAX);
    return changed.length === 0 ? [] : withConversations(db, changed);
  };
}

function markOf({ state, attempts }: MarkedRow): string {
  return `${state} ${attempts}`;
}

async function readWatched(db: Database, pending: MarkedRow[]): Promise<MarkedRow[]> {
  const columns = sql`d.agent_id, d.lane_id, d.id, d.created_at, d.state, d.attempts`;
  const { rows } = await sql<MarkedRow>`
    (select ${columns} from delivery d order by d.created_at desc, d.id desc limit ${NEWEST})
    union
    select ${columns} from unnest(${pending.map(({ agent_id }) => agent_id)}::uuid[],
      ${pending.map(({ created_at }) => created_at)}::timestamptz[],
      ${pending.map(({ id }) => id)}::uuid[]) p(agent_id, created_at, id)
    join delivery d on d.agent_id = p.agent_id and d.created_at = p.created_at and d.id = p.id
    order by created_at desc`.execute(db);
  return rows;
}

async function withConversations(db: Database, changed: MarkedRow[]): Promise<ChangedDelivery[]> {
  const { rows } = await sql<ChangedDelivery>`
    select c.agent_id as "agentId", c.id, l.conversation_id as "conversationId"
    from unnest(${changed.map((row) => row.agent_id)}::uuid[], ${changed.map((row) => row.lane_id)}::uuid[],
      ${changed.map((row) => row.id)}::uuid[]) c(agent_id, lane_id, id)
    join lane l on l.agent_id = c.agent_id and l.id = c.lane_id`.execute(db);
  return rows;
}
