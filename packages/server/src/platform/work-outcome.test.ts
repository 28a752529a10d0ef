import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openDatabaseProxy, type DatabaseProxy } from "@signalbox/tests/support/database-proxy.ts";
import { cloneDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { withClient } from "@signalbox/tests/support/postgres.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { sql } from "kysely";
import { inTransaction, openWorkDatabase, type Database } from "./database.ts";
import { isUniqueViolation, outcomeOf } from "./work-outcome.ts";

describe("outcome of failed work", () => {
  const open = new AsyncDisposableStack();
  let database: ClonedDatabase;
  let proxy: DatabaseProxy;
  let db: Database;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    proxy = open.use(await openDatabaseProxy(cluster.port));
    const url = new URL(database.url);
    url.port = String(proxy.port);
    const opened = openWorkDatabase({ url: url.href, poolSize: 2, onError: () => undefined });
    open.defer(() => opened.close());
    db = opened.db;
    await withClient(database.superuserUrl, (client) =>
      client.query(
        "create table probe (id integer primary key); grant select, insert on probe to signalbox_work",
      ),
    );
  });
  after(() => open.disposeAsync());

  const write = (db: Database, id: number) => sql`insert into probe values (${id})`.execute(db);
  const isWritten = async (id: number) => {
    const { rows } = await sql`select from probe where id = ${id}`.execute(db);
    return rows.length > 0;
  };
  async function errorOf(work: Promise<unknown>): Promise<unknown> {
    return work.then(
      () => assert.fail("it did not fail"),
      (error: unknown) => error,
    );
  }

  it("a commit whose answer is cut off has an unknown outcome, and stands", async () => {
    const ways = [(id: number) => write(db, id), (id: number) => inTransaction(db, (trx) => write(trx, id))];
    for (const [index, work] of ways.entries()) {
      const cutting = proxy.cutNext({ moment: "commit", of: /insert into probe/ });
      assert.equal(outcomeOf(await errorOf(work(index))), "unknown");
      assert.equal((await cutting).isAnswerLost, true);
      assert.equal(await isWritten(index), true);
    }
  });

  it("a statement that never arrived has an unknown outcome, and in a transaction a certain one", async () => {
    const cutBefore = () => proxy.cutNext({ moment: "before", of: /insert into probe/ });
    let cutting = cutBefore();
    assert.equal(outcomeOf(await errorOf(write(db, 10))), "unknown");
    await cutting;
    cutting = cutBefore();
    assert.equal(outcomeOf(await errorOf(inTransaction(db, (trx) => write(trx, 11)))), "undone");
    await cutting;
    assert.deepEqual([await isWritten(10), await isWritten(11)], [false, false]);
  });

  it("what PostgreSQL refused is undone, and what is there already is known as such", async () => {
    await write(db, 20);
    const error = await errorOf(write(db, 20));
    assert.deepEqual([outcomeOf(error), isUniqueViolation(error)], ["undone", true]);
  });

  it("work for which no connection was taken was never sent", async () => {
    const away = openWorkDatabase({
      url: "postgres://nobody@127.0.0.1:1/nowhere",
      poolSize: 1,
      onError: () => undefined,
    });
    assert.equal(outcomeOf(await errorOf(write(away.db, 30))), "never_sent");
    await away.close();
  });
});
