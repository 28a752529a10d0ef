import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { AGENTS, BASES, DOCUMENTS, OURS, TABLES, THEIRS } from "@signalbox/tests/support/table-facts.ts";
import pg from "pg";
import { newId } from "./ids.ts";

// Rule 13 of the architecture: what each of the two roles may do with each table, probed as that role.

const REFUSED = "42501";
/** Policies of the api role: for the agent that a transaction names, and for those whose messages it accepts together. */
const OF_AGENTS = new Set(["one_agent", "named_agents"]);
/** Rows touched or seen, or the SQLSTATE of the refusal. */
type Outcome = number | string;

/** The differences from TABLES, for one table; the check leaves nothing in the database. */
async function problemsOf(client: pg.Client, table: string): Promise<string[]> {
  const facts = TABLES[table];
  if (facts === undefined) return [`${table} has no probe: add it to TABLES`];
  const problems: string[] = [];
  const expect = (what: string, found: unknown, expected: unknown) => {
    if (JSON.stringify(found) !== JSON.stringify(expected))
      problems.push(`${table}, ${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
  };

  const changes = (facts.changes ?? []).map((column) => `UPDATE ${column}`);
  const onPartitions = Array.from(
    { length: 64 },
    (_, index) => `${table}_${String(index).padStart(2, "0")}`,
  ).flatMap((partition) => (facts.workOnPartitions ?? []).map((right) => `${right} on ${partition}`));
  expect("rights", await rightsOn(client, table), {
    signalbox_api: [
      ...facts.api,
      ...(facts.apiColumns ?? []).map((column) => `SELECT ${column}`),
      ...changes,
    ],
    signalbox_work: [...facts.work, ...changes, ...onPartitions].toSorted(),
  });
  const { row, agentColumn = "agent_id" } = facts;
  if (row === undefined) return problems;

  const canRead = facts.api.includes("SELECT") || facts.apiColumns !== undefined;
  const canInsert = facts.api.includes("INSERT");
  const canUpdate = facts.api.includes("UPDATE");
  const where = `where ${agentColumn} =`;
  const count = `select count(*)::integer as n from ${table}`;
  const touch = `update ${table} set ${agentColumn} = ${agentColumn}`;
  const ask = (agentId: string | undefined, statement: string, values: unknown[] = []) =>
    outcomeOf(client, "signalbox_api", agentId, statement, values);
  const askInsert = (bound: string | undefined, owner: string) => {
    // Another agent's own id is taken; a new one must be refused for the same reason.
    const given = table === "agent" && owner === THEIRS ? newId() : owner;
    return ask(bound, ...insertOf(table, row(given)));
  };

  expect("reads of all rows", await ask(OURS, count), canRead ? 1 : REFUSED);
  expect("reads of another's", await ask(OURS, `${count} ${where} $1`, [THEIRS]), canRead ? 0 : REFUSED);
  expect("reads of nobody", await ask(undefined, count), canRead ? 0 : REFUSED);
  expect(
    "inserts its own",
    table === "agent" ? REFUSED : await askInsert(OURS, OURS),
    canInsert ? 1 : REFUSED,
  );
  expect("inserts another's", await askInsert(OURS, THEIRS), REFUSED);
  expect("inserts of nobody", await askInsert(undefined, OURS), REFUSED);
  expect("updates all it may", await ask(OURS, touch), canUpdate ? 1 : REFUSED);
  expect("updates another's", await ask(OURS, `${touch} ${where} $1`, [THEIRS]), canUpdate ? 0 : REFUSED);
  expect("gives its own away", await ask(OURS, `update ${table} set ${agentColumn} = $1`, [THEIRS]), REFUSED);
  expect("updates of nobody", await ask(undefined, touch), canUpdate ? 0 : REFUSED);
  for (const column of facts.changes ?? []) {
    const set = `update ${table} set ${column} = ${column}`;
    expect(`changes ${column}`, await ask(OURS, set), 1);
    expect(`changes another's ${column}`, await ask(OURS, `${set} ${where} $1`, [THEIRS]), 0);
  }
  expect("deletes", await ask(OURS, `delete from ${table} ${where} $1`, [OURS]), REFUSED);

  // A grant too many must not be enough: the policies stand behind the rights.
  const overGranted = await undone(client, async () => {
    await client.query(`grant select, update on ${table} to signalbox_api`);
    return [
      await ask(OURS, count),
      await ask(OURS, `${touch} ${where} $1`, [THEIRS]),
      await ask(undefined, count),
    ];
  });
  expect("reads and updates with a grant too many", overGranted, [canRead ? 1 : 0, 0, 0]);

  const askNamed = (statement: string, values: unknown[] = []) =>
    outcomeOf(client, "signalbox_api", undefined, statement, values, [newId(), OURS]);
  const shared = facts.apiShared ?? [];
  const mayShare = (right: string, may: boolean, outcome: number | string) =>
    shared.includes(right) ? outcome : may && right !== "INSERT" ? 0 : REFUSED;
  expect("reads of named agents", await askNamed(count), mayShare("SELECT", canRead, 1));
  expect(
    "reads of another than the named",
    await askNamed(`${count} ${where} $1`, [THEIRS]),
    canRead ? 0 : REFUSED,
  );
  expect(
    "inserts of a named agent",
    table === "agent" ? REFUSED : await askNamed(...insertOf(table, row(OURS))),
    mayShare("INSERT", canInsert, 1),
  );
  expect(
    "inserts of another than the named",
    await askNamed(...insertOf(table, row(table === "agent" ? newId() : THEIRS))),
    REFUSED,
  );
  expect("updates of named agents", await askNamed(touch), mayShare("UPDATE", canUpdate, 1));
  expect(
    "gives a named agent's away",
    await askNamed(`update ${table} set ${agentColumn} = $1`, [THEIRS]),
    shared.includes("UPDATE") || !canUpdate ? REFUSED : 0,
  );

  const work = (statement: string, values: unknown[] = []) =>
    outcomeOf(client, "signalbox_work", undefined, statement, values);
  const mayWork = (right: string, outcome: number) => (facts.work.includes(right) ? outcome : REFUSED);
  // Among the agents there is one more, under whose id operators act.
  const all = AGENTS.length + (table === "agent" ? 1 : 0);
  expect("work reads", await work(count), mayWork("SELECT", all));
  expect("work updates", await work(touch), mayWork("UPDATE", all));
  if (table !== "agent")
    expect("work inserts", await work(...insertOf(table, row(OURS))), mayWork("INSERT", 1));
  expect("work deletes", await work(`delete from ${table}`), mayWork("DELETE", all));
  expect("work truncates", await work(`truncate ${table} cascade`), REFUSED);
  return problems;
}

/** Every right of ours on a table, its columns and its partitions; a partition's are named with it. */
async function rightsOn(client: pg.Client, table: string): Promise<Record<string, string[]>> {
  const { rows } = await client.query<{ role: string; rights: string[] }>(
    `with granted as (
       select a.grantee, a.privilege_type || case when c.relispartition then ' on ' || c.relname else '' end as name
       from pg_class c, aclexplode(c.relacl) a
       where c.oid = $1::regclass or c.oid in (select inhrelid from pg_inherits where inhparent = $1::regclass)
       union all
       select a.grantee, a.privilege_type || ' ' || t.attname
       from pg_attribute t, aclexplode(t.attacl) a where t.attrelid = $1::regclass
     )
     select role, array(
       select name from granted where grantee in (0, role::regrole) order by name collate "C"
     ) as rights
     from unnest(array['signalbox_api', 'signalbox_work']) role`,
    [`public.${table}`],
  );
  return Object.fromEntries(rows.map(({ role, rights }) => [role, rights]));
}

function insertOf(table: string, row: Record<string, unknown>): [string, unknown[]] {
  const places = Object.keys(row).map((_, index) => `$${index + 1}`);
  return [
    `insert into ${table} (${Object.keys(row).join(", ")}) values (${places.join(", ")})`,
    Object.values(row),
  ];
}

async function undone<Result>(client: pg.Client, work: () => Promise<Result>): Promise<Result> {
  await client.query("savepoint before_work");
  try {
    return await work();
  } finally {
    await client.query("rollback to savepoint before_work; release savepoint before_work");
  }
}

/** `named`: the agents of a transaction that accepts messages of several. */
function outcomeOf(
  client: pg.Client,
  role: string,
  agentId: string | undefined,
  statement: string,
  values: unknown[],
  named: string[] = [],
): Promise<Outcome> {
  return undone(client, async () => {
    await client.query(`set local role ${role}`);
    await client.query(
      "select set_config('signalbox.agent_id', $1, true), set_config('signalbox.agent_ids', $2, true)",
      [agentId ?? "", named.join(",")],
    );
    try {
      const { rows, rowCount } = await client.query<{ n?: number }>(statement, values);
      return rows[0]?.n ?? rowCount ?? 0;
    } catch (error) {
      if (error instanceof pg.DatabaseError) return error.code ?? "no code";
      throw error;
    }
  });
}

describe("row-level security", () => {
  const open = new AsyncDisposableStack();
  let database: ClonedDatabase;
  /** A superuser's, to change what is probed and to become either role; no probe runs as superuser. */
  let client: pg.Client;
  let owner: pg.Client;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const connect = async (connectionString: string) => {
      const connected = new pg.Client({ connectionString });
      await connected.connect();
      open.defer(() => connected.end());
      return connected;
    };
    client = await connect(database.superuserUrl);
    owner = await connect(database.ownerUrl);
    for (const [table, { row }] of Object.entries(TABLES)) {
      for (const agentId of row === undefined ? [] : AGENTS) {
        const ids = { knowledge_base: BASES, document: DOCUMENTS }[table];
        const given = ids === undefined ? {} : { id: ids.get(agentId) };
        await client.query(...insertOf(table, { ...row?.(agentId), ...given }));
      }
    }
  });
  after(() => open.disposeAsync());

  async function inTransaction<Result>(work: () => Promise<Result>, session = client): Promise<Result> {
    await session.query("begin");
    try {
      return await work();
    } finally {
      await session.query("rollback");
    }
  }

  async function column(statement: string): Promise<string[]> {
    return (await client.query<{ name: string }>(statement)).rows.map(({ name }) => name);
  }

  const allTables = () =>
    column(
      "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') and not relispartition order by 1",
    );

  it("row-level security is probed on every table, as roles that it binds", async () => {
    assert.deepEqual(await allTables(), Object.keys(TABLES).toSorted());
    const { rows } = await client.query(
      "select rolname, rolsuper or rolbypassrls or rolcanlogin or rolcreaterole as mighty from pg_roles where rolname in ('signalbox_api', 'signalbox_work') order by 1",
    );
    assert.deepEqual(rows, [
      { rolname: "signalbox_api", mighty: false },
      { rolname: "signalbox_work", mighty: false },
    ]);
  });

  for (const table of Object.keys(TABLES)) {
    it(`row-level security gives each role what it needs of ${table}, and nothing of another agent`, async () => {
      assert.deepEqual(await inTransaction(() => problemsOf(client, table)), []);
    });
  }

  /** A probe that stays green on a mutant would prove nothing. */
  async function survivors(mutants: { table: string; statement: string }[]): Promise<string[]> {
    const survived: string[] = [];
    for (const { table, statement } of mutants) {
      const problems = await inTransaction(async () => {
        await client.query(statement);
        return problemsOf(client, table);
      });
      if (problems.length === 0) survived.push(statement);
    }
    return survived;
  }

  it("a probe fails for each policy that is dropped or opened", async () => {
    const { rows: policies } = await client.query<{ table: string; name: string; checks: boolean }>(
      "select tablename as table, policyname as name, with_check is not null as checks from pg_policies where schemaname = 'public' and policyname <> 'maintenance'",
    );
    assert.equal(policies.length, 71, "a new policy is counted here by hand");
    const mutants = policies.flatMap(({ table, name, checks }) => [
      { table, statement: `drop policy ${name} on ${table}` },
      ...(OF_AGENTS.has(name) && !(name === "named_agents" && table === "message")
        ? [{ table, statement: `alter policy ${name} on ${table} using (true)` }]
        : []),
      ...(OF_AGENTS.has(name) && checks
        ? [{ table, statement: `alter policy ${name} on ${table} with check (true)` }]
        : []),
    ]);
    assert.deepEqual(await survivors(mutants), []);
  });

  it("a probe fails for each table without row-level security", async () => {
    const mutants = tenants().map((table) => ({
      table,
      statement: `alter table ${table} disable row level security`,
    }));
    assert.deepEqual(await survivors(mutants), []);
  });

  it("a probe fails for a right too many", async () => {
    const partition = (
      await column(
        "select min(inhrelid::regclass::text) as name from pg_inherits where inhparent = 'message'::regclass",
      )
    )[0];
    const mutants = [
      { table: "api_key", statement: "grant select on api_key to signalbox_api" },
      { table: "webhook", statement: "grant select (secret_sealed) on webhook to signalbox_api" },
      { table: "audit", statement: "grant update on audit to signalbox_work" },
      { table: "audit", statement: "grant delete on audit to public" },
      { table: "message", statement: `grant select on ${partition} to signalbox_work` },
    ];
    assert.deepEqual(await survivors(mutants), []);
  });

  it("no partition can be read past the policies of its parent", async () => {
    const partitions = await column(
      "select oid::regclass::text as name from pg_class where relispartition and relkind = 'r' and relnamespace = 'public'::regnamespace",
    );
    assert.ok(partitions.length > 5 * 16 + 2 * 64, `${partitions.length} partitions`);
    const reached = await inTransaction(async () => {
      const found: string[] = [];
      for (const role of ["signalbox_api", "signalbox_work"]) {
        for (const partition of partitions) {
          const outcome = await outcomeOf(client, role, OURS, `select 1 as n from ${partition} limit 1`, []);
          if (outcome !== REFUSED) found.push(`${role} reads ${partition}: ${outcome}`);
        }
      }
      return found;
    });
    assert.deepEqual(reached, []);
  });

  const tenants = () => Object.keys(TABLES).filter((table) => TABLES[table]?.row !== undefined);

  /** What the owner sees and changes of a table, first as it logs in, then when it says that this is maintenance. */
  async function ownersSight(table: string): Promise<(number | null)[]> {
    const { agentColumn = "agent_id" } = TABLES[table] ?? {};
    const look = async () => [
      (await owner.query(`select from ${table}`)).rowCount,
      (await owner.query(`update ${table} set ${agentColumn} = ${agentColumn}`)).rowCount,
    ];
    const asItIs = await look();
    await owner.query("set local signalbox.maintenance = on");
    return [...asItIs, ...(await look())];
  }

  it("row-level security binds the owner too, outside maintenance", async () => {
    for (const table of tenants()) {
      const all = AGENTS.length + (table === "agent" ? 1 : 0);
      assert.deepEqual(await inTransaction(() => ownersSight(table), owner), [0, 0, all, all], table);
    }
  });

  it("the owner's probe fails for each table without forced row-level security or a maintenance policy", async () => {
    const survived: string[] = [];
    for (const table of tenants()) {
      const intact = await inTransaction(() => ownersSight(table), owner);
      for (const mutant of [
        `alter table ${table} no force row level security`,
        `drop policy maintenance on ${table}`,
        `alter policy maintenance on ${table} using (true)`,
      ]) {
        const seen = await inTransaction(async () => {
          await owner.query(mutant);
          return ownersSight(table);
        }, owner);
        if (JSON.stringify(seen) === JSON.stringify(intact)) survived.push(mutant);
      }
    }
    assert.deepEqual(survived, []);
  });

  it("no role of the service can change or delete audit rows", async () => {
    await inTransaction(async () => {
      for (const role of ["signalbox_api", "signalbox_work"]) {
        for (const statement of ["update audit set actor = 'nobody'", "delete from audit", "truncate audit"])
          assert.equal(await outcomeOf(client, role, OURS, statement, []), REFUSED, `${role}: ${statement}`);
      }
    });
  });
});
