import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { openDailyUse, type DailyUse } from "./daily-use.ts";
import { openWorkDatabase, type WorkDatabase } from "./database.ts";
import { createLog } from "./log.ts";
import { createMetrics } from "./metrics.ts";
import { createModelDialects } from "./model-dialects.ts";
import { createModelQuota } from "./model-quota.ts";

const DAY_MS = 86_400_000;
const NEVER_MS = 3_600_000;

describe("daily quota", () => {
  const closing = new AsyncDisposableStack();
  let rows: Rows;
  let work: WorkDatabase;
  let nowMs = Date.parse("2026-11-15T12:00:00Z");
  before(async () => {
    rows = closing.use(await openRows());
    const options = { url: rows.url, poolSize: 2, onError: () => undefined };
    work = closing.adopt(openWorkDatabase(options), (opened) => opened.close());
  });
  after(() => closing.disposeAsync());

  /** What it saw is written when it is closed, and not by its timer. */
  const node = () => openDailyUse(work.db, createLog("silent", {}), () => nowMs, NEVER_MS);
  const messagesOf = (agentId: string) => ({ agentId, kind: "visitor_messages", subject: "one" }) as const;

  it("daily use is counted over all nodes and survives a restart", async () => {
    const { agentId } = await rows.addAgent();
    const [one, other] = [node(), node()];
    for (const use of [one, one, other]) use.add(messagesOf(agentId), 2);
    assert.equal(await one.usedToday(messagesOf(agentId)), 4, "a node knows its own at once");
    await one.close();
    assert.equal(await other.usedToday(messagesOf(agentId)), 6, "and what the others have stored");
    await other.close();
    const restarted = node();
    assert.equal(await restarted.usedToday(messagesOf(agentId)), 6);
    nowMs += 20_000;
    assert.equal(await restarted.usedToday(messagesOf(agentId)), 6, "looked up again");
    await restarted.close();
  });

  it("daily use resets at midnight UTC, separately for each agent and user", async () => {
    const [{ agentId }, { agentId: stranger }] = [await rows.addAgent(), await rows.addAgent()];
    const use = node();
    use.add(messagesOf(agentId), 5);
    assert.equal(await use.usedToday({ ...messagesOf(agentId), subject: "two" }), 0);
    assert.equal(await use.usedToday({ ...messagesOf(agentId), kind: "model_tokens" }), 0);
    assert.equal(await use.usedToday(messagesOf(stranger)), 0);
    nowMs += DAY_MS;
    assert.equal(await use.usedToday(messagesOf(agentId)), 0);
    await use.close();
    const stored = await rows.query("select used::integer from daily_use where agent_id = $1", [agentId]);
    assert.deepEqual(stored, [{ used: 5 }]);
  });

  it("daily use that could not be stored is kept for the next try", async () => {
    const { agentId } = await rows.addAgent();
    const use = openDailyUse(work.db, createLog("silent", {}), () => nowMs, 20);
    const lock = await rows.session();
    await lock.query("begin; alter table daily_use rename to elsewhere");
    await lock.query("commit");
    use.add(messagesOf(agentId), 3);
    await new Promise((resolve) => setTimeout(resolve, 200));
    await lock.query("alter table elsewhere rename to daily_use");
    lock.release();
    await use.close();
    const later = node();
    assert.equal(await later.usedToday(messagesOf(agentId)), 3);
    await later.close();
  });

  describe("model quota", () => {
    const quota = (use: DailyUse, { callsAtOnce = 2, tokensPerDay = 0 }) => {
      const { limitRefusals: refusals } = createMetrics();
      return createModelQuota({ callsAtOnce, tokensPerDay, refusals, use, dialects: createModelDialects() });
    };
    const chat = { kind: "chat", isFailing: false } as const;
    const instantly = (tokens: number) => ({
      ...chat,
      make: async () => tokens,
      tokensOf: (used: number) => used,
      waitMs: 0,
    });

    it("an agent's model calls are refused once its daily tokens are used, and no other agent's", async () => {
      const [{ agentId: a }, { agentId: b }] = [await rows.addAgent(), await rows.addAgent()];
      await using use = { node: node(), [Symbol.asyncDispose]: () => use.node.close() };
      const models = quota(use.node, { tokensPerDay: 100 });
      assert.equal(await models.of(a).meter(instantly(99)), 99);
      assert.equal(await models.of(a).meter(instantly(50)), 50, "the call that passes the limit is made");
      const refused = await models.of(a).meter(instantly(1));
      assert.ok(typeof refused === "object");
      assert.deepEqual([refused.kind, refused.cause], ["failed", "over_quota"]);
      assert.equal(await models.of(b).meter(instantly(7)), 7);
    });

    it("an agent's concurrent model calls are limited, and other agents' are not affected", async () => {
      const [{ agentId: a }, { agentId: b }] = [await rows.addAgent(), await rows.addAgent()];
      await using use = { node: node(), [Symbol.asyncDispose]: () => use.node.close() };
      const models = quota(use.node, { callsAtOnce: 2 });
      const ends: (() => void)[] = [];
      const slowly = () => ({
        ...chat,
        make: () => new Promise<string>((resolve) => ends.push(() => resolve("done"))),
        tokensOf: () => 0,
        waitMs: 20,
      });
      const [first, second] = [models.of(a).meter(slowly()), models.of(a).meter(slowly())];
      const refused = await models.of(a).meter(slowly());
      assert.ok(typeof refused === "object");
      assert.equal(refused.cause, "rate_limited");
      const other = models.of(b).meter(slowly());
      await new Promise((resolve) => setImmediate(resolve));
      assert.equal(ends.length, 3, "the third is another agent's");
      for (const end of ends) end();
      assert.deepEqual(await Promise.all([first, second, other]), ["done", "done", "done"]);
      const failing = {
        ...chat,
        make: () => Promise.reject(new Error("broken")),
        tokensOf: () => 0,
        waitMs: 0,
      };
      await assert.rejects(models.of(a).meter(failing), /broken/);
      assert.equal(await models.of(a).meter(instantly(1)), 1, "a call that failed makes room too");
    });
  });
});
