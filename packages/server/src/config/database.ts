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
  DATABASE_POOL_SIZE: count(2, 200)
    .default(10)
    .describe("Size of each of the three connection pools in one process"),
  CONSOLE_POOL_SIZE: count(1, 200)
    .optional()
    .describe(
      "Size of the fourth pool, which serves people and operator tokens in the roles that serve the API. Defaults to half of DATABASE_POOL_SIZE",
    ),
});

export function readDatabase(settings: z.infer<typeof databaseSettings>) {
  return {
    url: settings.DATABASE_URL,
    migrationUrl: settings.MIGRATION_DATABASE_URL ?? settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    consolePoolSize: settings.CONSOLE_POOL_SIZE ?? halfOf(settings.DATABASE_POOL_SIZE),
  };
}
