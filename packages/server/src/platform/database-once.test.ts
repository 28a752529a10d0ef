import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { withClient } from "@signalbox/tests/support/postgres.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { sql } from "kysely";
import { openAgentDatabase, type AgentDatabase, type Database } from "./database.ts";
import { newId } from "./ids.ts";

const POOL_SIZE = 2;

describe("transactions of one statement", () => {
  const open = new AsyncDisposableStack();
  let database: ClonedDatabase;
  let agents: AgentDatabase;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const options = { url: database.url, poolSize: POOL_SIZE, onError: () => undefined };
    agents = open.adopt(openAgentDatabase(options), (handle) => handle.close());
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
    const { length } = await agents.asAgent(agentId, (db) =>
      db.selectFrom("conversation").select("id").execute(),
    );
    return length;
  }

  it("a single statement commits in one round trip, for its agent alone, and is undone when it fails", async () => {
    const [agentId, other] = [newId(), newId()];
    await agents.asAgentOnce(agentId, (db) => addConversation(db, agentId));
    assert.equal(await conversationsOf(agentId), 1);
    await assert.rejects(
      agents.asAgentOnce(agentId, (db) => addConversation(db, other)),
      /row-level security/,
    );
    assert.equal(await conversationsOf(other), 0);
    await assert.rejects(
      agents.asAgentOnce(agentId, (db) => sql`select 1 / ${0}::integer`.execute(db)),
      /zero/,
    );
    assert.deepEqual(
      await agents.asAgentOnce(agentId, agentsSeen),
      [agentId],
      "on connections that are whole again",
    );
  });

  it("single-statement work goes on before the commit, and fails with it", async () => {
    await withClient(database.superuserUrl, (client) =>
      client.query(`create table probe (id integer);
        grant insert on probe to signalbox_api;
        create function refuse_probe() returns trigger language plpgsql as $$ begin raise 'no commit'; end $$;
        create constraint trigger refuse after insert on probe deferrable initially deferred
          for each row execute function refuse_probe()`),
    );
    const agentId = newId();
    let isAnswered = false;
    const failing = agents.asAgentOnce(agentId, async (db) => {
      await sql`insert into probe values (${1})`.execute(db);
      isAnswered = true;
    });
    await assert.rejects(failing, /no commit/);
    assert.ok(isAnswered);
    for (let index = 0; index < 2 * POOL_SIZE; index += 1)
      await agents.asAgentOnce(agentId, (db) => addConversation(db, agentId));
    assert.equal(await conversationsOf(agentId), 2 * POOL_SIZE, "on connections that are whole again");
  });

  it("a second statement in single-statement work is refused, and work without one is fine", async () => {
    const agentId = newId();
    const twice = agents.asAgentOnce(agentId, async (db) => {
      await addConversation(db, agentId);
      await addConversation(db, agentId);
    });
    await assert.rejects(twice, /for one statement/);
    assert.equal(await conversationsOf(agentId), 1, "the first stands");
    for (let index = 0; index < 2 * POOL_SIZE; index += 1)
      await assert.rejects(
        agents.asAgentOnce(agentId, () => Promise.reject(new Error("made none"))),
        /made none/,
      );
    for (let index = 0; index < 2 * POOL_SIZE; index += 1)
      assert.deepEqual(await agents.asAgent(agentId, agentsSeen), [agentId]);
  });
});
