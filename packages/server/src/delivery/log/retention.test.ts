import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { sql } from "kysely";
import pg from "pg";
import { atMost } from "@signalbox/tests/support/machine.ts";
import { openWorkDatabase, type Database } from "../../platform/index.ts";
import { retentionSweep } from "./retention.ts";

const DAY_MS = 86_400_000;
const BY_DAY = ["delivery", "dead_letter", "attempt", "idempotency"];

describe("retention", () => {
  let db: Database;
  let owner: pg.Client;
  const open = new AsyncDisposableStack();
  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const clone = await cloneDatabase(cluster);
    open.defer(() => clone.drop());
    const work = openWorkDatabase({ url: clone.url, poolSize: 2, onError: () => undefined });
    open.defer(() => work.close());
    db = work.db;
    owner = new pg.Client({ connectionString: clone.maintenanceUrl });
    await owner.connect();
    open.defer(() => owner.end());
  });
  after(() => open.disposeAsync());

  const dayOf = (daysAgo: number) => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS);
  const nameOf = (table: string, daysAgo: number) =>
    `${table}_${dayOf(daysAgo).toISOString().slice(0, 10).replaceAll("-", "")}`;

  /** The partitions of a day long past, which the service itself would have made when it was young. */
  async function makeDay(daysAgo: number): Promise<void> {
    for (const table of BY_DAY)
      await owner.query(
        `create table if not exists ${nameOf(table, daysAgo)} partition of ${table}
          for values from ('${dayOf(daysAgo).toISOString()}') to ('${dayOf(daysAgo - 1).toISOString()}')`,
      );
  }

  async function addDelivery(daysAgo: number, state: "pending" | "delivered" | "dead"): Promise<string> {
    const id = randomUUID();
    const at = new Date(dayOf(daysAgo).getTime() + DAY_MS / 2);
    const body = Buffer.from("what somebody said");
    await owner.query(
      `insert into delivery (agent_id, lane_id, seq, created_at, id, event, sender, body) values ($1, $1, 1, $2, $1, 'message', 'ai', $3)`,
      [id, at, body],
    );
    await owner.query("update delivery set state = $2 where id = $1", [id, state]);
    await owner.query(
      `insert into attempt (agent_id, delivery_id, number, id, started_at, duration_ms) values ($1, $1, 1, $1, $2, 5)`,
      [id, at],
    );
    return id;
  }

  async function tablesOf(daysAgo: number): Promise<string[]> {
    const names = BY_DAY.map((table) => nameOf(table, daysAgo));
    const { rows } = await owner.query<{ relname: string }>(
      "select relname from pg_class where relname = any($1)",
      [names],
    );
    return BY_DAY.filter((table) => rows.some(({ relname }) => relname === nameOf(table, daysAgo)));
  }

  const sweep = () => retentionSweep({ db, retentionDays: 30 }).run();

  it("retention drops whole days with their bodies and attempts, and keeps younger ones", async () => {
    for (const daysAgo of [40, 31, 30, 29]) {
      await makeDay(daysAgo);
      await addDelivery(daysAgo, "delivered");
      await addDelivery(daysAgo, "dead");
    }
    assert.equal(await sweep(), 2 * 4 + 2, "two whole days, and the keys of two more");
    assert.deepEqual(await tablesOf(40), []);
    assert.deepEqual(await tablesOf(31), []);
    // The last moment of that day is not yet thirty days ago.
    assert.deepEqual(await tablesOf(30), ["delivery", "dead_letter", "attempt"]);
    assert.deepEqual(await tablesOf(29), ["delivery", "dead_letter", "attempt"]);
    const { rows } = await owner.query("select count(*)::integer as kept from delivery");
    assert.deepEqual(rows, [{ kept: 4 }]);
    assert.equal(await sweep(), 0, "there is nothing more to do");
  });

  it("retention keeps Idempotency-Keys only about as long as they are honoured", async () => {
    for (const daysAgo of [1, 2, 3, 4]) await makeDay(daysAgo);
    assert.equal(await sweep(), 2);
    assert.deepEqual(
      await Promise.all(
        [1, 2, 3, 4].map(async (daysAgo) => (await tablesOf(daysAgo)).includes("idempotency")),
      ),
      [true, true, false, false],
    );
    assert.ok((await tablesOf(3)).includes("delivery"));
  });

  it("retention never drops a day in which a message is pending", async () => {
    await makeDay(50);
    await makeDay(45);
    const id = await addDelivery(50, "pending");
    await addDelivery(50, "dead");
    await addDelivery(45, "delivered");
    await sweep();
    assert.deepEqual(await tablesOf(50), ["delivery", "dead_letter", "attempt"]);
    assert.deepEqual(await tablesOf(45), [], "other days go all the same");

    await owner.query("update delivery set state = 'delivered' where id = $1", [id]);
    assert.equal(await sweep(), 3);
    assert.deepEqual(await tablesOf(50), []);
  });

  it("retention keeps a day since which a lane says it is pending", async () => {
    await makeDay(60);
    const id = randomUUID();
    await owner.query(
      `insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq, pending_since)
        values ($1, $1, $1, $1, 'parked', 1, $2)`,
      [id, new Date(dayOf(60).getTime() + 1)],
    );
    await sweep();
    assert.ok((await tablesOf(60)).includes("delivery"));
    await owner.query("update lane set state = 'idle' where id = $1", [id]);
    await sweep();
    assert.deepEqual(await tablesOf(60), []);
  });

  it("retention gives way to readers with a lock timeout and succeeds later", async () => {
    await makeDay(70);
    await owner.query("begin");
    await owner.query("select count(*) from delivery");
    const begun = performance.now();
    await assert.rejects(sweep(), /lock timeout/);
    atMost(performance.now() - begun, 8_000, "others wait behind it");
    await owner.query("commit");
    await sweep();
    assert.deepEqual(await tablesOf(70), []);
  });

  it("the service role can drop partitions only by retention, and only when a day old", async () => {
    await assert.rejects(sql`drop table delivery`.execute(db), /must be owner/);
    await assert.rejects(sql`drop table ${sql.raw(nameOf("delivery", 0))}`.execute(db), /must be owner/);
    await assert.rejects(sql`select signalbox_drop_partition(0)`.execute(db), /a day old/);
  });
});
