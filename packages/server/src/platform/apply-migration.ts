import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { runsOutside, statementsOf } from "./migration-statements.ts";
import { oldestProgramOf, type Migration } from "./schema-plan.ts";
import { inheritedRoles } from "./service-roles.ts";

/** How long a migration waits for a lock before it lets everybody behind it through, and how often it comes back. */
export interface LockWaits {
  lockTimeoutMs?: number;
  tries?: number;
  pauseMs?: number;
}

const LOCK_NOT_AVAILABLE = "55P03";
const PAUSE_MS_MAX = 15_000;

/**
 * One migration in one transaction. A statement that waits for a lock makes all later ones on its table wait too, reads
 * included, so it waits only shortly, undoes everything, and tries again.
 */
export async function applyMigration(
  client: pg.Client,
  migration: Migration,
  { log, lockTimeoutMs = 2_000, tries = 30, pauseMs = 1_000 }: LockWaits & { log: (line: string) => void },
): Promise<void> {
  if (runsOutside(migration.text)) return applyOutside(client, migration);
  for (let tried = 1; ; tried += 1) {
    try {
      await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`);
      await applyInside(client, migration);
      await client.query("commit");
      return;
    } catch (error) {
      // The connection may be what was lost; then this fails too, and the first reason is the one to tell.
      await client.query("rollback").catch(() => undefined);
      if (!(error instanceof pg.DatabaseError) || error.code !== LOCK_NOT_AVAILABLE) throw error;
      if (tried >= tries)
        throw new Error(
          `${migration.name} did not get its locks in ${tries} tries; end the long transactions that pg_stat_activity shows, or a running backup, and migrate again`,
          { cause: error },
        );
      const waitMs = Math.min(PAUSE_MS_MAX, pauseMs * 2 ** (tried - 1));
      log(`${migration.name} waits for a lock (${error.message}); trying again in ${waitMs / 1_000} s`);
      await pause(waitMs);
    }
  }
}

async function applyInside(client: pg.Client, migration: Migration): Promise<void> {
  const inherited = await inheritedRoles(client);
  await client.query(migration.text);
  // The first one, of a time when the owner was the service too, lets it inherit both roles, and with them their policies.
  for (const role of await inheritedRoles(client))
    if (!inherited.includes(role)) await client.query(`revoke ${role} from current_user`);
  await record(client, migration);
}

/** Statement by statement. One that fails has left its predecessors behind, so each of them can run again. */
async function applyOutside(client: pg.Client, migration: Migration): Promise<void> {
  for (const statement of statementsOf(migration.text)) await client.query(statement);
  await record(client, migration);
}

async function record(client: pg.Client, migration: Migration): Promise<void> {
  await client.query("insert into schema_migration (name, checksum, oldest_program) values ($1, $2, $3)", [
    migration.name,
    migration.checksum,
    oldestProgramOf(migration),
  ]);
}
