import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { cloneDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { withClient } from "@signalbox/tests/support/postgres.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { openAgentDatabase, type AgentDatabase, type Database } from "./database.ts";
import { once, type OnceScope } from "./idempotency.ts";
import { newId } from "./ids.ts";
import { Refusal, refuse } from "./refusal.ts";
import { createSealer } from "./sealing.ts";

const sealer = createSealer([{ id: "k1", material: Buffer.alloc(32, 7) }]);
const hash = (text: string) => createHash("sha256").update(text).digest();

function scopeOf(key: string, request = "request", agentId: string = newId()): OnceScope {
  return { agentId, idempotency: { keyHash: hash(key), requestHash: hash(request) } };
}

describe("Idempotency-Key", () => {
  const open = new AsyncDisposableStack();
  let database: ClonedDatabase;
  let agents: AgentDatabase;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    agents = open.adopt(
      openAgentDatabase({ url: database.url, poolSize: 8, onError: () => undefined }),
      (handle) => handle.close(),
    );
  });
  after(() => open.disposeAsync());

  /** Each call that acts leaves one conversation behind, so that acting twice is seen in the database. */
  function act(scope: OnceScope, fail?: () => Refusal) {
    return agents.asAgent(scope.agentId, (db: Database) =>
      once(db, sealer, scope, async (db) => {
        const id = newId();
        await db.insertInto("conversation").values({ agent_id: scope.agentId, id, channel: "api" }).execute();
        return fail?.() ?? { id };
      }),
    );
  }

  async function timesActed({ agentId }: OnceScope): Promise<number> {
    return agents.asAgent(
      agentId,
      async (db) => (await db.selectFrom("conversation").select("id").execute()).length,
    );
  }

  it("a repeated Idempotency-Key returns the first answer and acts once", async () => {
    const scope = scopeOf("again");
    const first = await act(scope);
    assert.deepEqual([await act(scope), await act(scope)], [first, first]);
    assert.equal(await timesActed(scope), 1);
  });

  it("concurrent requests with one Idempotency-Key wait for the first", async () => {
    const scope = scopeOf("together");
    const answers = await Promise.all(Array.from({ length: 16 }, () => act(scope)));
    assert.equal(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1);
    assert.equal(await timesActed(scope), 1);
  });

  it("an Idempotency-Key sent with another request is a conflict that changes nothing", async () => {
    const scope = scopeOf("conflict");
    await act(scope);
    const other = await act(scopeOf("conflict", "another request", scope.agentId));
    assert.ok(other instanceof Refusal);
    assert.equal(other.failure, "stateConflict");
    assert.equal(await timesActed(scope), 1);
  });

  it("a refusal or a failure does not use up an Idempotency-Key", async () => {
    const scope = scopeOf("refused");
    assert.ok((await act(scope, () => refuse("badParameter"))) instanceof Refusal);
    const bug = () => {
      throw new Error("a bug");
    };
    await assert.rejects(act(scope, bug), /a bug/);
    assert.equal(await timesActed(scope), 0);
    assert.ok(!((await act(scope)) instanceof Refusal));
    assert.equal(await timesActed(scope), 1);
  });

  it("the same Idempotency-Key of another agent is another call", async () => {
    const [one, other] = [scopeOf("shared"), scopeOf("shared")];
    assert.notDeepEqual(await act(one), await act(other));
    assert.deepEqual([await timesActed(one), await timesActed(other)], [1, 1]);
  });

  it("every call without an Idempotency-Key acts", async () => {
    const scope = { agentId: newId(), idempotency: undefined };
    await act(scope);
    await act(scope);
    assert.equal(await timesActed(scope), 2);
  });

  it("an Idempotency-Key is remembered for 24 hours", async () => {
    const scope = scopeOf("a day");
    const first = await act(scope);
    const age = (hours: number) =>
      withClient(database.maintenanceUrl, async (client) => {
        const day = "(now() at time zone 'utc')::date";
        // Shortly after midnight the day before yesterday is what was a day ago, and that has no partition.
        await client.query(`do $$ begin execute format(
          'create table if not exists idempotency_older partition of idempotency for values from (%L) to (%L)',
          (${day} - 2)::timestamp at time zone 'utc', (${day} - 1)::timestamp at time zone 'utc'); end $$`);
        await client.query(
          "update idempotency set created_at = now() - $2 * interval '1 hour' where agent_id = $1",
          [scope.agentId, hours],
        );
      });
    await age(23.9);
    assert.deepEqual(await act(scope), first);
    await age(24.1);
    assert.notDeepEqual(await act(scope), first);
    assert.equal(await timesActed(scope), 2);
  });

  it("the stored answer of an Idempotency-Key is sealed for its own agent", async () => {
    const [scope, thief] = [scopeOf("sealed"), scopeOf("sealed")];
    const first = await act(scope);
    assert.ok(!(first instanceof Refusal));
    const stored = await withClient(database.maintenanceUrl, async (client) => {
      const { rows } = await client.query<{ result_sealed: Buffer }>(
        "select result_sealed from idempotency where agent_id = $1",
        [scope.agentId],
      );
      await client.query(
        "insert into idempotency (agent_id, key_hash, request_hash, result_sealed) select $2, key_hash, request_hash, result_sealed from idempotency where agent_id = $1",
        [scope.agentId, thief.agentId],
      );
      return rows[0]?.result_sealed;
    });
    assert.equal(stored?.includes(first.id), false);
    await assert.rejects(act(thief), "a row moved to another agent does not open");
  });
});
