import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { cloneDatabase, emptyDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { withClient, type ReachableCluster } from "@signalbox/tests/support/postgres.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { PROGRAM } from "@signalbox/tests/support/service.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { ACCESS } from "./access.generated.ts";
import { fingerprintOf, readAccess } from "./access.ts";
import { migrate, readApplied, readMigrations, readRows, verifyAccess } from "./migrate.ts";
import { runsOutside } from "./migration-statements.ts";
import { planMigrations, schemaMismatch, type Migration } from "./schema-plan.ts";

const run = promisify(execFile);
const FOLDER = new URL("../../migrations/", import.meta.url);

function migrationOf(name: string, text: string): Migration {
  return { name, text, checksum: createHash("sha256").update(text).digest("hex") };
}

describe("migrations", () => {
  const open = new AsyncDisposableStack();
  /** With nothing to mend rights by: what a migration gives is the migration's own doing. */
  const quiet = { log: () => undefined, access: { migrations: "", statements: [] } };
  let cluster: ReachableCluster;
  let ours: Migration[];

  before(async () => {
    cluster = open.use(await borrowCluster()).cluster;
    ours = await readMigrations();
  });
  after(() => open.disposeAsync());

  async function database(made: Promise<ClonedDatabase>): Promise<ClonedDatabase> {
    const database = await made;
    open.defer(() => database.drop());
    return database;
  }

  async function column(url: string, statement: string): Promise<unknown[]> {
    return withClient(url, async (client) => {
      const { rows } = await client.query<unknown[]>({ text: statement, rowMode: "array" });
      return rows.map(([value]) => value);
    });
  }

  const appliedIn = (url: string) => column(url, "select name from schema_migration order by name");
  const tablesIn = (url: string) =>
    column(
      url,
      "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1",
    );

  it("migrations are numbered without a gap and leave the transaction to the migrator", async () => {
    const names = (await readdir(FOLDER)).toSorted();
    assert.deepEqual(
      names,
      ours.map(({ name }) => name),
      "a file that is named otherwise would be passed over in silence",
    );
    assert.deepEqual(
      names.map((name) => Number(name.slice(0, 4))),
      names.map((_, index) => index + 1),
    );
    for (const name of names) {
      const text = await readFile(new URL(name, FOLDER), "utf8");
      assert.doesNotMatch(text, /^\s*(begin|start transaction|commit|rollback)\s*;/im, name);
      if (!runsOutside(text)) assert.doesNotMatch(text, /\bconcurrently\b/i, name);
    }
  });

  it("migrations run once when several migrators start together", async () => {
    const { ownerUrl: url } = await database(emptyDatabase(cluster));
    const applied = await Promise.all([1, 2, 3].map(() => migrate(url, ours, quiet)));
    assert.deepEqual(
      applied.map(({ length }) => length).toSorted((a, b) => a - b),
      [0, 0, ours.length],
    );
    assert.deepEqual(
      await appliedIn(url),
      ours.map(({ name }) => name),
    );
    const access = await withClient(url, (client) => readAccess((text) => client.query(text)));
    assert.deepEqual(access, ACCESS.statements, "run npm run write-tables");
    assert.equal(ACCESS.migrations, fingerprintOf(ours), "run npm run write-tables");
  });

  it("the migrate role needs no other setting and says when there is nothing to do", async () => {
    const { ownerUrl: url } = await database(emptyDatabase(cluster));
    const env = { PATH: process.env["PATH"] ?? "", MIGRATION_DATABASE_URL: url };
    const once = () => run(process.execPath, [PROGRAM, "migrate"], { env });
    assert.match((await once()).stdout, /applying 0001_agents\.sql\n[^]*Applied \d+ migrations\.\n$/);
    assert.equal((await once()).stdout, "Nothing to do: the schema is up to date.\n");
  });

  it("migrations run as an owner without superuser or role rights when the roles exist", async () => {
    const { name, ownerUrl: asOwner } = await database(emptyDatabase(cluster));
    const [owner] = await column(asOwner, "select rolsuper::text from pg_roles where rolname = current_user");
    assert.equal(owner, "false", "the other tests run as no superuser either");
    const login = `owner_of_${name}`;
    const superuserUrl = cluster.superuserUrl(name);
    await withClient(superuserUrl, (client) =>
      client.query(`create role ${login} login password 'plain'; grant signalbox_api, signalbox_work to ${login};
        alter database ${name} owner to ${login}`),
    );
    open.defer(async () => {
      await withClient(superuserUrl, (client) =>
        client.query(`reassign owned by ${login} to current_user; drop role ${login}`),
      );
    });
    const url = new URL(asOwner);
    [url.username, url.password] = [login, "plain"];
    assert.equal((await migrate(url.href, ours, quiet)).length, ours.length);
  });

  it("the migrator refuses a file that was changed after it was applied", async () => {
    const { ownerUrl: url } = await database(cloneDatabase(cluster));
    const [first, ...rest] = ours;
    const changed = [migrationOf(first?.name ?? "", `${first?.text} -- another word`), ...rest];
    const added = migrationOf("9000_added.sql", "create table added ()");
    await assert.rejects(migrate(url, [...changed, added], quiet), /was changed after it was applied/);
    assert.equal((await tablesIn(url)).includes("added"), false);
  });

  it("the migrator refuses a database that is ahead of this version", async () => {
    const { ownerUrl: url } = await database(cloneDatabase(cluster));
    const newer = migrationOf("9000_newer.sql", "create table newer ()");
    await migrate(url, [...ours, newer], quiet);
    await assert.rejects(migrate(url, ours, quiet), /9000_newer\.sql, which this version does not know/);
  });

  it("a failed migration leaves nothing, those before it stay, and the next run continues", async () => {
    const { ownerUrl: url } = await database(cloneDatabase(cluster));
    const before = migrationOf("9000_before.sql", "create table before ()");
    const broken = migrationOf(
      "9001_broken.sql",
      "create table half (); select 1 / 0; create table other ()",
    );
    const mended = migrationOf("9001_broken.sql", "create table half ()");
    const unrecorded = migrationOf(
      "9001_broken.sql",
      "create table half (); alter table schema_migration rename to gone",
    );
    const names = ours.map(({ name }) => name);
    await assert.rejects(migrate(url, [...ours, before, broken], quiet), /division by zero/);
    await assert.rejects(
      migrate(url, [...ours, before, unrecorded], quiet),
      /"schema_migration" does not exist/,
    );
    assert.deepEqual(await appliedIn(url), [...names, before.name]);
    const left = await tablesIn(url);
    assert.deepEqual(
      ["before", "half", "other"].map((table) => left.includes(table)),
      [true, false, false],
    );
    assert.deepEqual(await migrate(url, [...ours, before, mended], quiet), [mended.name]);
  });

  const additive = migrationOf(
    "9000_additive.sql",
    `-- Oldest program that runs on this: NEWEST\nalter table message add column mood text; create table mood ();
     grant select on mood to signalbox_work`,
  );
  const afterOurs = ({ name, text }: Migration) =>
    migrationOf(name, text.replace("NEWEST", ours.at(-1)?.name.slice(0, 4) ?? ""));

  it("a version runs on the schema of a newer one that says so, and its migrate leaves that schema alone", async () => {
    const { ownerUrl: url } = await database(cloneDatabase(cluster));
    const newer = afterOurs(additive);
    await migrate(url, [...ours, newer], quiet);
    const applied = await readApplied(url);
    assert.equal(schemaMismatch(ours, applied), undefined);
    assert.match(schemaMismatch(ours.slice(0, -1), applied) ?? "", /which this version does not know/);
    const lines: string[] = [];
    assert.deepEqual(await migrate(url, ours, { log: (line) => lines.push(line) }), []);
    assert.deepEqual(lines, ["The schema is newer than this version, which runs on it: 9000_additive.sql."]);
    const rights =
      "select privilege_type from information_schema.role_table_grants where table_name = 'mood' and grantee = 'signalbox_work'";
    assert.deepEqual(await column(url, rights), ["SELECT"], "the newer version's rights stay");
    assert.equal((await verifyAccess(url)).length, 1);
    assert.deepEqual(await verifyAccess(url, { mayHaveMore: true }), []);
    const added = migrationOf("0999_added.sql", "create table added ()");
    await assert.rejects(migrate(url, [...ours, added], quiet), /is newer, and lacks 0999_added\.sql/);
  });

  it("a migration is recorded in a table that an earlier version made", async () => {
    const { ownerUrl: url } = await database(cloneDatabase(cluster));
    await withClient(url, (client) =>
      client.query("alter table schema_migration drop column oldest_program"),
    );
    assert.equal(schemaMismatch(ours, await readApplied(url)), undefined);
    await migrate(url, [...ours, afterOurs(additive)], quiet);
    assert.deepEqual(
      await column(
        url,
        "select oldest_program from schema_migration where name > '9' or name < '0002' order by name",
      ),
      [null, ours.at(-1)?.name.slice(0, 4)],
    );
  });

  it("a migration that waits for a lock lets queries through between its tries, then applies as a whole", async () => {
    const { ownerUrl: url } = await database(cloneDatabase(cluster));
    const slow = migrationOf(
      "9000_slow.sql",
      "create table first (); alter table message add column mood text",
    );
    const lines: string[] = [];
    await withClient(url, async (reader) => {
      await reader.query("begin; select from message");
      const locks = { lockTimeoutMs: 200, pauseMs: 500 };
      const migrating = migrate(url, [...ours, slow], { ...quiet, log: (line) => lines.push(line), locks });
      await eventually("it has tried twice", () => lines.length >= 3);
      assert.match(
        lines.at(-1) ?? "",
        /^9000_slow\.sql waits for a lock \(.*lock timeout\); trying again in \d+ s$/,
      );
      assert.deepEqual(await column(url, "select 1 from message"), [], "a query gets its answer meanwhile");
      assert.equal((await tablesIn(url)).includes("first"), false);
      await reader.query("commit");
      assert.deepEqual(await migrating, [slow.name]);
    });
    await withClient(url, async (reader) => {
      await reader.query("begin; select from message");
      const stuck = migrationOf("9001_stuck.sql", "alter table message add column more text");
      const locks = { lockTimeoutMs: 50, pauseMs: 50, tries: 2 };
      const failing = migrate(url, [...ours, slow, stuck], { ...quiet, locks });
      await assert.rejects(
        failing,
        /9001_stuck\.sql did not get its locks in 2 tries; end the long transactions/,
      );
    });
  });

  it("a migration outside a transaction builds an index beside writers and can run again after a failure", async () => {
    const { ownerUrl: url } = await database(cloneDatabase(cluster));
    const index = migrationOf(
      "9000_index.sql",
      `-- Outside a transaction
drop index concurrently if exists audit_by_kind;
create index concurrently audit_by_kind on audit (action);`,
    );
    const broken = migrationOf(index.name, `${index.text}\nselect 1 / 0; -- never;`);
    await assert.rejects(migrate(url, [...ours, broken], quiet), /division by zero/);
    assert.equal((await appliedIn(url)).includes(index.name), false);
    assert.deepEqual(await migrate(url, [...ours, index], quiet), [index.name]);
    const valid = "select indisvalid from pg_index where indexrelid = 'audit_by_kind'::regclass";
    assert.deepEqual(await column(url, valid), [true]);
  });

  it("rows are estimated for tables that exist, over all partitions, for a plan", async () => {
    const { ownerUrl: url, maintenanceUrl } = await database(cloneDatabase(cluster));
    await withClient(maintenanceUrl, (client) =>
      client.query(`insert into message (agent_id, id, conversation_id, seq, sender, text)
        select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 1, 'user', 'Hello?' from generate_series(1, 300)`),
    );
    await withClient(url, (client) => client.query("analyze message"));
    const rows = await readRows(url, ["message", "agent", "not_there"]);
    assert.deepEqual(
      [...rows],
      [
        ["message", 300],
        ["agent", 0],
      ],
    );
  });

  it("every row is kept when a migration reduces partitions", async () => {
    const { ownerUrl: url } = await database(emptyDatabase(cluster));
    const until = (name: string) => ours.slice(0, ours.findIndex((migration) => migration.name === name) + 1);
    await migrate(url, until("0018_answer_with.sql"), quiet);
    const rows = {
      conversation: "(agent_id, id, channel) select agent, id, 'api'",
      message:
        "(agent_id, id, conversation_id, seq, sender, text) select agent, id, agent, 1, 'user', 'Hello?'",
      turn: `(agent_id, id, conversation_id, first_seq, last_seq, epoch, owner, lease_until)
        select agent, id, agent, 1, 1, 0, 'worker', now()`,
      handoff: `(agent_id, id, conversation_id, component_id, trigger, state, told_seq)
        select agent, id, agent, id, 'api', 'requested', 0`,
      lane: `(agent_id, id, conversation_id, destination_id, state, tail_seq)
        select agent, id, agent, id, 'parked', 7`,
    };
    const fingerprint = (table: string) =>
      column(url, `select md5(string_agg(r::text, '' order by id)) from ${table} r`);
    const prints = new Map<string, unknown[]>();
    for (const [table, row] of Object.entries(rows)) {
      await withClient(url, (client) =>
        client.query(
          `insert into ${table} ${row} from (select gen_random_uuid() agent, gen_random_uuid() id from generate_series(1, 300)) made`,
        ),
      );
      prints.set(table, await fingerprint(table));
    }
    const applied = await migrate(url, until("0019_sixteen_partitions.sql"), quiet);
    assert.deepEqual(applied, ["0019_sixteen_partitions.sql"]);
    for (const [table, print] of prints) {
      assert.deepEqual(await fingerprint(table), print, table);
      const used = await column(url, `select distinct tableoid::regclass::text from ${table} order by 1`);
      assert.deepEqual(
        used,
        Array.from({ length: 16 }, (_, remainder) => `${table}_${remainder.toString(16)}`),
      );
    }
  });

  it("the migrator restores lost rights and policies and revokes what it never granted", async () => {
    const { ownerUrl, superuserUrl } = await database(cloneDatabase(cluster));
    assert.deepEqual(await verifyAccess(ownerUrl), []);
    const losses = [
      "drop policy one_agent on message",
      "alter policy every_agent on lane using (false)",
      "alter table turn disable row level security",
      "alter table audit no force row level security",
      "revoke select on delivery from signalbox_work",
      "revoke select (kind) on webhook from signalbox_api",
      "revoke insert on qa_pair_07 from signalbox_work",
      "revoke usage on schema public from signalbox_api",
      "grant execute on function signalbox_drop_partition(integer) to public",
      "grant update on audit to signalbox_work",
      "create policy open on message to public using (true)",
    ];
    for (const loss of losses) {
      await withClient(superuserUrl, (client) => client.query(loss));
      assert.equal((await verifyAccess(ownerUrl)).length, 1, loss);
      const lines: string[] = [];
      await migrate(ownerUrl, ours, { log: (line) => lines.push(line) });
      assert.match(lines.join("\n"), /^repaired access: /, loss);
      assert.deepEqual(await verifyAccess(ownerUrl), [], loss);
    }
    const theirs =
      "create table report (); grant select on message to pg_monitor; grant select on report to pg_monitor";
    await withClient(superuserUrl, (client) => client.query(theirs));
    assert.deepEqual(await verifyAccess(ownerUrl), [], "an operator's own roles are left alone");
  });

  it("reading the applied migrations changes nothing, also in an empty database", async () => {
    const empty = await database(emptyDatabase(cluster));
    assert.deepEqual(await readApplied(empty.ownerUrl), []);
    assert.deepEqual(await tablesIn(empty.ownerUrl), []);
    const { ownerUrl: url } = await database(cloneDatabase(cluster));
    const added = migrationOf("9000_added.sql", "create table added ()");
    const planned = planMigrations([...ours, added], await readApplied(url));
    assert.deepEqual(planned, { pending: [added], newer: [], mismatch: undefined });
    assert.match(planMigrations([added], await readApplied(url)).mismatch ?? "", /does not know/);
  });

  it("a schema mismatch says what to do", () => {
    const [one, two] = [migrationOf("0001_one.sql", "1"), migrationOf("0002_two.sql", "2")];
    assert.equal(schemaMismatch([one, two], [one, two]), undefined);
    assert.match(schemaMismatch([one, two], [one]) ?? "", /lacks 0002_two\.sql; run the migrate role/);
    assert.match(schemaMismatch([one], [one, two]) ?? "", /0002_two\.sql.*run a newer version/);
    assert.match(
      schemaMismatch([one], [{ ...one, checksum: "x" }]) ?? "",
      /was changed after it was applied/,
    );
  });
});
