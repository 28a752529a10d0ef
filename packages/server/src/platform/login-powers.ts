import { sql } from "kysely";
import type { Database } from "./database.ts";

interface Standing {
  login: string;
  name: string;
  is_superuser: boolean;
  bypasses: boolean;
  creates_roles: boolean;
  replicates: boolean;
  owns_database: boolean;
  owns_tables: boolean;
}

/**
 * Why the login itself, not the role that its connections take on, is too powerful for the service; undefined if it is not.
 * SQL that an attacker runs can go back from the role to the login, and on to every role it is a member of.
 */
export async function excessOfLogin(db: Database): Promise<string | undefined> {
  const { rows } = await sql<Standing>`
    select session_user::text as login, rolname::text as name, rolsuper as is_superuser, rolbypassrls as bypasses,
      rolcreaterole as creates_roles, rolreplication as replicates,
      r.oid = (select datdba from pg_database where datname = current_database()) as owns_database,
      exists (select from pg_class where relowner = r.oid and relnamespace = 'public'::regnamespace) as owns_tables
    from pg_roles r where pg_has_role(session_user, r.oid, 'member') order by rolname <> session_user, rolname`.execute(
    db,
  );
  const itself = rows[0];
  // A superuser counts as a member of every role.
  const excesses = (itself?.is_superuser === true ? [itself] : rows).flatMap((role) => {
    const can = powersOf(role);
    if (can === undefined) return [];
    return role.name === role.login ? [`which ${can}`] : [`which is a member of ${role.name}, which ${can}`];
  });
  if (excesses.length === 0) return undefined;
  return `DATABASE_URL logs in as ${itself?.login}, ${excesses.join(", and ")}: give the service its own login that owns nothing (see "Two logins" in docs/how-to/self-host.md)`;
}

function powersOf(role: Standing): string | undefined {
  if (role.is_superuser) return "is a superuser";
  const owned = [
    ...(role.owns_database ? ["the database"] : []),
    ...(role.owns_tables ? ["the schema's tables"] : []),
  ];
  const powers = [
    ...(owned.length > 0 ? [`owns ${owned.join(" and ")}`] : []),
    ...(role.bypasses ? ["bypasses row-level security"] : []),
    ...(role.creates_roles ? ["can create roles"] : []),
    ...(role.replicates ? ["can read the whole cluster through replication"] : []),
  ];
  return powers.length === 0 ? undefined : powers.join(", and ");
}
