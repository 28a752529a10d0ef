import { z } from "zod";
import { count } from "./values.ts";

export const databaseSettings = z.object({
  DATABASE_URL: z
    .url()
    .describe(
      "PostgreSQL 15 or newer, as the service's own login: it owns nothing and may take on both service roles",
    ),
  MIGRATION_DATABASE_URL: z
    .url()
    .optional()
    .describe("The same database as the login that owns it, for `migrate` alone"),
  DATABASE_POOL_SIZE: count(2, 200)
    .default(10)
    .describe("Connections of each of the three pools of a process"),
});

export function readDatabase(settings: z.infer<typeof databaseSettings>) {
  return {
    url: settings.DATABASE_URL,
    migrationUrl: settings.MIGRATION_DATABASE_URL ?? settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
  };
}
