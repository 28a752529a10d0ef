import { refuse, type Refusal } from "../platform/index.ts";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LAST = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** Lists run from the newest to the oldest by id, which is ordered by time; a cursor is the last id seen. */
export function pageStart(cursor: string | undefined): string | Refusal {
  if (cursor === undefined) return LAST;
  return UUID.test(cursor)
    ? cursor
    : refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
}

/** Rows are read one beyond the page, which tells whether another follows. */
export function pageOfRows<Row extends { id: string }, Entry>(
  rows: Row[],
  limit: number,
  toEntry: (row: Row) => Entry,
): { list: Entry[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  return { list: page.map(toEntry), next_cursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}
