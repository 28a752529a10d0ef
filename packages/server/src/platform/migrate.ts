import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import pg from "pg";
import { ACCESS } from "./access.generated.ts";
import { fingerprintOf, type Access } from "./access.ts";
import { accessProblems, restoreAccess } from "./restore-access.ts";
import { admitService, inheritedRoles, makeMissingRoles } from "./service-roles.ts";

export interface Migration {
  name: string;
  text: string;
  checksum: string;
}

export interface Applied {
  name: string;
  checksum: string;
}

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

/** The difference between this program and that schema; undefined when they match. */
export function schemaMismatch(known: Migration[], applied: Applied[]): string | undefined {
  const byName = new Map(known.map((migration) => [migration.name, migration.checksum]));
  for (const { name, checksum } of applied) {
    const expected = byName.get(name);
    if (expected === undefined)
      return `the database has migration ${name}, which this version does not know; run a newer version of Signalbox`;
    if (expected !== checksum)
      return `migration ${name} was changed after it was applied; restore the original file`;
  }
  const missing = known.filter(({ name }) => !applied.some((row) => row.name === name));
  if (missing.length > 0)
    return `the database lacks ${missing.map(({ name }) => name).join(", ")}; run the migrate role`;
  return undefined;
}

export interface MigrationPlan {
  pending: Migration[];
  /** Why none of them may be applied. */
  mismatch: string | undefined;
}

export function planMigrations(known: Migration[], applied: Applied[]): MigrationPlan {
  const pending = known.filter(({ name }) => !applied.some((row) => row.name === name));
  const present = known.filter((migration) => !pending.includes(migration));
  return { pending, mismatch: schemaMismatch(present, applied) };
}

/** Which migrations a database has, by a look that leaves even an empty one as it is. */
export function readApplied(url: string): Promise<Applied[]> {
  return look(url, async (client) => {
    const table = await client.query<{ found: boolean }>(
      "select to_regclass('schema_migration') is not null as found",
    );
    if (table.rows[0]?.found !== true) return [];
    return (await client.query<Applied>("select name, checksum from schema_migration")).rows;
  });
}

/** Roles, rights and policies that differ from those the migrations made. */
export function verifyAccess(url: string): Promise<string[]> {
  return look(url, (client) => accessProblems(client, ACCESS.statements));
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
}

/** Forward only, one transaction a file, one migrator at a time. Returns the names it applied. */
export async function migrate(
  url: string,
  migrations: Migration[],
  { log, serviceLogin, access = ACCESS }: MigrateOptions,
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
    const applied = (await client.query<Applied>("select name, checksum from schema_migration")).rows;
    const { pending, mismatch } = planMigrations(migrations, applied);
    if (mismatch !== undefined) throw new Error(mismatch);
    for (const role of await makeMissingRoles(client)) log(`created role ${role}`);
    for (const { name, text, checksum } of pending) {
      log(`applying ${name}`);
      const inherited = await inheritedRoles(client);
      await client.query("begin");
      await client.query(text);
      // The first one, of a time when the owner was the service too, lets it inherit both roles, and with them their policies.
      for (const role of await inheritedRoles(client))
        if (!inherited.includes(role)) await client.query(`revoke ${role} from current_user`);
      await client.query("insert into schema_migration (name, checksum) values ($1, $2)", [name, checksum]);
      await client.query("commit");
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
