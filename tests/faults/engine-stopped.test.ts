import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import { CLEAN } from "../support/ledger.ts";
import {
  drained,
  judgeLoad,
  LOAD_ENVIRONMENT,
  prepareLoad,
  startLoad,
  undelivered,
} from "../support/load.ts";
import type { Load, LoadTarget } from "../support/load.ts";
import { eventually } from "../support/processes.ts";

const CONVERSATIONS = 20;
const MESSAGES_EACH = 15;
/** The rest is kept for the accepts that fail. */
const MESSAGES_FIRST = CONVERSATIONS * (MESSAGES_EACH - 1);

/** What must hold at every moment, read in one statement and so in one snapshot; each row is a violation. */
const VIOLATIONS = `
  with c as (select * from conversation where agent_id = $1),
    m as (select conversation_id, count(*) as all_seq, count(*) filter (where sender = 'ai') as replies,
        coalesce(max(seq) filter (where sender = 'user'), 0) as user_seq
      from message where agent_id = $1 group by conversation_id),
    l as (select * from lane where agent_id = $1),
    d as (select lane_id, count(*) as made, coalesce(min(seq) filter (where state = 'pending'), count(*) + 1) as first_pending,
        coalesce(max(seq) filter (where state <> 'pending'), 0) as last_final
      from delivery where agent_id = $1 group by lane_id)
  select 'a conversation does not count its messages' as what from c left join m on m.conversation_id = c.id
    where c.last_seq <> coalesce(m.all_seq, 0)
  union all select 'a message came without its wake bit' from c left join m on m.conversation_id = c.id
    where c.turn_due_seq <> coalesce(m.user_seq, 0)
  union all select 'a turn that is due sleeps, or one that is not is awake' from c
    where c.turn_awake <> (c.turn_done_seq < c.turn_due_seq)
  union all select 'a reply came without its delivery' from m left join l on l.conversation_id = m.conversation_id
    where m.replies <> coalesce(l.tail_seq, 0)
  union all select 'a lane does not count its deliveries' from l left join d on d.lane_id = l.id
    where l.tail_seq <> coalesce(d.made, 0)
  union all select 'a lane with messages sleeps, or one without is awake' from l
    where (l.state = 'idle') <> (l.done_seq = l.tail_seq)
  union all select 'a lane is ahead of its deliveries, or behind' from l join d on d.lane_id = l.id
    where d.first_pending <> l.done_seq + 1 or d.last_final <> l.done_seq`;

describe("stopped engine", () => {
  const closing = new AsyncDisposableStack();
  let bed: Bed;
  let target: LoadTarget;
  let load: Load;
  before(async () => {
    bed = closing.use(await openBed({ environment: LOAD_ENVIRONMENT }));
    target = await prepareLoad(bed, { conversations: CONVERSATIONS, messagesEach: MESSAGES_EACH });
  });
  after(() => closing.disposeAsync());

  const violations = () => bed.database.query<{ what: string }>(VIOLATIONS, [target.agentId]);

  it("every message is accepted while the engine is stopped, and nothing is delivered", async () => {
    const startedAt = bed.engine.startTime();
    await bed.engine.stop();
    load = startLoad(bed, target, MESSAGES_FIRST);
    closing.defer(() => load.stop());
    await load.acceptedCount(MESSAGES_FIRST, 60_000);
    assert.deepEqual([...load.failures], []);
    assert.equal(bed.receiver.requests.length, 0);
    assert.equal(await undelivered(bed), MESSAGES_FIRST);
    assert.deepEqual(await violations(), []);
    await bed.engine.start();
    assert.notEqual(bed.engine.startTime(), startedAt);
  });

  it("everything arrives in order once the engine is back, and no snapshot shows half an accept", async () => {
    let snapshots = 0;
    const seen: { what: string }[] = [];
    const looking = eventually(
      "everything is delivered",
      async () => {
        seen.push(...(await violations()));
        snapshots += 1;
        return (await undelivered(bed)) === 0;
      },
      { timeoutMs: 60_000, everyMs: 20 },
    );
    await drained(bed, 60_000);
    await looking;
    assert.deepEqual(seen, []);
    assert.ok(snapshots >= 5, `only ${snapshots} looks were taken while it drained`);
    const verdict = judgeLoad(bed, load);
    assert.deepEqual(verdict, CLEAN);
  });

  it("an accept whose delivery cannot be written leaves no message, lane or number behind", async () => {
    const counters = () =>
      bed.database.query(
        `select (select json_agg(l order by id) from (select id, state, tail_seq, done_seq, awake_since from lane) l) as lanes,
          (select json_agg(c order by id) from (
            select id, turn_done_seq, last_seq - (select count(*) from message m
              where m.agent_id = $1 and m.conversation_id = conversation.id and sender = 'user') as replies
            from conversation where agent_id = $1) c) as conversations,
          (select count(*)::int from message where agent_id = $1 and sender = 'ai') as replies,
          (select count(*)::int from delivery) as deliveries`,
        [target.agentId],
      );
    const [before] = await counters();
    await bed.database.query(
      `create sequence refused;
       create function refuse_delivery() returns trigger language plpgsql security definer as
         $$ begin perform nextval('refused'); raise exception 'no room for a delivery'; end $$;
       create trigger refuse_delivery before insert on delivery for each row execute function refuse_delivery()`,
    );
    load.allow(Number.POSITIVE_INFINITY);
    await load.acceptedCount(CONVERSATIONS * MESSAGES_EACH, 20_000);
    // A sequence is not rolled back: it tells how often the real worker ran into the trigger.
    await eventually("the turns were tried", async () => {
      const [row] = await bed.database.query<{ last_value: string }>("select last_value from refused");
      return Number(row?.last_value) >= CONVERSATIONS;
    });
    assert.deepEqual((await counters())[0], before);
    assert.deepEqual(await violations(), []);

    // The worker is at work on the table all the while, and may get in the way of one who wants it whole.
    await eventually("the trigger is gone", async () => {
      await bed.database.query("drop function refuse_delivery cascade");
      return true;
    });
    await drained(bed, 60_000);
    const { lost, reordered } = judgeLoad(bed, load);
    assert.deepEqual([lost, reordered], [[], []]);
    assert.deepEqual(await violations(), []);
  });
});
