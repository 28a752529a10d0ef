import type { HandoffPage, InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { refuse, type Database, type Refusal } from "../platform/index.ts";
import { describeHandoff, VIEW_COLUMNS, type ViewRow } from "./handoff-view.ts";

const CURSOR = /^(\d{1,15})_([0-9a-f-]{36})$/;

/** Newest first, of one agent: no query crosses agents. */
export async function listHandoffs(
  { db }: { db: Database },
  { agent_id, state, cursor, limit }: InputOf<"listHandoffs">,
): Promise<HandoffPage | Refusal> {
  const start = cursor === undefined ? undefined : CURSOR.exec(cursor);
  if (start === null) return refuse("badParameter", "cursor must be a next_cursor of this list");
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
