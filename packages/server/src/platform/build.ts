import { readFile } from "node:fs/promises";
import { readMigrations } from "./migrate.ts";

/** Which version of the program this is, and for which schema. */
export async function readBuild(): Promise<{ version: string; migration: string }> {
  const manifest = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const newest = (await readMigrations()).at(-1);
  return { version, migration: newest?.name.replace(/\.sql$/, "") ?? "" };
}
