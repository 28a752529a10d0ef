import { randomBytes } from "node:crypto";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { OWNER, withClient } from "./postgres.ts";
import type { ReachableCluster } from "./postgres.ts";
import { PROGRAM } from "./service.ts";

const run = promisify(execFile);
const TEMPLATE = "signalbox_template";
const TEMPLATE_LOCK = 7_316_045;

export type ClonedDatabase = {
  name: string;
  /** As the service logs in. */
  url: string;
  /** As the owner, who migrates and is no superuser: row-level security binds it too. */
  ownerUrl: string;
  /** As the owner, who says that this is maintenance and so sees every row, as a migration does. */
  maintenanceUrl: string;
  superuserUrl: string;
  drop(): Promise<void>;
};

type Migration = { program?: string; environment?: Record<string, string> };

/** Makes the migrated template once per cluster, also when several test files ask at the same time. */
export async function migratedTemplate(cluster: ReachableCluster, migration: Migration = {}): Promise<void> {
  await withClient(cluster.superuserUrl("postgres"), async (client) => {
    await client.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    // A template closed to connections is a finished one: closing it is the last step.
    const { rows } = await client.query(
      "select datallowconn as unfinished from pg_database where datname = $1",
      [TEMPLATE],
    );
    if (rows[0]?.unfinished === false) return;
    await client.query(`drop database if exists ${TEMPLATE} with (force)`);
    await client.query(`create database ${TEMPLATE} owner ${OWNER}`);
    await withClient(cluster.superuserUrl(TEMPLATE), addVectorExtension);
    await migrate(cluster, migration);
    await client.query(`alter database ${TEMPLATE} with allow_connections false`);
  });
}

async function addVectorExtension(client: { query(sql: string): Promise<unknown> }): Promise<void> {
  try {
    await client.query("create extension vector");
  } catch (error) {
    throw new Error("pgvector is not installed for this PostgreSQL: run .ci/install-postgres", {
      cause: error,
    });
  }
}

async function migrate(
  cluster: ReachableCluster,
  { program = PROGRAM, environment = {} }: Migration,
): Promise<void> {
  const env = {
    PATH: process.env["PATH"] ?? "",
    ...environment,
    MIGRATION_DATABASE_URL: cluster.ownerUrl(TEMPLATE),
    DATABASE_URL: cluster.serviceUrl(TEMPLATE),
  };
  try {
    await run(process.execPath, [program, "migrate"], { env, timeout: 120_000 });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`the template could not be migrated\n${stdout}${stderr}`, { cause: error });
  }
}

export async function cloneDatabase(cluster: ReachableCluster): Promise<ClonedDatabase> {
  const name = `signalbox_${randomBytes(6).toString("hex")}`;
  await createDatabase(cluster, name, `template ${TEMPLATE}`);
  return databaseOf(cluster, name);
}

/** For tests of the migrations themselves: with the extension, without our schema. */
export async function emptyDatabase(cluster: ReachableCluster): Promise<ClonedDatabase> {
  const name = `signalbox_${randomBytes(6).toString("hex")}`;
  await createDatabase(cluster, name, "");
  await withClient(cluster.superuserUrl(name), addVectorExtension);
  return databaseOf(cluster, name);
}

async function createDatabase(cluster: ReachableCluster, name: string, template: string): Promise<void> {
  await withClient(cluster.superuserUrl("postgres"), (client) =>
    client.query(`create database ${name} owner ${OWNER} ${template}`),
  );
}

function databaseOf(cluster: ReachableCluster, name: string): ClonedDatabase {
  return {
    name,
    url: cluster.serviceUrl(name),
    ownerUrl: cluster.ownerUrl(name),
    maintenanceUrl: `${cluster.ownerUrl(name)}?options=${encodeURIComponent("-c signalbox.maintenance=on")}`,
    superuserUrl: cluster.superuserUrl(name),
    async drop() {
      await withClient(cluster.superuserUrl("postgres"), (client) =>
        client.query(`drop database if exists ${name} with (force)`),
      );
    },
  };
}
