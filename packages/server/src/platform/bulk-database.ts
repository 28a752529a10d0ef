import type { Writable } from "node:stream";
import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { typeParsers, type Database } from "./database.ts";
import type { Tables } from "./tables.generated.ts";

/** The result of the work, and whether its writes stay. */
export interface BulkOutcome<Result> {
  keep: boolean;
  result: Result;
}

/** Transactions that write a lot: each on a connection of its own, with the work role, COPY and no statement timeout. */
export interface BulkDatabase {
  inBulkTransaction<Result>(
    work: (db: Database, copyInto: (statement: string) => Writable) => Promise<BulkOutcome<Result>>,
  ): Promise<Result>;
}

export function openBulkDatabase({
  url,
  onError,
}: {
  url: string;
  onError: (error: Error) => void;
}): BulkDatabase {
  return {
    async inBulkTransaction(work) {
      const client = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: 5_000,
        keepAlive: true,
        application_name: "signalbox_bulk",
        options:
          "-c role=signalbox_work -c statement_timeout=0 -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s",
        types: typeParsers,
      });
      client.on("error", onError);
      await client.connect();
      try {
        const db = kyselyOn(client);
        await sql`begin`.execute(db);
        const { keep, result } = await work(db, (statement) => client.query(copyFrom(statement)));
        await (keep ? sql`commit` : sql`rollback`).execute(db);
        return result;
      } finally {
        // Uncommitted work ends with its connection.
        await client.end().catch(() => undefined);
      }
    },
  };
}

/** Kysely wants a pool: this one has a single client, which stays ours. */
function kyselyOn(client: pg.Client): Database {
  const borrowed = {
    query: client.query.bind(client),
    release: () => undefined,
  };
  return new Kysely<Tables>({
    dialect: new PostgresDialect({
      // Safe because the driver asks a pool for nothing but these two.
      pool: { connect: async () => borrowed, end: async () => undefined } as unknown as pg.Pool,
    }),
  });
}
