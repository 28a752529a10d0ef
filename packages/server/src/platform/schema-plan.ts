export interface Migration {
  name: string;
  text: string;
  checksum: string;
}

export interface Applied {
  name: string;
  checksum: string;
  /** The newest migration of the oldest program that runs on this schema, as a number; null: only programs that know this one. */
  oldestProgram?: string | null;
}

/** Also where an earlier version of the migrator made the table, without the column. */
export const APPLIED = `select name, checksum, to_jsonb(m) ->> 'oldest_program' as "oldestProgram" from schema_migration m`;

/** As its first line says: what a program has to know, at least, to run on the schema that it makes. */
export function oldestProgramOf({ text }: Pick<Migration, "text">): string | undefined {
  return /^-- Oldest program that runs on this: (\d{4})\n/.exec(text)?.[1];
}

/** The difference between this program and that schema; undefined when it runs on it. */
export function schemaMismatch(known: Migration[], applied: Applied[]): string | undefined {
  const byName = new Map(known.map((migration) => [migration.name, migration.checksum]));
  const newest = known.at(-1)?.name.slice(0, 4) ?? "";
  for (const { name, checksum, oldestProgram } of applied) {
    const expected = byName.get(name);
    const isAfterUs = name.slice(0, 4) > newest;
    if (isAfterUs && typeof oldestProgram === "string" && oldestProgram <= newest) continue;
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
  /** Applied by a newer version, on whose schema this one runs. */
  newer: string[];
  /** Why none of them may be applied. */
  mismatch: string | undefined;
}

export function planMigrations(known: Migration[], applied: Applied[]): MigrationPlan {
  const pending = known.filter(({ name }) => !applied.some((row) => row.name === name));
  const present = known.filter((migration) => !pending.includes(migration));
  const newer = applied.filter(({ name }) => !known.some((one) => one.name === name)).map(({ name }) => name);
  const mismatch = schemaMismatch(present, applied);
  if (mismatch === undefined && newer.length > 0 && pending.length > 0)
    return {
      pending,
      newer,
      mismatch: `the database has ${newer.join(", ")}, which is newer, and lacks ${pending[0]?.name}; run a newer version of Signalbox`,
    };
  return { pending, newer, mismatch };
}

/** A program before a newer schema leaves it alone: its own list of rights would take away those of the newer version. */
export function newerSchema(newer: readonly string[]): string {
  return `The schema is newer than this version, which runs on it: ${newer.join(", ")}.`;
}
