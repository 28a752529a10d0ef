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
  /** Accepted within the last NEW_SECONDS. The old deliveries of an agent that is followed from now on are no news. */
  is_new: boolean;
}

/** Those accepted last are watched, of all agents and of each that is followed, and those of them that are still pending later. */
const NEWEST = 300;
const NEWEST_OF_FOLLOWED = 3_000;
const NEWEST_OF_ONE_MAX = 100;
const PENDING_MAX = 600;
/** No transaction takes longer from its beginning to its commit. */
const NEW_SECONDS = 60;

/**
 * Each look tells which deliveries are new or have a new state since the look before; the first tells none. It reads a
 * bounded number of rows by index, however many there are: no index holds the time of the last change. The agents that are
 * followed have their share of them, so that a busy one hides nobody's news.
 */
export function createDeliveryWatch(
  db: Database,
): (followed: readonly string[]) => Promise<ChangedDelivery[]> {
  let marks: Map<string, string> | undefined;
  let pending: MarkedRow[] = [];
  return async (followed) => {
    const rows = await readWatched(db, pending, followed);
    const changed = rows.filter((row) => marks !== undefined && isNews(marks, row));
    marks = new Map(rows.map((row) => [row.id, markOf(row)]));
    pending = sharedOut(rows.filter(({ state }) => state === "pending"));
    return changed.length === 0 ? [] : withConversations(db, changed);
  };
}

function isNews(marks: ReadonlyMap<string, string>, row: MarkedRow): boolean {
  const mark = marks.get(row.id);
  return mark === undefined ? row.is_new : mark !== markOf(row);
}

function markOf({ state, attempts }: MarkedRow): string {
  return `${state} ${attempts}`;
}

/** The newest of each agent first, then the second of each, and so on: what is one too many is a busy agent's. */
function sharedOut(rows: MarkedRow[]): MarkedRow[] {
  const seen = new Map<string, number>();
  const placed = rows.map((row) => {
    const place = seen.get(row.agent_id) ?? 0;
    seen.set(row.agent_id, place + 1);
    return { row, place };
  });
  return placed
    .toSorted((one, other) => one.place - other.place)
    .slice(0, PENDING_MAX)
    .map(({ row }) => row);
}

async function readWatched(
  db: Database,
  pending: MarkedRow[],
  followed: readonly string[],
): Promise<MarkedRow[]> {
  const ofOne = Math.floor(NEWEST_OF_FOLLOWED / Math.max(1, followed.length));
  const columns = sql`d.agent_id, d.lane_id, d.id, d.created_at, d.state, d.attempts,
    d.created_at > now() - ${NEW_SECONDS} * interval '1 second' as is_new`;
  const { rows } = await sql<MarkedRow>`
    (select ${columns} from delivery d order by d.created_at desc, d.id desc limit ${NEWEST})
    union
    select ${columns} from unnest(${followed}::uuid[]) f(agent_id) cross join lateral (
      select * from delivery where agent_id >= f.agent_id and agent_id <= f.agent_id
        and created_at > now() - interval '1 day'
      order by agent_id desc, created_at desc, id desc limit ${Math.min(NEWEST_OF_ONE_MAX, Math.max(1, ofOne))}) d
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
