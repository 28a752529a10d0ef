import type { Rows } from "./rows.ts";

/**
 * How many rows of each of these tables, partitions included, were read so far, by index or in full. `flush` runs on the connection
 * that is watched, because each tells what it read only when asked.
 */
export async function rowsReadByTable(
  rows: Pick<Rows, "query">,
  tables: string[],
  flush: (statement: string) => Promise<unknown>,
): Promise<Map<string, number>> {
  await flush("select pg_stat_force_next_flush()");
  const found = await rows.query<{ name: string; read: number }>(
    `select name, sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
     from pg_stat_user_tables, regexp_replace(relname, '_([0-9a-f]|[0-9]{8})$', '') as name
     where name = any($1) group by name`,
    [tables],
  );
  return new Map(found.map(({ name, read }) => [name, read]));
}

export async function rowsRead(...given: Parameters<typeof rowsReadByTable>): Promise<number> {
  const byTable = await rowsReadByTable(...given);
  return [...byTable.values()].reduce((sum, read) => sum + read, 0);
}
