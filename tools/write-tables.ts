import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";

const TARGET = new URL("../packages/server/src/platform/tables.generated.ts", import.meta.url);

const TYPES: Record<string, string> = {
  uuid: "string",
  "uuid[]": "string[]",
  text: "string",
  "text[]": "string[]",
  tsvector: "string",
  halfvec: "string",
  boolean: "boolean",
  integer: "number",
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
  const [expected, committed] = await Promise.all([describeTables(databaseUrl), readFile(TARGET, "utf8")]);
  return expected === committed
    ? undefined
    : `${fileURLToPath(TARGET)} is not what the migrations make: run npm run write-tables`;
}

if (import.meta.main) {
  const url = process.argv[2];
  if (url === undefined)
    throw new Error("usage: node tools/write-tables.ts DATABASE_URL (of a migrated database)");
  await writeFile(TARGET, await describeTables(url));
}
