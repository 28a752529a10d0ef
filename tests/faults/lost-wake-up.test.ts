import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { makeAgent } from "../support/agents.ts";
import type { MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { drained } from "../support/load.ts";
import { eventually } from "../support/processes.ts";

const LOCK = 4_711;

/** Holds each insert open, with all the locks its statement has taken by then, for as long as the test keeps the lock. */
function hookOn(table: string, when: string): string {
  return `
    create or replace function hold() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return new; end $$;
    create trigger hold before insert on ${table} for each row when (${when}) execute function hold()`;
}

describe("lost wake-up", () => {
  const closing = new AsyncDisposableStack();
  let bed: Bed;
  let agent: MadeAgent;
  let session: pg.Client;
  before(async () => {
    // Nobody may come to the rescue: what arrives here was not forgotten by those who had to think of it.
    // And a turn is held where it reads pairs in PostgreSQL.
    const environment = { RECONCILE_GRACE_SECONDS: "86400", KNOWLEDGE_CACHE_MEGABYTES: "0" };
    bed = closing.use(await openBed({ environment }));
    session = new pg.Client({ connectionString: bed.database.superuserUrl });
    await session.connect();
    closing.defer(() => session.end());
    const qaList = ["first", "second"].map((text) => ({ question: text, answer: text }));
    agent = await makeAgent(bed, { qaList });
  });
  after(() => closing.disposeAsync());

  /** Until somebody waits in the hook. */
  const held = (what: string) =>
    eventually(what, async () => {
      const waiting = await bed.database.query(
        "select 1 from pg_locks where locktype = 'advisory' and objid = $1 and not granted",
        [LOCK],
      );
      return waiting.length > 0;
    });
  /** Until a statement that contains the text waits for what another holds. */
  const blocked = (what: string, query: string) =>
    eventually(what, async () => {
      const waiting = await bed.database.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and wait_event <> 'advisory' and position($1 in query) > 0`,
        [query],
      );
      return waiting.length > 0;
    });

  const textsAt = (from: number) =>
    agent
      .arrived()
      .slice(from)
      .map(({ body }) => (body as { output: { content: { text: string } }[] }).output[0]?.content.text);

  async function nothingWasForgotten(): Promise<void> {
    await drained(bed, 10_000);
    const forgotten = await bed.database.query(
      `select l.id from lane l join delivery d on d.agent_id = l.agent_id and d.lane_id = l.id
       where l.state = 'idle' and d.state = 'pending'`,
    );
    assert.deepEqual(forgotten, []);
    assert.doesNotMatch(bed.logs(), /"event":"stalled_work_resumed"/);
  }

  it("no wake-up is lost when a reply's accept is held open while its lane goes idle", async () => {
    const conversationId = await agent.converse();
    const answer = Promise.withResolvers<undefined>();
    agent.respond(() => answer.promise);
    await agent.ask(conversationId, "first");
    await agent.arrivals(1);

    await bed.database.query(hookOn("delivery", "true"));
    await session.query("select pg_advisory_lock($1)", [LOCK]);
    await agent.ask(conversationId, "second");
    await held("the second reply's accept is held open");
    // Delivered: the lane has nothing left that it knows of, and its worker goes to put it to sleep.
    answer.resolve(undefined);
    await blocked("the worker wants the lane idle", "with settlement");
    await session.query("select pg_advisory_unlock($1)", [LOCK]);

    await agent.arrivals(2);
    assert.deepEqual(textsAt(0), ["first", "second"]);
    await nothingWasForgotten();
    await bed.database.query("drop function hold cascade");
  });

  it("no wake-up is lost when a user's accept is held open while the turn before it ends", async () => {
    const conversationId = await agent.converse();
    const before = agent.arrived().length;
    await bed.database.query(hookOn("message", "new.sender = 'user' and new.text = 'second'"));
    // The turn reads the pairs after its messages and before its commit: here it waits until the second message is on its way.
    await session.query("begin");
    await session.query("lock table qa_pair in access exclusive mode");
    await session.query("select pg_advisory_lock($1)", [LOCK]);
    await agent.ask(conversationId, "first");
    await blocked("the turn was read, and reads pairs", "qa_pair");
    const asking = agent.ask(conversationId, "second");
    await held("the second message's accept is held open");
    await session.query("commit");
    await blocked("the turn wants to commit its reply", "with answered");
    await session.query("select pg_advisory_unlock($1)", [LOCK]);
    await asking;

    await agent.arrivals(before + 2);
    assert.deepEqual(textsAt(before), ["first", "second"]);
    await nothingWasForgotten();
    await bed.database.query("drop function hold cascade");
  });
});
