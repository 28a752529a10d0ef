import { sql } from "kysely";
import { ACCESS } from "./access.generated.ts";
import { compareAccess, fingerprintOf, readAccess } from "./access.ts";
import { inTransaction, type AgentDatabase, type Database } from "./database.ts";
import { excessOfLogin } from "./login-powers.ts";
import { readMigrations } from "./migrate.ts";
import { refusalOfOptions } from "./pooled-client.ts";
import { APPLIED, schemaMismatch, type Applied, type Migration } from "./schema-plan.ts";

const NO_AGENT = "00000000-0000-0000-0000-000000000000";

/** A wrong password, no such login or one that may not connect, no such database. */
const REFUSED_LOGIN = new Set(["28P01", "28000", "3D000"]);

const SET_POOLER = "Set DATABASE_POOLER=true and DATABASE_DIRECT_URL (docs/how-to/run-several-nodes.md)";

interface Standing {
  role: string;
  bypasses: boolean;
  owns: boolean;
}

/** Reasons not to start. An acknowledgement means "on disk", and a role that row-level security does not bind is no tenant's role. */
export async function reasonsNotToRun(work: Database, agents: AgentDatabase): Promise<string[]> {
  const roleProblem = await problemOfRoles(work, agents);
  if (roleProblem !== undefined) return [roleProblem];
  const standings = [
    { expected: "signalbox_work", found: await standing(work) },
    { expected: "signalbox_api", found: await agents.asAgent(NO_AGENT, standing) },
  ];
  const dropped = standings.find(({ expected, found }) => found.role !== expected);
  // Such a login sees no tables: nothing else that is found here would be true.
  if (dropped !== undefined)
    return [
      `connected as ${dropped.found.role} instead of ${dropped.expected}: a connection pooler drops the startup options. ${SET_POOLER}`,
    ];
  const reasons: string[] = [];
  const settings = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')`.execute(
    work,
  );
  for (const { name, setting } of settings.rows) {
    if (setting === "off")
      reasons.push(`PostgreSQL runs with ${name}=off, so acknowledged messages could be lost; turn it on`);
  }

  const excess = await excessOfLogin(work);
  if (excess !== undefined) reasons.push(excess);
  for (const { found } of standings) {
    if (found.bypasses || found.owns)
      reasons.push(`${found.role} bypasses row-level security; it must not be a superuser or own tables`);
  }

  const applied = await sql
    .raw<Applied>(APPLIED)
    .execute(work)
    .catch(() => undefined);
  if (applied === undefined) reasons.push("the database is empty; run the migrate role");
  else {
    const known = await readMigrations();
    const mismatch = schemaMismatch(known, applied.rows);
    const lacking = mismatch ?? (await lackingAccess(work, known));
    if (lacking !== undefined) reasons.push(lacking);
  }
  return reasons;
}

/** A database that was restored where the roles did not exist has every table and lacks who may read them. */
async function lackingAccess(work: Database, known: Migration[]): Promise<string | undefined> {
  // A list of other migrations, as while one is being written, says nothing of this schema.
  if (ACCESS.migrations !== fingerprintOf(known)) return undefined;
  const found = await inTransaction(work, async (db) => {
    await sql`set local search_path = public`.execute(db);
    return readAccess((text) => sql.raw<{ statement: string }>(text).execute(db));
  });
  const [first, ...others] = compareAccess(ACCESS.statements, found).missing;
  if (first === undefined) return undefined;
  const more = others.length === 0 ? "" : ` and ${others.length} more`;
  return `the database lacks permissions or policies (${first}${more}); run the migrate role`;
}

/** A connection takes on its role as it opens: without the role, or the right to it, there is nobody to ask further. */
async function problemOfRoles(work: Database, agents: AgentDatabase): Promise<string | undefined> {
  try {
    await standing(work);
    await agents.asAgent(NO_AGENT, standing);
    return undefined;
  } catch (error) {
    const refusal = refusalOfOptions(error);
    if (refusal !== undefined)
      return `the connection pooler in DATABASE_URL says "${refusal}". ${SET_POOLER}`;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "22023")
      return "this PostgreSQL does not have the service's roles yet; run the migrate role";
    if (code === "42501")
      return 'the login in DATABASE_URL is not a member of signalbox_api and signalbox_work; grant it both roles. If it is the owner\'s login, use it for migrate only ("Two logins" in docs/how-to/self-host.md)';
    // The message names the login and the database, and no password.
    if (error instanceof Error && REFUSED_LOGIN.has(String(code)))
      return `PostgreSQL rejected the login in DATABASE_URL: ${error.message}`;
    throw error;
  }
}

async function standing(db: Database): Promise<Standing> {
  const found = await sql<Standing>`
    select current_user::text as role, rolsuper or rolbypassrls as bypasses,
      exists (select from pg_class where relowner = r.oid and relnamespace = 'public'::regnamespace) as owns
    from pg_roles r where rolname = current_user`.execute(db);
  const row = found.rows[0];
  if (row === undefined) throw new Error("the connection's role does not exist");
  return row;
}
