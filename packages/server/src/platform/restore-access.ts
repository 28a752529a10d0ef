import type pg from "pg";
import { compareAccess, readAccess, undoing } from "./access.ts";
import { inheritedRoles, SERVICE_ROLES } from "./service-roles.ts";

const EXAMPLES_MAX = 5;

/**
 * Gives the service's roles what the migrations gave them and takes away what no migration gave: a dump that was restored where the
 * roles did not exist has lost rights and policies, with every migration marked as applied.
 */
export async function restoreAccess(
  client: pg.Client,
  expected: readonly string[],
  log: (line: string) => void,
): Promise<void> {
  const { missing, surplus } = compareAccess(expected, await readAccess((text) => client.query(text)));
  // A policy that differs is both: the one that is there goes first. In one transaction, so that no table is open in between.
  const statements = [...surplus.map(undoing), ...missing];
  await client.query(["begin", ...statements, "commit"].join(";\n"));
  for (const statement of statements) log(`repaired access: ${statement}`);
  const left = compareAccess(expected, await readAccess((text) => client.query(text)));
  const count = left.missing.length + left.surplus.length;
  if (count > 0)
    throw new Error(
      `${differs(left)}, and this login cannot repair it; run migrate as the owner of the database`,
    );
}

/** The differences in roles, rights and policies; empty when all is as the migrations made it. */
export async function accessProblems(
  client: pg.Client,
  expected: readonly string[],
  mayHaveMore: boolean,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; exists: boolean; mighty: boolean; owner: string }>(
    `select name, r.oid is not null as exists, quote_ident(current_user) as owner,
       coalesce(rolcanlogin or rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication, false) as mighty
     from unnest($1::text[]) name left join pg_roles r on rolname = name order by name`,
    [SERVICE_ROLES],
  );
  const problems = rows.flatMap(({ name, exists, mighty }) => {
    if (!exists) return [`role ${name} does not exist; run the migrate role`];
    if (mighty)
      return [
        `role ${name} has too many privileges; run: alter role ${name} nologin nosuperuser nobypassrls nocreaterole nocreatedb noreplication`,
      ];
    return [];
  });
  const inherited = await inheritedRoles(client);
  const [{ is_superuser } = { is_superuser: false }] = (
    await client.query<{ is_superuser: boolean }>(
      "select rolsuper as is_superuser from pg_roles where rolname = current_user",
    )
  ).rows;
  if (inherited.length > 0 && !is_superuser)
    problems.push(
      `the owner inherits ${inherited.join(" and ")} and so bypasses row-level security; run: revoke ${inherited.join(", ")} from ${rows[0]?.owner}`,
    );
  const found = compareAccess(expected, await readAccess((text) => client.query(text)));
  const difference = mayHaveMore ? { ...found, surplus: [] } : found;
  if (difference.missing.length + difference.surplus.length > 0)
    problems.push(`${differs(difference)}; run the migrate role`);
  return problems;
}

function differs({ missing, surplus }: { missing: string[]; surplus: string[] }): string {
  const listed = (what: string, statements: string[]) => {
    if (statements.length === 0) return [];
    const more = statements.length > EXAMPLES_MAX ? ` and ${statements.length - EXAMPLES_MAX} more` : "";
    return [`${what} ${statements.slice(0, EXAMPLES_MAX).join("; ")}${more}`];
  };
  const parts = [...listed("lacks", missing), ...listed("has unexpected", surplus)];
  return `the database ${parts.join("; and ")}`;
}
