import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { cloneDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { withClient } from "@signalbox/tests/support/postgres.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { sql } from "kysely";
import {
  inTransaction,
  isDatabaseUnavailable,
  openAgentDatabase,
  openWorkDatabase,
  type AgentDatabase,
  type Database,
  type WorkDatabase,
} from "./database.ts";
import { LimitReached } from "./agent-share.ts";
import { newId } from "./ids.ts";
import { refuse } from "./refusal.ts";

const POOL_SIZE = 2;
const CANCELLING_MS = 3_000;
/** A busy machine may let every statement by for a while. */
const CANCELLING_MAX_MS = 20_000;

describe("database handles", () => {
  const open = new AsyncDisposableStack();
  const lost: Error[] = [];
  let database: ClonedDatabase;
  let agents: AgentDatabase;
  let work: WorkDatabase;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const options = { url: database.url, poolSize: POOL_SIZE, onError: (error: Error) => lost.push(error) };
    agents = open.adopt(openAgentDatabase(options), (handle) => handle.close());
    work = open.adopt(openWorkDatabase(options), (handle) => handle.close());
  });
  after(() => open.disposeAsync());

  function addConversation(db: Database, agentId: string): Promise<unknown> {
    return db.insertInto("conversation").values({ agent_id: agentId, id: newId(), channel: "api" }).execute();
  }

  async function agentsSeen(db: Database): Promise<string[]> {
    const rows = await db.selectFrom("conversation").select("agent_id").distinct().execute();
    return rows.map(({ agent_id }) => agent_id);
  }

  async function conversationsOf(agentId: string): Promise<number> {
    const rows = await work.db
      .selectFrom("conversation")
      .select("id")
      .where("agent_id", "=", agentId)
      .execute();
    return rows.length;
  }

  it("one agent's transactions leave connections to other agents", async () => {
    const shared = openAgentDatabase({
      url: database.url,
      poolSize: POOL_SIZE,
      perAgent: 1,
      onError: () => undefined,
    });
    const [greedy, modest] = [newId(), newId()];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    let begun = 0;
    const hold = () => {
      begun += 1;
      return ended;
    };
    const holding = Array.from({ length: 5 }, () => shared.asAgent(greedy, hold));
    await shared.asAgent(modest, (db) => addConversation(db, modest));
    assert.equal(await conversationsOf(modest), 1, "another agent is served meanwhile");
    assert.equal(begun, 1, "the others of the same agent wait");
    end();
    await Promise.all(holding);
    assert.equal(begun, 5);
    await shared.close();
  });

  it("an agent that waits too long for its own transactions is refused with its limit", async () => {
    const shared = openAgentDatabase({
      url: database.url,
      poolSize: POOL_SIZE,
      perAgent: 1,
      shareWaitMs: 50,
      onError: () => undefined,
    });
    const agentId = newId();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const holding = shared.asAgent(agentId, () => ended);
    await assert.rejects(
      shared.asAgent(agentId, (db) => addConversation(db, agentId)),
      (error) => error instanceof LimitReached && error.refusal.limit?.name === "agent_transactions",
    );
    end();
    await holding;
    await shared.asAgent(agentId, (db) => addConversation(db, agentId));
    await shared.close();
  });

  it("every transaction is bound to its agent, also on a connection another agent just used", async () => {
    const ids = Array.from({ length: 12 }, newId);
    await Promise.all(ids.map((agentId) => agents.asAgent(agentId, (db) => addConversation(db, agentId))));
    const wrong: string[] = [];
    const connections = new Set<number>();
    await Promise.all(
      Array.from({ length: 300 }, async (_, index) => {
        const agentId = ids[index % ids.length] ?? "";
        await agents
          .asAgent(agentId, async (db) => {
            const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
            connections.add(rows[0]?.pid ?? 0);
            const seen = await agentsSeen(db);
            if (seen.length !== 1 || seen[0] !== agentId) wrong.push(`${agentId} saw ${seen.join(", ")}`);
            if (index % 7 === 0) throw new Error("half way");
            if (index % 5 === 0) await sql`select 1 / 0`.execute(db);
          })
          .catch(() => undefined);
      }),
    );
    assert.deepEqual(wrong, []);
    assert.equal(connections.size, POOL_SIZE);
  });

  it("a text that is not exactly a UUID is refused as an agent id", () => {
    for (const id of [
      "",
      "x",
      `${newId()}'`,
      `${newId()}; reset role`,
      newId().toUpperCase(),
      `${newId()}\n`,
    ])
      assert.throws(() => agents.asAgent(id, async () => 1), /is a UUID/, JSON.stringify(id));
  });

  it("a transaction commits, and rolls back on a refusal or a failure", async () => {
    const agentId = newId();
    const refused = await agents.asAgent(agentId, async (db) => {
      await addConversation(db, agentId);
      return refuse("badParameter");
    });
    assert.equal("failure" in refused && refused.failure, "badParameter");
    assert.equal(await conversationsOf(agentId), 0);

    await assert.rejects(
      inTransaction(work.db, async (db) => {
        await addConversation(db, agentId);
        throw new Error("a bug");
      }),
      /a bug/,
    );
    assert.equal(await conversationsOf(agentId), 0);

    await agents.asAgent(agentId, (db) => addConversation(db, agentId));
    assert.equal(await conversationsOf(agentId), 1);
  });

  it("transactions run as their roles, which RESET ROLE does not drop, with timeouts set", async () => {
    const standing = async (db: Database) => {
      await sql`reset role`.execute(db);
      const { rows } = await sql<{ role: string; statement: string; lock: string; idle: string }>`
        select current_user::text as role, current_setting('statement_timeout') as statement,
          current_setting('lock_timeout') as lock, current_setting('idle_in_transaction_session_timeout') as idle`.execute(
        db,
      );
      return rows[0];
    };
    const limits = { statement: "30s", lock: "10s", idle: "30s" };
    assert.deepEqual(await agents.asAgent(newId(), standing), { role: "signalbox_api", ...limits });
    assert.deepEqual(await standing(work.db), { role: "signalbox_work", ...limits });
  });

  it("BEGIN is sent together with the first statement of an agent's transaction", async () => {
    await using wire = await watchWire(database.url);
    const counted = openAgentDatabase({ url: wire.url, poolSize: 1, onError: () => undefined });
    try {
      const agentId = newId();
      const run = () => counted.asAgent(agentId, agentsSeen);
      await run();
      const before = wire.flights();
      await run();
      assert.equal(
        wire.flights() - before,
        2,
        "BEGIN and the statement are one round trip, COMMIT is another",
      );
    } finally {
      await counted.close();
    }
  });

  it("a first statement whose BEGIN failed leaves nothing, and the BEGIN's failure is reported", async () => {
    await using wire = await watchWire(database.url, (text) => text.replace("begin;", "bogus;"));
    const broken = openAgentDatabase({ url: wire.url, poolSize: 1, onError: () => undefined });
    try {
      const agentId = newId();
      const bogus = /syntax error at or near "bogus"/;
      await assert.rejects(
        broken.asAgent(agentId, (db) => addConversation(db, agentId)),
        bogus,
      );
      const swallowed = broken.asAgent(agentId, (db) => addConversation(db, agentId).catch(() => undefined));
      await assert.rejects(swallowed, bogus);
      assert.equal(await conversationsOf(agentId), 0);
    } finally {
      await broken.close();
    }
  });

  it("a bigint is read as a number", async () => {
    const { rows } = await sql<{ n: number }>`select 9007199254740991::bigint as n`.execute(work.db);
    assert.equal(rows[0]?.n, Number.MAX_SAFE_INTEGER);
  });

  it("a lost connection is reported as an unavailable database, and a new one is opened", async () => {
    const failed = agents.asAgent(newId(), async (db) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
      await withClient(database.superuserUrl, (client) =>
        client.query("select pg_terminate_backend($1)", [rows[0]?.pid]),
      );
      await sql`select 1`.execute(db);
    });
    const error = await failed.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    assert.equal(isDatabaseUnavailable(error), true, String(error));
    assert.ok(lost.length > 0, "the loss is reported");
    assert.deepEqual(await agents.asAgent(newId(), agentsSeen), []);
  });

  it("an unavailable database is told from a programming mistake", async () => {
    const mistake: unknown = await sql`select nonsense`.execute(work.db).catch((error: unknown) => error);
    assert.equal(isDatabaseUnavailable(mistake), false);
    assert.equal(isDatabaseUnavailable("ECONNREFUSED"), false);

    const nowhere = openWorkDatabase({
      url: "postgres://nobody@127.0.0.1:1/none",
      poolSize: 2,
      onError: () => undefined,
    });
    const away: unknown = await sql`select 1`.execute(nowhere.db).catch((error: unknown) => error);
    await nowhere.close();
    assert.equal(isDatabaseUnavailable(away), true, String(away));
  });

  it("a cancelled transaction is reported as an unavailable database and leaves nothing", async () => {
    const wrong: string[] = [];
    let cancelled = 0;
    async function tryOn(begin: (add: (db: Database, agentId: string) => Promise<void>) => Promise<void>) {
      let agentId = "";
      try {
        await begin(async (db, id) => {
          agentId = id;
          await addConversation(db, id);
          await agentsSeen(db);
        });
      } catch (error) {
        cancelled += 1;
        if (!isDatabaseUnavailable(error)) wrong.push(String(error));
        const kept = await conversationsOf(agentId).catch(() => 0);
        if (kept > 0) wrong.push(`kept after ${String(error)}`);
      }
    }
    await withClient(database.superuserUrl, async (client) => {
      const startedAt = performance.now();
      const isEnough = (ms: number) => ms > (cancelled > 0 ? CANCELLING_MS : CANCELLING_MAX_MS);
      while (!isEnough(performance.now() - startedAt)) {
        const cancelling = client.query(
          "select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
        );
        const agentId = newId();
        await Promise.all([
          cancelling,
          tryOn((add) => agents.asAgent(agentId, (db) => add(db, agentId))),
          tryOn((add) => inTransaction(work.db, (db) => add(db, newId()))),
        ]);
      }
    });
    assert.deepEqual(wrong, []);
    assert.ok(cancelled > 0, "nothing was cancelled");
  });

  it("a connection whose last transaction did not end is never reused", async () => {
    await work.db.connection().execute(async (db) => {
      await sql`begin`.execute(db);
      await sql`select nonsense`.execute(db).catch(() => undefined);
    });
    for (let time = 0; time <= POOL_SIZE; time += 1) await inTransaction(work.db, agentsSeen);
  });

  it("no agent stays bound to a connection after its transaction", async () => {
    const agentId = newId();
    await agents.asAgent(agentId, (db) => addConversation(db, agentId));
    for (const end of ["commit", "rollback"]) {
      const seen = await agents.asAgent(agentId, async (db) => {
        const during = await agentsSeen(db);
        await sql.raw(end).execute(db);
        const { rows } = await sql<{ agent: string | null }>`
          select current_setting('signalbox.agent_id', true) as agent`.execute(db);
        return { during, after: await agentsSeen(db), named: rows[0]?.agent };
      });
      assert.deepEqual(seen, { during: [agentId], after: [], named: "" }, end);
    }
  });
});

/** A proxy before PostgreSQL that counts how often the client sends and then waits, and may alter what it sends. */
async function watchWire(url: string, alter = (text: string) => text) {
  const GATHER_MS = 20;
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let flights = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let gathered: Buffer[] = [];
    client.on("data", (chunk) => {
      gathered.push(chunk);
      if (gathered.length > 1) return;
      setTimeout(() => {
        flights += 1;
        upstream.write(Buffer.from(alter(Buffer.concat(gathered).toString("latin1")), "latin1"));
        gathered = [];
      }, GATHER_MS);
    });
    upstream.pipe(client);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
      socket.on("close", () => sockets.forEach((other) => other.destroy()));
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxied = new URL(url);
  proxied.hostname = "127.0.0.1";
  proxied.port = String((server.address() as AddressInfo).port);
  return {
    url: proxied.href,
    flights: () => flights,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
