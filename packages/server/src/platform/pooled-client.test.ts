import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "kysely";
import { openBedDirectory } from "@signalbox/tests/support/bed-directory.ts";
import { startPgBouncer } from "@signalbox/tests/support/pgbouncer.ts";
import { SERVICE, startCluster, withClient } from "@signalbox/tests/support/postgres.ts";
import { inTransaction, openAgentDatabase, openWorkDatabase, type Database } from "./database.ts";
import { newId } from "./ids.ts";
import { openSearchDatabase } from "./search-database.ts";

/** Fewer than the service opens, so that they take turns on each. */
const SERVER_CONNECTIONS = 2;

const STANDING = sql<{ role: string; agent: string; timeout: string }>`
  select current_user::text as role, coalesce(current_setting('signalbox.agent_id', true), '') as agent,
    current_setting('statement_timeout') as timeout`;

describe("connections through a pooler in transaction mode", () => {
  const open = new AsyncDisposableStack();
  let url: string;
  let options: { url: string; pooled: true; poolSize: number; onError: () => void };

  before(async () => {
    const { path: directory } = open.use(await openBedDirectory());
    const cluster = open.use(await startCluster({ directory }));
    await withClient(cluster.superuserUrl("postgres"), (client) =>
      client.query(`create role signalbox_api; create role signalbox_work;
        grant signalbox_api, signalbox_work to ${SERVICE};
        create table note (agent_id uuid primary key, text text);
        alter table note enable row level security;
        create policy every_agent on note to signalbox_work using (true);
        create policy own_agent on note to signalbox_api
          using (agent_id = nullif(current_setting('signalbox.agent_id', true), '')::uuid);
        grant select, insert on note to signalbox_api, signalbox_work`),
    );
    const bouncer = open.use(
      await startPgBouncer(directory, cluster, {
        pool_mode: "transaction",
        default_pool_size: SERVER_CONNECTIONS,
      }),
    );
    const through = new URL(cluster.serviceUrl("postgres"));
    through.port = String(bouncer.port);
    url = through.href;
    options = { url, pooled: true, poolSize: 10, onError: () => undefined };
  });
  after(() => open.disposeAsync());

  const textsOf = async (db: Database) =>
    (await sql<{ text: string }>`select text from note order by text`.execute(db)).rows.map(
      ({ text }) => text,
    );

  it("a statement alone and a transaction of the work role run as that role and leave nothing behind", async () => {
    const work = openWorkDatabase(options);
    try {
      const { rows } = await STANDING.execute(work.db);
      assert.deepEqual(rows, [{ role: "signalbox_work", agent: "", timeout: "30s" }]);
      await assert.rejects(sql`select 1 / ${0}::int`.execute(work.db), /division by zero/);
      const inside = await inTransaction(work.db, async (db) => (await STANDING.execute(db)).rows[0]?.role);
      assert.equal(inside, "signalbox_work");
      const snapshot = work.db.transaction().setIsolationLevel("repeatable read");
      const roles = await snapshot.execute(async (db) => {
        await STANDING.execute(db);
        return (await STANDING.execute(db)).rows[0]?.role;
      });
      assert.equal(roles, "signalbox_work");
      assert.equal((await STANDING.execute(work.db)).rows[0]?.role, "signalbox_work");
    } finally {
      await work.close();
    }
    await withClient(url, async (client) => {
      const { rows } = await client.query(
        "select current_user::text as role, current_setting('statement_timeout') as timeout",
      );
      assert.deepEqual(rows, [{ role: SERVICE, timeout: "0" }]);
    });
  });

  it("agents that take turns on the same connections see their own rows alone", async () => {
    const agents = openAgentDatabase({ ...options, shareWaitMs: 60_000 });
    try {
      const ids = Array.from({ length: 12 }, () => newId());
      await Promise.all(
        ids.map((id) =>
          agents.asAgentOnce(id, (db) => sql`insert into note values (${id}, ${id})`.execute(db)),
        ),
      );
      const rounds = Array.from({ length: 4 }, () => ids).flat();
      const seen = await Promise.all(rounds.map((id) => agents.asAgent(id, textsOf)));
      assert.deepEqual(
        seen,
        rounds.map((id) => [id]),
      );
    } finally {
      await agents.close();
    }
  });

  it("a transaction that throws is undone, and a search cannot write", async () => {
    const [work, search] = [openWorkDatabase(options), openSearchDatabase(options)];
    const insert = (db: Database) => sql`insert into note values (${newId()}, 'undone')`.execute(db);
    try {
      await assert.rejects(
        inTransaction(work.db, async (db) => {
          await insert(db);
          throw new Error("changed my mind");
        }),
        /changed my mind/,
      );
      await assert.rejects(insert(search.db), /read-only transaction/);
      assert.ok(!(await textsOf(work.db)).includes("undone"));
    } finally {
      await Promise.all([work.close(), search.close()]);
    }
  });
});
