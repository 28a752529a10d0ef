import type { Bed } from "../support/bed.ts";
import { createSearch, type Canary, type Hit } from "./canaries.ts";

/** Every table there is, as superuser: one that is new is searched without being named anywhere. */
export async function tablesOf({ database }: Pick<Bed, "database">): Promise<string[]> {
  const rows = await database.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Where the canaries stand, by table, in whatever form: every row is read as JSON, and bytes in it as what they are too. */
export async function searchDatabase(bed: Pick<Bed, "database">, canaries: Canary[]): Promise<Hit[]> {
  const search = createSearch(canaries);
  const hits: Hit[] = [];
  for (const table of await tablesOf(bed)) {
    const rows = await bed.database.query<{ row: string }>(`select to_jsonb(t)::text as row from ${table} t`);
    const text = rows.map(({ row }) => row).join("\n");
    const bytes = [...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex = ""]) => Buffer.from(hex, "hex"));
    hits.push(...search(table, Buffer.concat([Buffer.from(text), ...bytes])));
  }
  return hits;
}

/** Each canary with the tables it stands in. */
export function placesByCanary(hits: Hit[]): Record<string, string[]> {
  const places = Map.groupBy(hits, ({ canary }) => canary);
  return Object.fromEntries(
    [...places].map(([canary, found]) => [canary, [...new Set(found.map(({ place }) => place))].toSorted()]),
  );
}
