import { ErasedCounts, type Erasure, type ErasurePage, type InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { pageOfRows, pageStart } from "../agents/index.ts";
import { Refusal, refuse, type Database } from "../platform/index.ts";

interface ErasureRow {
  id: string;
  agent_id: string;
  scope: Erasure["scope"];
  state: Erasure["state"];
  erased: Partial<ErasedCounts>;
  created_at: Date;
  finished_at: Date | null;
  conversations_left: number;
}

/** Beyond it nobody counts: a number for people, who wait for zero. */
const LEFT_COUNTED_MAX = 10_000;

const ROWS = sql`
  select e.id, e.agent_id, e.scope, e.state, e.erased, e.created_at, e.finished_at,
    cardinality(e.conversation_ids) + waiting.count as conversations_left
  from erasure e cross join lateral (
    select count(*)::integer as count from (
      select from conversation c where e.state = 'running' and c.agent_id = e.agent_id
        and case e.scope when 'user_id' then c.user_id = e.subject_id when 'anonymous_id' then c.anonymous_id = e.subject_id else true end
      limit ${sql.lit(LEFT_COUNTED_MAX)}) c
  ) waiting`;

export async function getErasure(
  { db }: { db: Database },
  { erasure_id }: InputOf<"getErasure">,
): Promise<Erasure | Refusal> {
  return readErasure(db, erasure_id);
}

export async function readErasure(db: Database, id: string): Promise<Erasure | Refusal> {
  const { rows } = await sql<ErasureRow>`${ROWS} where e.id = ${id}`.execute(db);
  return rows[0] === undefined ? refuse("notFound", "no erasure has this erasure_id") : describe(rows[0]);
}

export async function listErasures(
  { db }: { db: Database },
  { agent_id, cursor, limit }: InputOf<"listErasures">,
): Promise<ErasurePage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const { rows } = await sql<ErasureRow>`
    ${ROWS} where e.id < ${start} ${agent_id === undefined ? sql`` : sql`and e.agent_id = ${agent_id}`}
    order by e.id desc limit ${limit + 1}`.execute(db);
  return pageOfRows(rows, limit, describe);
}

/** Whose erasure this is. */
export async function agentOfErasure(db: Database, erasureId: string): Promise<string | undefined> {
  const found = await db
    .selectFrom("erasure")
    .select("agent_id")
    .where("id", "=", erasureId)
    .executeTakeFirst();
  return found?.agent_id;
}

const NOTHING = Object.fromEntries(Object.keys(ErasedCounts.shape).map((name) => [name, 0])) as ErasedCounts;

function describe(row: ErasureRow): Erasure {
  return {
    erasure_id: row.id,
    agent_id: row.agent_id,
    scope: row.scope,
    state: row.state,
    conversations_left: row.conversations_left,
    erased: { ...NOTHING, ...row.erased },
    create_time: row.created_at.getTime(),
    finish_time: row.finished_at?.getTime() ?? null,
  };
}
