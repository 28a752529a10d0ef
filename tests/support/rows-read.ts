import type { Rows } from "./rows.ts";

/**
 * How many rows of these tables, partitions included, were read so far, by index or in full. `flush` runs on the connection that is
 * watched, because each tells what it read only when asked.
 */
export async function rowsRead(
  rows: Pick<Rows, "query">,
  tables: string[],
  flush: (statement: string) => Promise<unknown>,
): Promise<number> {
  await flush("select pg_stat_force_next_flush()");
  const [row] = await rows.query<{ read: number }>(
    `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as read from pg_stat_user_tables
     where regexp_replace(relname, '_([0-9a-f]|[0-9]{8})$', '') = any($1)`,
    [tables],
  );
  return row?.read ?? 0;
}
