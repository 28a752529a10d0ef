import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import pg from "pg";

describe("database schema", () => {
  const open = new AsyncDisposableStack();
  let client: pg.Client;
  let superuser: pg.Client;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const connect = async (connectionString: string) => {
      const connected = new pg.Client({ connectionString });
      await connected.connect();
      open.defer(() => connected.end());
      return connected;
    };
    client = await connect(database.url);
    superuser = await connect(database.superuserUrl);
  });
  after(() => open.disposeAsync());

  async function column(statement: string): Promise<unknown[]> {
    const { rows } = await client.query<unknown[]>({ text: statement, rowMode: "array" });
    return rows.map(([value]) => value);
  }

  it("the schema has only reviewed functions, and few that run as the owner", async () => {
    const { rows } = await client.query(`
      select p.oid::regprocedure::text as name, prosecdef as as_owner, proconfig as settings, array(
        select role from unnest(array['signalbox_api', 'signalbox_work']) role
        where has_function_privilege(role, p.oid, 'execute')
      ) as for_roles
      from pg_proc p
      where pronamespace = 'public'::regnamespace
        and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
      order by 1`);
    const everybody = ["signalbox_api", "signalbox_work"];
    const asCaller = { as_owner: false, settings: null, for_roles: everybody };
    // pg_temp is named last: unnamed it would come first, and a caller's own table would be taken for ours.
    const asOwner = {
      as_owner: true,
      settings: ["search_path=public, pg_temp"],
      for_roles: ["signalbox_work"],
    };
    const withSettings = (name: string, as: typeof asCaller | typeof asOwner, ...settings: string[]) => ({
      name,
      ...as,
      settings: [...(as.settings ?? []), ...settings],
    });
    const planned = "plan_cache_mode=force_custom_plan";
    assert.deepEqual(rows, [
      { name: "signalbox_agent()", ...asCaller },
      { name: "signalbox_archive_revision(uuid,uuid,integer)", ...asOwner },
      { name: "signalbox_bind_owner(regclass)", ...asCaller },
      { name: "signalbox_delete_pair(uuid,uuid,integer,integer)", ...asOwner },
      withSettings("signalbox_drop_orphaned_lanes(integer,integer)", asOwner, planned),
      withSettings("signalbox_drop_partition(integer)", asOwner, "lock_timeout=2s"),
      { name: "signalbox_enable_vectors()", ...asCaller },
      { name: "signalbox_ensure_partitions(integer)", ...asOwner },
      { name: "signalbox_erase_conversation(uuid,uuid)", ...asOwner },
      withSettings("signalbox_erase_rest(uuid,uuid[],integer,boolean)", asOwner, planned),
      withSettings(
        "signalbox_expire_conversations(uuid,integer,boolean,timestamp with time zone,uuid,integer)",
        asOwner,
        planned,
      ),
      { name: "signalbox_expire_questions(uuid,integer)", ...asOwner },
      withSettings("signalbox_finish_erasure(uuid,uuid[])", asOwner, planned),
      { name: "signalbox_forget_answerer()", ...asCaller },
      { name: "signalbox_forget_human_answers()", ...asCaller },
      { name: "signalbox_forget_numbers()", ...asCaller },
      { name: "signalbox_forget_offers()", ...asCaller },
      { name: "signalbox_forget_ratings()", ...asCaller },
      { name: "signalbox_forget_talks()", ...asCaller },
      { name: "signalbox_index_messages()", ...asOwner },
      withSettings("signalbox_index_vectors(uuid,text,integer)", asOwner, "maintenance_work_mem=256MB"),
      { name: "signalbox_isolate(regclass,text,text)", ...asCaller },
      withSettings("signalbox_keep_vectors(uuid,uuid,integer,integer)", asCaller, "lock_timeout=1s"),
      { name: "signalbox_names(uuid)", ...asCaller },
      { name: "signalbox_note_dead_letter()", ...asCaller },
      { name: "signalbox_partition_by_hash(text)", ...asCaller },
      { name: "signalbox_partition_of(regclass,uuid)", ...asCaller },
      withSettings("signalbox_purge_agent(uuid,integer,integer)", asOwner, "lock_timeout=5s"),
      { name: "signalbox_search_terms(text)", ...asCaller },
      { name: "signalbox_settle_terms(uuid)", ...asOwner },
      { name: "signalbox_sweep_revision(uuid,uuid,integer)", ...asOwner },
      {
        name: "signalbox_tag_pair(uuid,uuid,integer,integer,text[],text[],tsvector)",
        ...asOwner,
      },
      { name: "signalbox_vacuum_rarely(text)", ...asCaller },
    ]);
  });

  it("a role of the service can create, change or own nothing", async () => {
    const refusals: string[] = [];
    const statements = [
      "create table mine ()",
      "create function mine() returns integer language sql as 'select 1'",
      "create schema mine",
      "call signalbox_isolate('audit', 'select', 'update')",
      "call signalbox_bind_owner('audit')",
      "call signalbox_partition_by_hash('delivery')",
      "call signalbox_vacuum_rarely('lane_0')",
      "alter table audit disable row level security",
      "drop policy every_agent on audit",
      "grant signalbox_work to signalbox_api",
      "create trigger mine before insert on message execute function suppress_redundant_updates_trigger()",
    ];
    for (const role of ["signalbox_api", "signalbox_work"]) {
      for (const statement of statements) {
        await client.query(`begin; set local role ${role}`);
        const error = await client.query(statement).then(
          () => "allowed",
          (reason: pg.DatabaseError) => reason.code,
        );
        await client.query("rollback");
        if (error !== "42501") refusals.push(`${role}: ${statement}: ${error}`);
      }
    }
    assert.deepEqual(refusals, []);
    assert.deepEqual(
      await column(
        "select pg_has_role('signalbox_api', 'signalbox_work', 'member') or pg_has_role('signalbox_work', 'signalbox_api', 'member')",
      ),
      [false],
    );
  });

  it("every row of an agent is found by a key that begins with the agent or the knowledge base", async () => {
    const others = await column(`
      select c.relname from pg_class c
      join pg_partitioned_table p on p.partrelid = c.oid
      join pg_index i on i.indrelid = c.oid and i.indisprimary
      join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
      where a.attname not in ('agent_id', 'knowledge_base_id')`);
    assert.deepEqual(others, []);
  });

  // An agent can move to another database: docs/adr/0050.
  it("every table has the agent in its primary key, but for those of the installation", async () => {
    const ofInstallation = await column(`
      select c.relname from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and not exists (
          select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
          where i.indrelid = c.oid and i.indisprimary and a.attname = 'agent_id')
      order by 1`);
    assert.deepEqual(ofInstallation, [
      "account",
      "account_device",
      "account_guess",
      "account_identity",
      "account_passkey",
      "account_passkey_challenge",
      "account_password_reset",
      "account_recovery_code",
      "account_session",
      "account_sign_in",
      "account_totp",
      "agent", // its own id is its key
      "numbers_sweep",
      "operator_token",
      "schema_migration",
      "worker",
    ]);
  });

  it("the rows of one agent can be replicated from every table, while all rows are written", async () => {
    const tables = await column(`
      select c.oid::regclass::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'agent_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`);
    const partitions = await column(`
      select c.oid::regclass::text from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'agent_id'
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relispartition order by 1`);
    const ofOneAgent = tables.map((table) => `${String(table)} where (agent_id = '${randomUUID()}')`);
    const refusals: string[] = [];
    await superuser.query("begin");
    await superuser.query(
      `create publication one_agent for table ${ofOneAgent.join(", ")} with (publish_via_partition_root = true)`,
    );
    for (const table of [...tables, ...partitions]) {
      await superuser.query("savepoint before_write");
      await superuser
        .query(`update ${String(table)} set agent_id = agent_id where false`)
        .catch((error: Error) => refusals.push(error.message));
      await superuser.query("rollback to savepoint before_write");
    }
    await superuser.query("rollback");
    assert.ok(tables.length > 40, `${tables.length} tables`);
    assert.deepEqual(refusals, []);
  });
});
