import { sql } from "kysely";
import { isDatabaseUnavailable, type Database } from "./database.ts";
import { pause } from "./lifecycle.ts";
import type { Log } from "./log.ts";
import { refusalOfOptions } from "./pooled-client.ts";

const LOOK_EVERY_MS = 1_000;

/**
 * Waits until PostgreSQL takes connections, for as long as it takes: when a whole machine starts it comes later than we do. One
 * line says that we wait and one that it is there. What is wrong with the login or the schema is not ours to judge.
 */
export async function awaitDatabase(db: Database, log: Log, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  let waits = false;
  while (!signal.aborted) {
    const reason = await reasonToWait(db);
    if (reason === undefined) break;
    if (!waits) log.warn("database_unavailable", { reason });
    waits = true;
    await pause(LOOK_EVERY_MS, signal);
  }
  if (waits) log.info("database_available", { waitedMs: Math.round(performance.now() - began) });
}

async function reasonToWait(db: Database): Promise<string | undefined> {
  try {
    await sql`select`.execute(db);
    return undefined;
  } catch (error) {
    if (!isDatabaseUnavailable(error) || refusalOfOptions(error) !== undefined) return undefined;
    return messageOf(error);
  }
}

/** A connection that is tried on several addresses fails with a reason for each. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
