import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Delivery } from "@signalbox/contract";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { sql } from "kysely";
import pg from "pg";
import {
  derivedId,
  inTransaction,
  openWorkDatabase,
  planForValues,
  Refusal,
  type Database,
} from "../../platform/index.ts";
import { findDeliveries, type Scan } from "./delivery-filter.ts";
import { readDeliveryPage } from "./list-deliveries.ts";

const DAY_MS = 86_400_000;
const ROWS = 24_000;
const AGENTS = [0, 1, 2, 3, 4, 8, 9];
const agentOf = (number: number) => derivedId("agent", String(number));
const dayOf = (daysAgo: number) => new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - daysAgo * DAY_MS);

describe("delivery list", () => {
  let db: Database;
  const open = new AsyncDisposableStack();
  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const clone = await cloneDatabase(cluster);
    open.defer(() => clone.drop());
    const work = openWorkDatabase({ url: clone.url, poolSize: 2, onError: () => undefined });
    open.defer(() => work.close());
    db = work.db;
    await using owner = await connected(clone.maintenanceUrl);
    await fill(owner.client);
  });
  after(() => open.disposeAsync());

  async function connected(url: string) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return { client, [Symbol.asyncDispose]: () => client.end() };
  }

  /**
   * Four days, the youngest yesterday. Agent 0 has every second delivery, agents 1 to 4 share the others, but those of the
   * first half day are agent 8's; agent 9 has the very oldest. Six of a batch share their millisecond. One in a thousand is dead.
   */
  async function fill(owner: pg.Client): Promise<void> {
    for (const daysAgo of [2, 3, 4])
      for (const table of ["delivery", "dead_letter"])
        await owner.query(
          `create table ${table}_${dayOf(daysAgo).toISOString().slice(0, 10).replaceAll("-", "")} partition of ${table}
            for values from ('${dayOf(daysAgo).toISOString()}') to ('${dayOf(daysAgo - 1).toISOString()}')`,
        );
    await owner.query("insert into agent (id, name) values ($1, 'Agent')", [agentOf(1)]);
    await owner.query(
      `insert into webhook (id, agent_id, kind, url, signing_secret_sealed)
        values (md5($1 || '-hook')::uuid, $1::uuid, 'message', 'https://a.example', '')`,
      [agentOf(1)],
    );
    await owner.query(
      `insert into lane (agent_id, id, destination_id, conversation_id, state, tail_seq, done_seq)
        select a, md5(a || '-' || c)::uuid, md5(a || '-hook')::uuid, md5(a || '-talk-' || c)::uuid, 'idle', 1, 1
        from unnest($1::uuid[]) a, generate_series(0, 4999) c`,
      [AGENTS.map(agentOf)],
    );
    await owner.query(
      `insert into delivery (agent_id, lane_id, seq, created_at, id, event, sender, body)
        select a, md5(a || '-' || n % 10)::uuid, n, $1::timestamptz + ((n / 6) * 6 * $2::float8) * interval '1 millisecond',
          md5(n::text)::uuid, 'message', 'ai', '\\x7b7d'
        from (select n, $3::uuid[] as agents from generate_series(1, $4::integer) n) x,
          lateral (select case when n = 1 then agents[7] when n % 2 = 1 and n < 3000 then agents[6] when n % 2 = 0 then agents[1] else agents[2 + (n / 2) % 4] end as a) y`,
      [dayOf(4), (4 * DAY_MS) / ROWS, AGENTS.map(agentOf), ROWS - 1],
    );
    await owner.query(
      "update delivery set state = case when seq % 1000 = 0 then 'dead' else 'delivered' end, cause = case when seq % 1000 = 0 then 'timeout' end",
    );
    await owner.query("vacuum analyze delivery");
    await owner.query("analyze dead_letter");
    await owner.query("analyze lane");
  }

  type Query = Partial<Parameters<typeof readDeliveryPage>[1]>;

  async function pages(query: Query): Promise<Delivery[][]> {
    const found: Delivery[][] = [];
    let cursor: string | undefined;
    do {
      const page = await readDeliveryPage(db, {
        limit: 50,
        with_preview: false,
        ...query,
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.ok(!(page instanceof Refusal));
      found.push(page.list);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return found;
  }

  const all = async (query: Query) => (await pages({ limit: 100, ...query })).flat();

  it("the delivery list has every delivery once and in order, in pages of any size", async () => {
    const window = { from_time: dayOf(2).getTime(), to_time: dayOf(2).getTime() + DAY_MS / 20 };
    const { rows } = await sql<{ id: string }>`
      select id from delivery where created_at >= ${new Date(window.from_time)} and created_at < ${new Date(window.to_time)}
      order by created_at desc, id desc`.execute(db);
    assert.ok(rows.length > 200);
    for (const limit of [1, 7, 100]) {
      const found = (await pages({ ...window, limit })).flat();
      assert.deepEqual(
        found.map(({ delivery_id }) => delivery_id),
        rows.map(({ id }) => id),
      );
    }
  });

  it("the delivery list finds dead deliveries without reading delivered ones, filtered by agent or conversation", async () => {
    const dead = await all({ state: "dead" });
    assert.equal(dead.length, ROWS / 1000 - 1);
    assert.ok(dead.every(({ state, cause }) => state === "dead" && cause === "timeout"));
    assert.equal((await all({ state: "dead", agent_id: agentOf(0) })).length, dead.length);
    assert.equal((await all({ state: "dead", agent_id: agentOf(1) })).length, 0);
    assert.equal((await all({ agent_id: agentOf(9) })).length, 1);
    const ofAgent = await all({ agent_id: agentOf(1) });
    assert.ok(ofAgent.length > 2_000);
    assert.deepEqual(await all({ webhook_id: ofAgent[0]?.webhook_id ?? "" }), ofAgent);
    assert.deepEqual(await all({ webhook_id: agentOf(1) }), [], "the id of no webhook");
    const [one] = await all({ agent_id: agentOf(9) });
    const same = await all({ agent_id: agentOf(9), conversation_id: one?.conversation_id ?? "" });
    assert.deepEqual(same, [one]);
  });

  it("the delivery list scans a bounded number per page and gives a cursor when it found nothing", async () => {
    const found = await pages({ event: "handoff_closed" });
    assert.deepEqual(
      found.map((page) => page.length),
      [0, 0, 0],
      "24,000 deliveries are looked through in three pages",
    );
    const oldest = await pages({ cause: "timeout", limit: 100 });
    assert.deepEqual([oldest.length, oldest.flat().length], [3, 23]);
  });

  interface PlanNode {
    "Node Type": string;
    "Relation Name"?: string;
    "Index Name"?: string;
    "Actual Loops": number;
    "Actual Rows": number;
    "Rows Removed by Filter"?: number;
    Plans?: PlanNode[];
  }

  /** As many looked at, of so few deliveries, as ten thousand are of millions. */
  async function planOf(filter: Scan["filter"], most = 100): Promise<PlanNode[]> {
    const scan: Scan = { filter, direction: "newest_first", after: undefined, most };
    const plan = await inTransaction(db, async (db) => {
      await planForValues(db);
      const explained = await sql<{ "QUERY PLAN": [{ Plan: PlanNode }] }>`
        explain (analyze, format json) ${findDeliveries(scan, 51)}`.execute(db);
      return explained.rows[0]?.["QUERY PLAN"][0].Plan;
    });
    const nodes: PlanNode[] = [];
    const visit = (node: PlanNode) => {
      if (node["Actual Loops"] > 0) nodes.push(node);
      for (const child of node.Plans ?? []) visit(child);
    };
    assert.ok(plan !== undefined);
    visit(plan);
    return nodes;
  }

  /** Read and kept, or read and thrown away. */
  const rowsOf = (nodes: PlanNode[], prefix: string) =>
    nodes
      .filter((node) => node["Relation Name"]?.startsWith(prefix) === true)
      .reduce(
        (sum, node) =>
          sum + node["Actual Loops"] * (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)),
        0,
      );
  const readFrom = (nodes: PlanNode[], table: string) =>
    nodes.filter(
      (node) => node["Relation Name"]?.startsWith(`${table}_2`) === true && node["Actual Rows"] > 0,
    );

  for (const [what, filter] of Object.entries<Scan["filter"]>({
    everything: {},
    "an agent that has many": { agentId: agentOf(0) },
    "one day long ago": { from: dayOf(4), to: dayOf(3) },
  })) {
    it(`the delivery list reads ${what} from one day, by an index, and stops with the page`, async () => {
      const nodes = await planOf(filter);
      const read = readFrom(nodes, "delivery");
      // To know which day comes first, the query reads an agent's newest delivery of each day.
      const days = read.filter((node) => node["Actual Rows"] > 1);
      assert.equal(days.length, 1, JSON.stringify(days));
      assert.match(days[0]?.["Node Type"] ?? "", /^Index/);
      assert.ok(rowsOf(read, "delivery_2") <= 60, `${rowsOf(read, "delivery_2")} rows were read for 51`);
    });
  }

  it("the delivery list looks up only the lanes of its page", async () => {
    const lanes = rowsOf(await planOf({}, 10_000), "lane_");
    assert.ok(lanes <= 60, `${lanes} lanes were looked up for 51 rows`);
  });

  it("the delivery list reads one agent and the dead by their own indexes", async () => {
    const silent = rowsOf(await planOf({ agentId: agentOf(8) }), "delivery_2");
    assert.ok(silent <= 60, `${silent} rows were read for 51`);
    assert.equal(rowsOf(await planOf({ agentId: agentOf(9) }), "delivery_2"), 1);
    assert.equal(rowsOf(await planOf({ state: "dead" }), "delivery_2"), ROWS / 1000 - 1);
  });
});
