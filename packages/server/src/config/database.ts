import { z } from "zod";
import { count } from "./values.ts";

export const databaseSettings = z.object({
  DATABASE_URL: z
    .url()
    .describe("PostgreSQL, version 15 or newer, as a login that is a member of both service roles"),
  MIGRATION_DATABASE_URL: z
    .url()
    .optional()
    .describe("Login that owns the schema, for `migrate`; DATABASE_URL when left out"),
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
