import type { Rows } from "./rows.ts";

/** Runs a statement on the connection that is watched. */
type OnWatched = (statement: string) => Promise<{ rows: unknown[] }>;

/** How many rows of each of these tables, partitions included, the work read on the watched connection. */
export async function rowsReadBy(
  rows: Pick<Rows, "query">,
  tables: string[],
  onWatched: OnWatched,
  work: () => Promise<unknown>,
): Promise<Map<string, number>> {
  await endOthers(rows, onWatched);
  const before = await rowsReadSoFar(rows, tables, onWatched);
  await work();
  const after = await rowsReadSoFar(rows, tables, onWatched);
  return new Map(tables.map((table) => [table, (after.get(table) ?? 0) - (before.get(table) ?? 0)]));
}

/** A connection may tell ten seconds late what it read, or at its end: so the others end before anything is counted. */
async function endOthers(rows: Pick<Rows, "query">, onWatched: OnWatched): Promise<void> {
  const watched = (await onWatched("select pg_backend_pid() as pid")).rows as { pid: number }[];
  await rows.query(
    `select pg_stat_force_next_flush(), pg_terminate_backend(pid, 60000) from pg_stat_activity
     where datname = current_database() and pid <> all($1) and pid <> pg_backend_pid()`,
    [watched.map(({ pid }) => pid)],
  );
}

async function rowsReadSoFar(
  rows: Pick<Rows, "query">,
  tables: string[],
  onWatched: OnWatched,
): Promise<Map<string, number>> {
  await onWatched("select pg_stat_force_next_flush()");
  const found = await rows.query<{ name: string; read: number }>(
    `select name, sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read
     from pg_stat_user_tables, regexp_replace(relname, '_([0-9a-f]|[0-9]{8})$', '') as name
     where name = any($1) group by name`,
    [tables],
  );
  return new Map(found.map(({ name, read }) => [name, read]));
}
