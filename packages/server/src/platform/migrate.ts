import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { ACCESS } from "./access.generated.ts";
import { fingerprintOf, type Access } from "./access.ts";
import { applyMigration, type LockWaits } from "./apply-migration.ts";
import { accessProblems, restoreAccess } from "./restore-access.ts";
import { APPLIED, newerSchema, planMigrations, type Applied, type Migration } from "./schema-plan.ts";
import { admitService, makeMissingRoles } from "./service-roles.ts";

const FOLDER = new URL("../../migrations/", import.meta.url);
const LOCK = 7_305_021;

export async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => /^\d{4}_[a-z_]+\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, FOLDER), "utf8");
      return { name, text, checksum: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

/** Which migrations a database has, by a look that leaves even an empty one as it is. */
export function readApplied(url: string): Promise<Applied[]> {
  return look(url, async (client) => {
    const table = await client.query<{ found: boolean }>(
      "select to_regclass('schema_migration') is not null as found",
    );
    if (table.rows[0]?.found !== true) return [];
    return (await client.query<Applied>(APPLIED)).rows;
  });
}

/** About how many rows the tables have that exist, their partitions included. */
export function readRows(url: string, tables: string[]): Promise<Map<string, number>> {
  return look(url, async (client) => {
    const { rows } = await client.query<{ name: string; rows: number }>(
      `select name, (
         select coalesce(sum(greatest(reltuples, 0)), 0)::float8 from pg_class c
         where relkind = 'r' and (c.oid = t or c.oid in (select relid from pg_partition_tree(t)))
       ) as rows from unnest($1::text[]) name, to_regclass(quote_ident(name)) t where t is not null`,
      [tables],
    );
    return new Map(rows.map((row) => [row.name, row.rows]));
  });
}

/** Roles, rights and policies that differ from those the migrations made. A newer schema may have more. */
export function verifyAccess(url: string, { mayHaveMore = false } = {}): Promise<string[]> {
  return look(url, (client) => accessProblems(client, ACCESS.statements, mayHaveMore));
}

async function look<Result>(url: string, ask: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: url, application_name: "signalbox_migrate" });
  await client.connect();
  try {
    await client.query("begin transaction read only; set local search_path = public");
    return await ask(client);
  } finally {
    await client.end();
  }
}

export interface MigrateOptions {
  log: (line: string) => void;
  /** The service's own login, where it is not the owner's. */
  serviceLogin?: string | undefined;
  /** What the migrations gave, restored where it was lost. */
  access?: Access;
  locks?: LockWaits;
}

/** Forward only, one transaction a file, one migrator at a time. Returns the names it applied. */
export async function migrate(
  url: string,
  migrations: Migration[],
  { log, serviceLogin, access = ACCESS, locks = {} }: MigrateOptions,
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: "signalbox_migrate" });
  await client.connect();
  try {
    // Row-level security binds the owner too: without this a migration would see no row.
    await client.query("set signalbox.maintenance = on; set search_path = public");
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    await client.query(
      "create table if not exists schema_migration (name text primary key, checksum text not null, applied_at timestamptz not null default now())",
    );
    const applied = (await client.query<Applied>(APPLIED)).rows;
    const { pending, newer, mismatch } = planMigrations(migrations, applied);
    if (mismatch !== undefined) throw new Error(mismatch);
    if (newer.length > 0) {
      log(newerSchema(newer));
      return [];
    }
    await addOldestProgram(client);
    for (const role of await makeMissingRoles(client)) log(`created role ${role}`);
    for (const migration of pending) {
      log(`applying ${migration.name}`);
      await applyMigration(client, migration, { log, ...locks });
    }
    await client.query("grant select on schema_migration to signalbox_work");
    // Not a migration's work alone: the extension may be installed long after the migration ran.
    const vectors = await client.query("select from pg_proc where proname = 'signalbox_enable_vectors'");
    if (vectors.rowCount === 1) await client.query("call signalbox_enable_vectors()");
    // A migration that is being written gives rights that the list does not have yet: they must not be taken back.
    if (access.migrations === fingerprintOf(migrations)) await restoreAccess(client, access.statements, log);
    const admitted = serviceLogin === undefined ? undefined : await admitService(client, serviceLogin);
    if (admitted !== undefined) log(admitted);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Altering the table waits for every reader, a backup among them: not without need. */
async function addOldestProgram(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = 'schema_migration'::regclass and attname = 'oldest_program' and not attisdropped",
  );
  if (rowCount === 0) await client.query("alter table schema_migration add column oldest_program text");
}
