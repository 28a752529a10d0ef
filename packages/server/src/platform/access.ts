import { createHash } from "node:crypto";

/**
 * Access rights in this database: one statement for each right, policy and switch that concerns the service's roles, the owner or
 * everybody, in one order. Two databases give the same access exactly when their lists are equal. What an operator granted to
 * other roles is not in it. Names are told without their schema: the caller's search path is public.
 */
const ACCESS = `
  with grantee (oid, name) as (
    select 0::oid, 'public' union all
    select oid, rolname from pg_roles where rolname in ('signalbox_api', 'signalbox_work')
  ),
  relation as (
    select oid, relname, relkind, relrowsecurity, relforcerowsecurity,
      coalesce(relacl, acldefault(case relkind when 'S' then 's' else 'r' end::"char", relowner)) as acl
    from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S')
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
  ),
  permission (target, acl) as (
    select 'schema public', coalesce(nspacl, acldefault('n', nspowner)) from pg_namespace where nspname = 'public'
    union all
    select format('%s %I', case relkind when 'S' then 'sequence' else 'table' end, relname), acl from relation
    union all
    select 'routine ' || oid::regprocedure, coalesce(proacl, acldefault('f', proowner)) from pg_proc p
    where pronamespace = 'public'::regnamespace
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  )
  select statement from (
    select format('grant %s on %s to %I', lower(a.privilege_type), target, g.name)
    from permission, aclexplode(acl) a join grantee g on g.oid = a.grantee
    union all
    select format('grant %s (%I) on table %I to %I', lower(a.privilege_type), t.attname, relname, g.name)
    from relation r join pg_attribute t on t.attrelid = r.oid and t.attacl is not null, aclexplode(t.attacl) a
    join grantee g on g.oid = a.grantee
    union all
    select format('alter table %I enable row level security', relname) from relation where relrowsecurity
    union all
    select format('alter table %I force row level security', relname) from relation where relforcerowsecurity
    union all
    select format('create policy %I on %I as %s for %s to %s', policyname, tablename, lower(permissive), lower(cmd),
        array_to_string(array(select quote_ident(r) from unnest(roles) r order by r), ', '))
      || coalesce(' using (' || qual || ')', '') || coalesce(' with check (' || with_check || ')', '')
    from pg_policies
    where schemaname = 'public' and roles && array['public', 'pg_database_owner', 'signalbox_api', 'signalbox_work']::name[]
  ) found (statement) order by statement collate "C"`;

/** What the migrations gave, and which migrations these were. */
export interface Access {
  migrations: string;
  statements: readonly string[];
}

export function fingerprintOf(migrations: { name: string; checksum: string }[]): string {
  const lines = migrations.map(({ name, checksum }) => `${name} ${checksum}`).sort();
  return createHash("sha256").update(lines.join("\n")).digest("hex");
}

type Ask = (text: string) => Promise<{ rows: { statement: string }[] }>;

export async function readAccess(ask: Ask): Promise<string[]> {
  return (await ask(ACCESS)).rows.map(({ statement }) => statement);
}

export interface AccessDifference {
  /** What the migrations gave and the database lacks. */
  missing: string[];
  /** What the database gives and no migration gave. */
  surplus: string[];
}

/** Tables that only some installations have: nothing is expected of one that is missing. */
const OPTIONAL_TABLE = / qa_embedding(_\d\d)?( |$)/;

export function compareAccess(expected: readonly string[], found: readonly string[]): AccessDifference {
  const [wanted, there] = [new Set(expected), new Set(found)];
  const hasOptional = found.some((statement) => OPTIONAL_TABLE.test(statement));
  return {
    missing: [...wanted.difference(there)].filter((one) => hasOptional || !OPTIONAL_TABLE.test(one)),
    surplus: [...there.difference(wanted)],
  };
}

/** The statement that takes back what this one gives. */
export function undoing(statement: string): string {
  const [, name, table] = /^create policy (\S+) on (\S+) /.exec(statement) ?? [];
  if (name !== undefined) return `drop policy ${name} on ${table}`;
  return statement
    .replace(/ enable row level security$/, " disable row level security")
    .replace(/ force row level security$/, " no force row level security")
    .replace(/^grant (.*) to (\S+)$/, "revoke $1 from $2");
}
