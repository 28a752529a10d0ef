import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import {
  KEPT_OPEN,
  startupOptions,
  typeParsers,
  type DatabaseOptions,
  type WorkDatabase,
} from "./database.ts";
import { throughPooler } from "./pooled-client.ts";
import { watchPool } from "./pool-load.ts";
import type { Tables } from "./tables.generated.ts";

const SETTINGS: Record<string, string> = {
  // Behind a policy PostgreSQL cannot use the index of terms, as @@ is not leakproof: every search names its agent instead.
  role: "signalbox_work",
  statement_timeout: "30s",
  lock_timeout: "10s",
  // Words differ in how rare they are and bases in how large: a plan for any of them is a bad plan for most.
  plan_cache_mode: "force_custom_plan",
  // An index of vectors looks on until there are as many of current revisions as were asked for.
  "hnsw.iterative_scan": "strict_order",
  "hnsw.ef_search": "200",
};

/** Where knowledge is searched: reads only, across agents, each statement planned for its own parameters. */
export function openSearchDatabase({
  url,
  pooled = false,
  poolSize,
  onError,
}: Omit<DatabaseOptions, "role">): WorkDatabase {
  const pool = new pg.Pool({
    connectionString: url,
    ...(pooled
      ? throughPooler({ transaction_read_only: "on", ...SETTINGS })
      : { options: startupOptions({ default_transaction_read_only: "on", ...SETTINGS }) }),
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    ...KEPT_OPEN,
    types: typeParsers,
    application_name: "signalbox_search",
  });
  pool.on("connect", (client) => client.on("error", onError));
  pool.on("error", onError);
  // Nothing is named here: each statement is planned for its own parameters.
  const watched = watchPool(pool, {});
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: watched }) });
  return { db, load: () => watched.load(), close: () => db.destroy() };
}
