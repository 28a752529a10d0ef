import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { cloneDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { withClient } from "@signalbox/tests/support/postgres.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { Kysely, PostgresDialect, type CompiledQuery } from "kysely";
import pg from "pg";
import {
  createAttemptRecorder,
  createBacklogRateLimit,
  createLaneClaimer,
  commonPolicies,
  createConcurrencyLimit,
  createOperatorEvents,
  createTripRule,
  createCapacityWaker,
  laneObject,
} from "../delivery/index.ts";
import type { Database } from "./database.ts";
import { createDestinationOpener } from "../webhooks/index.ts";
import { once } from "./idempotency.ts";
import { newId } from "./ids.ts";
import { createLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import type { Outbound } from "./outbound-http.ts";
import { createSealer } from "./sealing.ts";
import type { Tables } from "./tables.generated.ts";

/** As docs/explanation/architecture.md says; what it does not name here is not partitioned. */
const PARTITIONED = {
  attempt: "RANGE (started_at)",
  conversation: "HASH (agent_id) 16",
  dead_letter: "RANGE (created_at)",
  delivery: "RANGE (created_at)",
  handoff: "HASH (agent_id) 16",
  idempotency: "RANGE (created_at)",
  lane: "HASH (agent_id) 16",
  message: "HASH (agent_id) 16",
  qa_embedding: "HASH (knowledge_base_id) 64",
  qa_pair: "HASH (knowledge_base_id) 64",
  speech: "RANGE (created_at)",
  turn: "HASH (agent_id) 16",
};
const BY_DAY = ["attempt", "dead_letter", "delivery", "idempotency", "speech"];

const TODAY = "(now() at time zone 'utc')::date";
const startOf = (day: string) => `(${day})::timestamp at time zone 'utc'`;

interface PlanNode {
  "Relation Name"?: string;
  "Actual Loops"?: number;
  "Subplans Removed"?: number;
  Plans?: PlanNode[];
}

describe("partitions", () => {
  const open = new AsyncDisposableStack();
  const sealer = createSealer([{ id: "k1", material: Buffer.alloc(32, 7) }]);
  let database: ClonedDatabase;
  let owner: pg.Client;
  let work: pg.Pool;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    owner = new pg.Client({ connectionString: database.maintenanceUrl });
    await owner.connect();
    open.defer(() => owner.end());
    work = new pg.Pool({ connectionString: database.url, options: "-c role=signalbox_work", max: 8 });
    open.defer(() => work.end());
  });
  after(() => open.disposeAsync());

  const ensure = async (days = 8) =>
    (await work.query<{ made: number }>("select signalbox_ensure_partitions($1) as made", [days])).rows[0]
      ?.made;

  async function names(parent: string): Promise<string[]> {
    const { rows } = await owner.query<{ name: string }>(
      "select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1",
      [parent],
    );
    return rows.map(({ name }) => name);
  }

  async function dayName(parent: string, offset: number): Promise<string> {
    const { rows } = await owner.query<{ day: string }>(
      `select to_char(${TODAY} + $1::integer, 'YYYYMMDD') as day`,
      [offset],
    );
    return `${parent}_${rows[0]?.day}`;
  }

  it("each table is partitioned as designed, and no other", async () => {
    const { rows } = await owner.query<{ name: string; how: string; count: number }>(`
      select relname as name, pg_get_partkeydef(c.oid) as how,
        (select count(*)::integer from pg_inherits where inhparent = c.oid) as count
      from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'p'`);
    const found = rows.map(({ name, how, count }) => [
      name,
      how.startsWith("HASH") ? `${how} ${count}` : how,
    ]);
    assert.deepEqual(Object.fromEntries(found), PARTITIONED);
  });

  it("partitions whose rows are read by key are vacuumed rarely, those of new days too", async () => {
    await ensure(12);
    const { rows } = await owner.query<{ name: string }>(`
      select child.oid::regclass::text as name from pg_inherits
      join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
      where parent.relname in ('conversation', 'message', 'turn', 'handoff', 'lane', 'delivery') and child.relkind = 'r'
        and not coalesce(child.reloptions, '{}') @> '{autovacuum_vacuum_threshold=20000}'`);
    assert.deepEqual(rows, []);
  });

  it("partitions of the coming week exist, and asking again creates none", async () => {
    await ensure();
    for (const parent of BY_DAY) {
      const there = await names(parent);
      for (const offset of [-1, 0, 1, 7]) assert.ok(there.includes(await dayName(parent, offset)), parent);
    }
    assert.equal(await ensure(), 0);
  });

  it("partitions are created once when eight processes ask together", async () => {
    const dropped: string[] = [];
    for (const parent of BY_DAY) for (const day of [5, 6, 7]) dropped.push(await dayName(parent, day));
    await owner.query(`drop table ${dropped.join(", ")}`);
    const made = await Promise.all(Array.from({ length: 8 }, () => ensure()));
    assert.deepEqual(
      made.toSorted((a = 0, b = 0) => a - b),
      [0, 0, 0, 0, 0, 0, 0, dropped.length],
    );
    const there: string[] = [];
    for (const parent of BY_DAY) there.push(...(await names(parent)));
    assert.deepEqual(
      dropped.filter((name) => !there.includes(name)),
      [],
    );
  });

  it("only the work role may have partitions created", async () => {
    await assert.rejects(
      withClient(database.url, async (client) => {
        await client.query("set role signalbox_api");
        await client.query("select signalbox_ensure_partitions(8)");
      }),
      { code: "42501" },
    );
  });

  it("partitions are created in the schema, whatever tables the caller's search_path has", async () => {
    const name = await dayName("delivery", 7);
    await owner.query(`drop table ${name}`);
    const session = await work.connect();
    try {
      await session.query("create temp table delivery (id integer); set search_path = pg_temp, public");
      const { rows } = await session.query("select signalbox_ensure_partitions(8) as made");
      assert.equal(rows[0].made, 1);
    } finally {
      session.release(true);
    }
    assert.ok((await names("public.delivery")).includes(name));
  });

  it("tomorrow's rows can be inserted today, and every row has a partition of its day", async () => {
    const insert = (day: string) =>
      work.query(
        `insert into delivery (agent_id, lane_id, seq, id, event, sender, body, created_at)
         select $1, $1, 1, $1, 'message', 'ai', '', ${startOf(day)} + interval '23:59:59.999' returning tableoid::regclass::text as name`,
        [newId()],
      );
    const { rows } = await insert(`${TODAY} + 1`);
    assert.equal(rows[0].name, await dayName("delivery", 1));
    await assert.rejects(insert(`${TODAY} + 400`), /no partition of relation "delivery"/);
  });

  describe("partitions of the past", () => {
    const old = [-4, -3, -2];

    before(async () => {
      for (const parent of BY_DAY) {
        for (const offset of old) {
          const { rows } = await owner.query<{ low: string; high: string }>(
            `select (${startOf(`${TODAY} + ${offset}`)})::text as low, (${startOf(`${TODAY} + ${offset + 1}`)})::text as high`,
          );
          const { low, high } = rows[0] ?? { low: "", high: "" };
          const name = await dayName(parent, offset);
          await owner.query(
            `create table ${name} partition of ${parent} for values from ('${low}') to ('${high}')`,
          );
        }
      }
    });

    /** What the service really asks, caught on its way. */
    function catching(): { db: Database; caught: CompiledQuery[]; close: () => Promise<void> } {
      const caught: CompiledQuery[] = [];
      pg.types.setTypeParser(20, Number);
      const pool = new pg.Pool({ connectionString: database.url, options: "-c role=signalbox_work", max: 2 });
      const db = new Kysely<Tables>({
        dialect: new PostgresDialect({ pool }),
        log: ({ query }) => void caught.push(query),
      });
      return { db, caught, close: () => db.destroy() };
    }

    /** Asks the same again, in the same order, and tells which partitions of a table each question really opened. */
    async function opened(queries: CompiledQuery[], parent: string, prepare = ""): Promise<string[][]> {
      const session = await work.connect();
      const partitions: string[][] = [];
      try {
        await session.query(`begin; ${prepare}`);
        for (const { sql, parameters } of queries) {
          const { rows } = await session.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
            `explain (analyze, format json) ${sql}`,
            [...parameters],
          );
          const scans = flatten(rows[0]?.["QUERY PLAN"][0].Plan ?? {}).filter(
            (node) => node["Actual Loops"] !== 0 && node["Relation Name"]?.startsWith(`${parent}_`),
          );
          partitions.push([...new Set(scans.map((node) => node["Relation Name"] ?? ""))].toSorted());
        }
      } finally {
        await session.query("rollback");
        session.release();
      }
      return partitions.filter((names) => names.length > 0);
    }

    /** A lane whose deliveries were accepted at these times, the first `done` of them already settled. */
    async function addLane(done: number, acceptedAt: string[]): Promise<{ agentId: string; laneId: string }> {
      const [agentId, laneId] = [newId(), newId()];
      await owner.query(
        `insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq, done_seq)
         values ($1, $2, $2, $2, 'awake', $3, $4)`,
        [agentId, laneId, acceptedAt.length, done],
      );
      for (const [index, time] of acceptedAt.entries()) {
        await owner.query(
          `insert into delivery (agent_id, lane_id, seq, id, event, sender, body, state, created_at)
           select $1, $2, $3, $4, 'message', 'ai', '', $5, ${time} from lane where id = $2`,
          [agentId, laneId, index + 1, newId(), index < done ? "delivered" : "pending"],
        );
      }
      return { agentId, laneId };
    }

    /** The destination is gone, so nothing is sent and every delivery is given up. */
    async function drain(db: Database, agentId: string, laneId: string): Promise<unknown> {
      const log = createLog("error", {});
      const engine = {
        send: async () => true,
        setAlarm: async () => true,
        probe: async () => undefined,
        close: async () => undefined,
      };
      const shared = { db, engine, log, metrics: createMetrics() };
      const now = () => 0;
      const limit = createConcurrencyLimit({ inFlightMax: 1, destinationMax: 1, liveWorkers: () => 1 });
      const backlogRate = createBacklogRateLimit({ now, sleep });
      const { handlers } = laneObject({
        ...shared,
        openDestination: createDestinationOpener(sealer),
        claim: createLaneClaimer(db, log),
        recorder: createAttemptRecorder(db, log),
        limit,
        tripRule: createTripRule(now),
        backlogRate,
        capacity: createCapacityWaker({ ...shared, limit, backlogRate }),
        events: createOperatorEvents(shared),
        policies: commonPolicies({ timeoutMs: 1_000, retry: { delaysMs: [1_000], blockedMaxMs: 1_000 } }),
        outbound: {} as Outbound,
        stopping: new AbortController().signal,
      });
      await handlers["drain"]?.({
        agentId,
        id: laneId,
        callId: randomUUID(),
        ended: new AbortController().signal,
      });
      return (await owner.query("select state, done_seq from lane where id = $1", [laneId])).rows[0];
    }

    it("a drain and its outcome open no partition older than the pending rows", async () => {
      const { agentId, laneId } = await addLane(1, [startOf(`${TODAY} - 3`), "pending_since"]);
      const { db, caught, close } = catching();
      assert.deepEqual(await drain(db, agentId, laneId), { state: "idle", done_seq: 2 });
      await close();

      await owner.query("delete from dead_letter where agent_id = $1", [agentId]);
      const again = `update lane set state = 'awake', done_seq = 1, fence = fence - 1 where id = '${laneId}';
        update delivery set state = 'pending' where lane_id = '${laneId}' and seq = 2`;
      const questions = await opened(caught, "delivery", again);
      assert.equal(questions.length, 2, "one that reads what is pending, one that records the outcome");
      const { rows } = await owner.query<{ name: string }>(
        `select 'delivery_' || to_char(hour at time zone 'utc', 'YYYYMMDD') as name
         from generate_series(now() - interval '1 hour', now() + interval '1 hour', '1 hour') hour`,
      );
      const near = new Set(rows.map(({ name }) => name));
      assert.deepEqual(
        questions.flat().filter((name) => !near.has(name)),
        [],
      );
    });

    it("a drain finds a row accepted before the one that woke its lane and committed after it", async () => {
      const { agentId, laneId } = await addLane(0, [
        "pending_since",
        "pending_since - interval '40 seconds'",
      ]);
      const { db, close } = catching();
      assert.deepEqual(await drain(db, agentId, laneId), { state: "idle", done_seq: 2 });
      await close();
    });

    it("an Idempotency-Key is looked up without opening partitions of the past", async () => {
      const { db, caught, close } = catching();
      const scope = {
        agentId: newId(),
        idempotency: { keyHash: Buffer.from("k"), requestHash: Buffer.from("r") },
      };
      await once(db, sealer, scope, async () => ({ done: true }));
      await close();
      const [searched = []] = await opened(caught, "idempotency");
      assert.ok(searched.includes(await dayName("idempotency", 0)));
      for (const offset of old)
        assert.ok(!searched.includes(await dayName("idempotency", offset)), `${offset} days`);
    });
  });
});

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}
