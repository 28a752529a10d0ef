import { z } from "zod";
import { count, halfOf } from "./values.ts";

export const databaseSettings = z.object({
  DATABASE_URL: z
    .url()
    .describe(
      "Connection string of the service's own login, on PostgreSQL 15 or newer. This login owns nothing and is a member of both service roles",
    ),
  MIGRATION_DATABASE_URL: z
    .url()
    .optional()
    .describe(
      "Connection string of the login that owns the database. Only `migrate` uses it. Defaults to DATABASE_URL",
    ),
  DATABASE_POOLER: z
    .enum(["true", "false"])
    .default("false")
    .describe(
      "`true`: DATABASE_URL leads to a connection pooler such as PgBouncer, in session or transaction mode. Needs DATABASE_DIRECT_URL",
    ),
  DATABASE_DIRECT_URL: z
    .url()
    .optional()
    .describe(
      "Connection string of the same login past the pooler, for the few connections that need one of their own: LISTEN, leader election and imports. Defaults to DATABASE_URL",
    ),
  DATABASE_POOL_SIZE: count(2, 200)
    .default(10)
    .describe("Size of each of the three connection pools in one process"),
  CONSOLE_POOL_SIZE: count(1, 200)
    .optional()
    .describe(
      "Size of the fourth pool, which serves people and operator tokens in the roles that serve the API. Defaults to half of DATABASE_POOL_SIZE",
    ),
});

type Settings = z.infer<typeof databaseSettings>;

/** A pooler cannot carry what lasts longer than a transaction. */
export function poolerMistake({ DATABASE_POOLER, DATABASE_DIRECT_URL }: Settings): string | undefined {
  return DATABASE_POOLER === "true" && DATABASE_DIRECT_URL === undefined
    ? "DATABASE_POOLER=true needs DATABASE_DIRECT_URL, which leads past the pooler"
    : undefined;
}

export function readDatabase(settings: Settings) {
  return {
    url: settings.DATABASE_URL,
    pooled: settings.DATABASE_POOLER === "true",
    directUrl: settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL,
    migrationUrl: settings.MIGRATION_DATABASE_URL ?? settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    consolePoolSize: settings.CONSOLE_POOL_SIZE ?? halfOf(settings.DATABASE_POOL_SIZE),
  };
}
