import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import {
  fingerprintOf,
  readAccess,
  readMigrations,
  type Access,
} from "../packages/server/src/platform/index.ts";
import { cloneDatabase } from "../tests/support/databases.ts";
import { borrowCluster } from "../tests/support/shared-cluster.ts";

const TABLES = new URL("../packages/server/src/platform/tables.generated.ts", import.meta.url);
const ACCESS = new URL("../packages/server/src/platform/access.generated.ts", import.meta.url);

const TYPES: Record<string, string> = {
  uuid: "string",
  "uuid[]": "string[]",
  text: "string",
  "text[]": "string[]",
  tsvector: "string",
  halfvec: "string",
  boolean: "boolean",
  integer: "number",
  "integer[]": "number[]",
  bigint: "number",
  "double precision": "number",
  bytea: "Buffer",
  jsonb: "unknown",
  date: "Date",
  "timestamp with time zone": "Date",
};

interface Column {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
  defaulted: boolean;
}

/** The types of every table, as Kysely wants them, read from a migrated database: the migrations are the only source. */
export async function describeTables(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Column>(`
      select c.relname as table, a.attname as column, format_type(a.atttypid, null) as type,
        not a.attnotnull as nullable, a.atthasdef as defaulted
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped and c.relname <> 'schema_migration'
      order by c.relname, a.attnum`);
    return render(rows);
  } finally {
    await client.end();
  }
}

function render(columns: Column[]): string {
  const tables = Map.groupBy(columns, ({ table }) => table);
  const lines = [
    "// Written by tools/write-tables.ts from a migrated database; a test compares the two.",
    'import type { Generated } from "kysely";',
    "",
    "export interface Tables {",
  ];
  for (const [table, members] of tables) {
    lines.push(`  ${table}: {`);
    for (const member of members) lines.push(`    ${member.column}: ${renderType(member)};`);
    lines.push("  };");
  }
  lines.push("}", "");
  return lines.join("\n");
}

function renderType({ table, column, type, nullable, defaulted }: Column): string {
  const plain = TYPES[type];
  if (plain === undefined)
    throw new Error(`tools/write-tables.ts knows no type for ${table}.${column} (${type}): add it to TYPES`);
  const full = nullable && plain !== "unknown" ? `${plain} | null` : plain;
  return defaulted ? `Generated<${full}>` : full;
}

/** undefined when the committed file says what the database says. */
export async function tablesDifference(databaseUrl: string): Promise<string | undefined> {
  const [expected, committed] = await Promise.all([describeTables(databaseUrl), readFile(TABLES, "utf8")]);
  return expected === committed
    ? undefined
    : `${fileURLToPath(TABLES)} is not what the migrations make: run npm run write-tables`;
}

/** The access rights as the migrations made them; migrate.test.ts compares them too. */
async function describeAccess(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const statements = await readAccess((text) => client.query(text));
    return renderAccess({ migrations: fingerprintOf(await readMigrations()), statements });
  } finally {
    await client.end();
  }
}

function renderAccess({ migrations, statements }: Access): string {
  return [
    "// Written by tools/write-tables.ts from a migrated database; a test compares the two.",
    'import type { Access } from "./access.ts";',
    "",
    "export const ACCESS: Access = {",
    `  migrations: "${migrations}",`,
    "  statements: [",
    ...statements.map((statement) => `    ${JSON.stringify(statement)},`),
    "  ],",
    "};",
    "",
  ].join("\n");
}

/** By the migrations alone, without a database: the tests compare the content. */
async function isOutdated(): Promise<boolean> {
  return !(await readFile(ACCESS, "utf8")).includes(`"${fingerprintOf(await readMigrations())}"`);
}

if (import.meta.main) {
  if (process.argv.includes("--check")) {
    if (await isOutdated()) {
      console.error(`${fileURLToPath(ACCESS)} is older than the migrations: run npm run write-tables`);
      process.exitCode = 1;
    }
  } else {
    // So that `migrate` makes what the migrations say, and mends nothing by the list of an earlier run.
    await writeFile(ACCESS, renderAccess({ migrations: "", statements: [] }));
    await using borrowed = await borrowCluster();
    const { ownerUrl } = await cloneDatabase(borrowed.cluster);
    await writeFile(TABLES, await describeTables(ownerUrl));
    await writeFile(ACCESS, await describeAccess(ownerUrl));
  }
}
