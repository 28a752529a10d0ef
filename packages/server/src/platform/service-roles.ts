import pg from "pg";

/** The roles that connections take on: migrations give them rights and policies. Nobody logs in as one of them. */
export const SERVICE_ROLES = ["signalbox_api", "signalbox_work"] as const;

/** Another migrator of the cluster may have made it at the same moment. */
const ALREADY_THERE = new Set(["42710", "23505"]);

/** Roles belong to the cluster and not to the database: a dump does not bring them. Returns the names it made. */
export async function makeMissingRoles(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string; owner: string }>(
    "select name, quote_ident(current_user) as owner from unnest($1::text[]) name where to_regrole(name) is null",
    [SERVICE_ROLES],
  );
  const made: string[] = [];
  for (const { name, owner } of rows) {
    try {
      await client.query(`create role ${name} nologin`);
      made.push(name);
    } catch (error) {
      if (codeOf(error) === "42501")
        throw new Error(
          `the login of migrate may not create the roles ${rows.map((row) => row.name).join(", ")}: as a superuser run alter role ${owner} createrole, then migrate again`,
          { cause: error },
        );
      if (!ALREADY_THERE.has(codeOf(error))) throw error;
    }
  }
  return made;
}

/** The service roles whose rights the login has without taking them on. */
export async function inheritedRoles(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select rolname as name from pg_roles where rolname = any($1) and pg_has_role(current_user, oid, 'usage') order by 1",
    [SERVICE_ROLES],
  );
  return rows.map(({ name }) => name);
}

/** Lets the login of the service take on its roles. Returns what it did, or what is left to do, in one line; nothing where all is in order. */
export async function admitService(client: pg.Client, login: string): Promise<string | undefined> {
  const { rows } = await client.query<{ exists: boolean; owns: boolean; lacks: string[] }>(
    `select to_regrole(quote_ident($1)) is not null as exists, $1 = current_user as owns, array(
       select name from unnest($2::text[]) name
       where to_regrole(quote_ident($1)) is not null and not pg_has_role($1, name, 'member')
     ) as lacks`,
    [login, SERVICE_ROLES],
  );
  const { exists, owns, lacks } = rows[0] ?? { exists: false, owns: false, lacks: [] };
  if (owns) return undefined;
  const name = client.escapeIdentifier(login);
  const grant = `grant ${SERVICE_ROLES.join(", ")} to ${name}`;
  if (!exists)
    return `the login of DATABASE_URL does not exist yet: create role ${name} login noinherit password '…'; ${grant}`;
  if (lacks.length === 0) return undefined;
  try {
    await client.query(grant);
    return `granted ${SERVICE_ROLES.join(" and ")} to ${login}`;
  } catch (error) {
    if (codeOf(error) !== "42501") throw error;
    return `the login of DATABASE_URL may not take on its roles yet: as a superuser run ${grant}`;
  }
}

function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? "") : "";
}
