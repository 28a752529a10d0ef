import type { InputOf, TalkPage } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { auditRead, requireAgent } from "../agents/index.ts";
import { findMessages, MESSAGES_FOUND_MAX } from "../conversations/index.ts";
import {
  inTransaction,
  planForValues,
  refuse,
  type Database,
  type OperatorCaller,
  type Refusal,
} from "../platform/index.ts";
import { describeTalk, talkRows, type TalkRow } from "./talk-row.ts";

type Search = InputOf<"searchTalks">;
type Sql = RawBuilder<unknown>;

const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** A view, page by page. A search for words is audited; the queue itself is what people work from, and is not. */
export async function searchTalks(
  { db }: { db: Database },
  caller: OperatorCaller,
  search: Search,
): Promise<TalkPage | Refusal> {
  const { agent_id: agentId, text, cursor } = search;
  const missing = await requireAgent(db, agentId);
  if (missing !== undefined) return missing;
  const start = cursor === undefined ? undefined : CURSOR.exec(cursor);
  if (start === null)
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  const view = viewOf(search, caller);
  const from = start && { at: new Date(Number(start[1])), id: start[2] ?? LAST };
  const found =
    text === undefined ? readPage(db, search, view, from) : readFound(db, search, text, view, from?.id);
  const [{ rows, next_cursor }, counts] = await Promise.all([found, readCounts(db, agentId, caller)]);
  const page = { list: rows.map((row) => describeTalk(row, caller)), next_cursor, counts };
  if (text === undefined) return page;
  return auditRead({ db }, caller, { action: "inbox.search", agentId, subjectId: agentId }, page);
}

interface View {
  where: Sql;
  column: "requested_at" | "active_at" | "closed_at";
  order: "asc" | "desc";
}

function viewOf({ view, team_id }: Search, caller: OperatorCaller): View {
  const ofTeam = team_id === undefined ? sql`` : sql`and team_id = ${team_id}`;
  switch (view) {
    case "waiting":
      return { where: sql`state = 'waiting' ${ofTeam}`, column: "requested_at", order: "asc" };
    case "mine":
      return {
        where: sql`state <> 'closed' and ${isMine(caller)} ${ofTeam}`,
        column: "active_at",
        order: "desc",
      };
    case "team": {
      const where = team_id === undefined ? isOfTeam(caller) : sql`state <> 'closed' ${ofTeam}`;
      return { where, column: "active_at", order: "desc" };
    }
    case "closed":
      return { where: sql`state = 'closed' ${ofTeam}`, column: "closed_at", order: "desc" };
  }
}

/** What anybody has taken, and what waits for a team of the caller's. */
function isOfTeam({ actor, actorId }: OperatorCaller): Sql {
  return sql`(state = 'taken' or (state = 'waiting' and team_id in (select m.team_id from inbox_team_member m
    where m.agent_id = inbox_talk.agent_id and m.account_id = ${actor === "account" ? actorId : null}::uuid)))`;
}

function isMine({ actor, actorId }: OperatorCaller): Sql {
  return sql`((state = 'taken' and holder = ${actor} and holder_id is not distinct from ${actorId}::uuid)
    or offered_to = ${actor === "account" ? actorId : null}::uuid)`;
}

interface Page {
  rows: TalkRow[];
  next_cursor: string | null;
}

async function readPage(
  db: Database,
  { agent_id, limit }: Search,
  { where, column, order }: View,
  from: { at: Date; id: string } | undefined,
): Promise<Page> {
  const [key, direction] = [sql.ref(column), sql.raw(order)];
  const behind =
    from === undefined
      ? sql``
      : sql`and (${key}, id) ${sql.raw(order === "asc" ? ">" : "<")} (${from.at}, ${from.id}::uuid)`;
  const { rows } = await talkRows(sql`
    select * from inbox_talk where agent_id = ${agent_id} and ${where} ${behind}
    order by ${key} ${direction}, id ${direction} limit ${limit + 1}`).execute(db);
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { rows: page, next_cursor: last === undefined ? null : `${keyOf(last, column)}_${last.id}` };
}

function keyOf(row: TalkRow, column: View["column"]): number {
  return (row[column] ?? row.requested_at).getTime();
}

/** Newest conversation first, and all chats of one on the same page: the cursor names the conversation. */
async function readFound(
  db: Database,
  { agent_id, limit }: Search,
  text: string,
  { where }: View,
  before = LAST,
): Promise<Page> {
  const messages = await inTransaction(db, async (db) => {
    await planForValues(db);
    return findMessages(db, agent_id, text, before);
  });
  const ids = [...new Set(messages.map(({ conversation_id }) => conversation_id))];
  const { rows } = await talkRows(sql`
    select * from inbox_talk where agent_id = ${agent_id} and conversation_id = any(${ids}::uuid[]) and ${where}
    order by conversation_id desc, requested_at desc`).execute(db);
  const last = rows[limit - 1]?.conversation_id;
  const page = last === undefined ? rows : rows.filter((row) => row.conversation_id >= last);
  const end =
    page.length < rows.length || messages.length >= MESSAGES_FOUND_MAX ? (last ?? ids.at(-1)) : null;
  return { rows: page, next_cursor: end === null || end === undefined ? null : `0_${end}` };
}

async function readCounts(
  db: Database,
  agentId: string,
  caller: OperatorCaller,
): Promise<TalkPage["counts"]> {
  const { rows } = await sql<TalkPage["counts"]>`
    select count(*) filter (where state = 'waiting')::integer as waiting,
      count(*) filter (where ${isMine(caller)})::integer as mine,
      count(*) filter (where ${isOfTeam(caller)})::integer as team
    from inbox_talk where agent_id = ${agentId} and state <> 'closed'`.execute(db);
  return rows[0] ?? { waiting: 0, mine: 0, team: 0 };
}
