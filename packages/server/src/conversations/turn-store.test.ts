import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Row, type Rows } from "@signalbox/tests/support/rows.ts";
import { sql } from "kysely";
import { inTransaction, openWorkDatabase, type Database } from "../platform/index.ts";
import { acceptUserMessages } from "./accept-messages.ts";
import { commitReplies, type CommitResult, type Reply, type TurnReplies } from "./commit-replies.ts";
import { beginTurns, closeTurn, type BeginResult, type Turn } from "./turn-store.ts";

const CLAIM = { leaseMs: 10_000, waitsMs: 60_000, most: 20 };
const CALL: string = randomUUID();

interface Conversation {
  agentId: string;
  webhookId: string;
  conversationId: string;
}

describe("turn store", () => {
  let rows: Rows;
  let db: Database;
  let closeDatabase = () => Promise.resolve();
  before(async () => {
    rows = await openRows();
    const opened = openWorkDatabase({ url: rows.url, poolSize: 6, onError: () => undefined });
    db = opened.db;
    closeDatabase = () => opened.close();
  });
  after(async () => {
    await closeDatabase();
    await rows[Symbol.asyncDispose]();
  });

  async function accept(db: Database, { agentId, conversationId }: Conversation, text = "hello") {
    const message = { id: randomUUID(), agentId, conversationId, text, responseMode: "webhook" as const };
    const [accepted] = await acceptUserMessages(db, agentId, [message], { opensTurns: false });
    return accepted?.kind === "accepted" ? { woke: accepted.woke } : assert.fail("it was not accepted");
  }

  async function beginTurn(
    { agentId, conversationId }: Omit<Conversation, "webhookId">,
    callId = CALL,
  ): Promise<BeginResult> {
    const [result] = await beginTurns(db, agentId, [{ conversationId, callId }], CLAIM);
    return result ?? assert.fail();
  }

  async function begin(conversation: Conversation, callId = CALL): Promise<Turn> {
    const result = await beginTurn(conversation, callId);
    return result.kind === "begun" ? result.turn : assert.fail(result.kind);
  }

  const replyTo = (toSeq: number): Reply => ({
    toSeq,
    inReplyTo: randomUUID(),
    messageId: randomUUID(),
    createdAt: new Date(),
    text: `to ${toSeq}`,
    branch: "direct",
    body: Buffer.from(`{"to":${toSeq}}`),
    noAnswers: 0,
  });
  async function commitItem(item: TurnReplies): Promise<CommitResult> {
    const [result] = await commitReplies(db, [item]);
    return result ?? assert.fail();
  }
  const commit = (turn: Turn, replies: Reply[]) => commitItem({ turn, replies });
  const repliesTo = ({ due }: Turn) => due.map(({ seq }) => replyTo(seq));

  /** All that an accept may change, in one snapshot. */
  async function everything({ agentId }: Conversation): Promise<Row> {
    const [row] = await rows.query(
      `select (select json_agg(c order by c.id) from conversation c where agent_id = $1) as conversations,
        (select json_agg(m order by m.seq) from message m where agent_id = $1) as messages,
        (select json_agg(l order by l.id) from lane l where agent_id = $1) as lanes,
        (select json_agg(d order by d.seq) from delivery d where agent_id = $1) as deliveries,
        (select json_agg(t order by t.id) from turn t where agent_id = $1) as turns`,
      [agentId],
    );
    return row ?? assert.fail();
  }
  async function conversationOf({ conversationId }: Conversation): Promise<Row> {
    const [row] = await rows.query("select * from conversation where id = $1", [conversationId]);
    return row ?? assert.fail();
  }
  const isForgotten = async (conversation: Conversation) => {
    const row = await conversationOf(conversation);
    return row["turn_awake"] === false && row["turn_done_seq"] !== row["turn_due_seq"];
  };

  it("a turn commits its replies, their deliveries and the lane's wake-up together", async () => {
    const conversation = await rows.addAgent();
    assert.deepEqual(await accept(db, conversation), { woke: true });
    assert.deepEqual(await accept(db, conversation), { woke: false });
    const turn = await begin(conversation);
    assert.deepEqual(
      turn.due.map(({ seq }) => seq),
      [1, 2],
    );
    const committed = await commit(turn, repliesTo(turn));
    assert.ok(committed.kind === "committed");
    assert.equal(committed.moreDue, false);
    // One transaction made all of these rows: they carry its number.
    const made = await rows.query<{ writer: string }>(
      `select distinct xmin::text as writer from (
         select xmin from message where conversation_id = $1 and sender = 'ai'
         union all select xmin from delivery where lane_id = $2
         union all select xmin from lane where id = $2 and state = 'awake' and tail_seq = 2
         union all select xmin from conversation where id = $1 and last_seq = 4 and turn_done_seq = 2) made`,
      [conversation.conversationId, committed.lane?.id],
    );
    assert.equal(made.length, 1);
    const bodies = await rows.query("select seq, body from delivery where lane_id = $1 order by seq", [
      committed.lane?.id,
    ]);
    assert.deepEqual(
      bodies.map(({ body }) => String(body)),
      ['{"to":1}', '{"to":2}'],
    );
  });

  it("a turn claims the lane it wakes for the call that sends, and none that is awake", async () => {
    const conversation = await rows.addAgent();
    await accept(db, conversation);
    await rows.query(
      "update message set created_at = created_at - interval '3 s' where conversation_id = $1",
      [conversation.conversationId],
    );
    const turn = await begin(conversation);
    const first = await commitItem({ turn, replies: repliesTo(turn), sentBy: CALL });
    assert.ok(first.kind === "committed" && first.lane?.is === "claimed");
    const { claim, id: laneId } = first.lane;
    assert.deepEqual([claim.fence, claim.doneSeq, claim.breaker], [1, 0, "closed"]);
    assert.equal(claim.destination?.id, conversation.webhookId);
    assert.ok(claim.lateMs >= 3_000 && claim.lateMs < 60_000, "from the accept to the commit");
    const [lane] = await rows.query(
      "select fence::int, held_by, held_until > now() as held from lane where id = $1",
      [laneId],
    );
    assert.deepEqual(lane, { fence: 1, held_by: CALL, held: true });
    const [sent] = await rows.query(
      `select id, seq::int, created_at as "createdAt", event, sender, body, attempts, replay_of as "replayOf", replay_seq as "replaySeq",
         message_id as "messageId", in_reply_to as "inReplyTo", traceparent from delivery where lane_id = $1`,
      [laneId],
    );
    assert.deepEqual(claim.deliveries, [sent], "what a claim would have read");

    await accept(db, conversation);
    const next = await begin(conversation);
    const second = await commitItem({ turn: next, replies: repliesTo(next), sentBy: randomUUID() });
    assert.ok(second.kind === "committed");
    assert.equal(second.lane, undefined);
    await accept(db, conversation);
    const again = await begin(conversation);
    const third = await commitItem({ turn: again, replies: repliesTo(again), sentBy: CALL });
    assert.deepEqual(third.kind === "committed" && third.lane, { id: laneId, is: "held" });
    const [after] = await rows.query("select fence::int, held_by, tail_seq::int from lane where id = $1", [
      laneId,
    ]);
    assert.deepEqual(after, { fence: 1, held_by: CALL, tail_seq: 3 });
  });

  it("turns lock conversations in the order of their ids", async () => {
    const { agentId } = await rows.addAgent();
    const ids = [9, 8, 7].map((first) => `${first}${randomUUID().slice(1)}`);
    for (const id of ids)
      await rows.insert("conversation", { agent_id: agentId, id, channel: "api", turn_awake: true });
    const writes: [waitsWith: string, (db: Database) => Promise<unknown>][] = [
      ["awake", (db) => beginTurns(db, agentId, ids.map(callFor), CLAIM)],
      ["with answered", (db) => commitReplies(db, ids.map(answeredIn))],
    ];
    for (const [waitsWith, write] of writes) {
      const other = await rows.session();
      await other.query("begin");
      await other.query("select from conversation where id = $1 for update", [ids[2]]);
      const writing = inTransaction(db, async (db) => {
        // By bitmap rows are found as they lie in the table, the highest id first.
        await sql`set local enable_indexscan = off`.execute(db);
        await write(db);
      });
      try {
        await rows.blocked(waitsWith);
        await other.query("select from conversation where id = $1 for update nowait", [ids[0]]);
      } finally {
        await other.query("rollback");
        other.release();
        await writing;
      }
    }

    function callFor(conversationId: string) {
      return { conversationId, callId: CALL };
    }
    function answeredIn(conversationId: string) {
      const turn = { id: randomUUID(), agentId, conversationId, epoch: 0, due: [] };
      return { turn: { ...turn, destinationId: undefined } as unknown as Turn, replies: [replyTo(1)] };
    }
  });

  it("a turn changes nothing when one of its rows cannot be written", async () => {
    for (const table of ["delivery", "message", "lane", "turn"]) {
      const conversation = await rows.addAgent();
      await accept(db, conversation);
      const turn = await begin(conversation);
      const before = await everything(conversation);
      await rows.query(
        `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
         create trigger refuse before insert or update on ${table} for each row execute function refuse()`,
      );
      try {
        await assert.rejects(commit(turn, repliesTo(turn)), /no room/, table);
        assert.deepEqual(await everything(conversation), before, table);
      } finally {
        await rows.query("drop function refuse cascade");
      }
      assert.equal((await commit(turn, repliesTo(turn))).kind, "committed", table);
    }
  });

  it("a user's message is accepted with its wake-up, or not at all", async () => {
    const conversation = await rows.addAgent();
    await accept(db, conversation);
    const before = await everything(conversation);
    await rows.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
       create trigger refuse before insert on message for each row execute function refuse()`,
    );
    try {
      await assert.rejects(accept(db, conversation), /no room/);
      assert.deepEqual(await everything(conversation), before);
    } finally {
      await rows.query("drop function refuse cascade");
    }
  });

  it("a turn held by two workers is answered by the first to commit", async () => {
    const conversation = await rows.addAgent();
    await accept(db, conversation);
    const [paused, current] = [await begin(conversation), await begin(conversation)];
    const results = await Promise.all([
      commit(current, repliesTo(current)),
      commit(paused, repliesTo(paused)),
    ]);
    assert.deepEqual(results.map(({ kind }) => kind).toSorted(), ["committed", "superseded"]);
    const replies = await rows.query("select 1 from message where conversation_id = $1 and sender = 'ai'", [
      conversation.conversationId,
    ]);
    assert.equal(replies.length, 1);
  });

  it("a turn overtaken halfway is not answered in part by the slower worker", async () => {
    const conversation = await rows.addAgent();
    for (const text of ["one", "two", "three"]) await accept(db, conversation, text);
    const paused = await begin(conversation);
    assert.equal((await commit(paused, [replyTo(1)])).kind, "committed");
    const current = await begin(conversation);
    assert.deepEqual(
      current.due.map(({ seq }) => seq),
      [2, 3],
    );
    assert.equal((await commit(current, [replyTo(2)])).kind, "committed");
    assert.equal((await commit(paused, [replyTo(2), replyTo(3)])).kind, "superseded");
    assert.equal((await commit(current, [replyTo(3)])).kind, "committed");
    const replies = await rows.query(
      "select text from message where conversation_id = $1 and sender = 'ai' order by seq",
      [conversation.conversationId],
    );
    assert.deepEqual(
      replies.map(({ text }) => text),
      ["to 1", "to 2", "to 3"],
    );
  });

  it("a turn is superseded and sends nothing when control or epoch changed since it began", async () => {
    for (const change of ["epoch = epoch + 1", "control = 'human', handoff_id = id"]) {
      const conversation = await rows.addAgent();
      await accept(db, conversation);
      const turn = await begin(conversation);
      await rows.query(`update conversation set ${change} where id = $1`, [conversation.conversationId]);
      assert.equal((await commit(turn, repliesTo(turn))).kind, "superseded");
      await closeTurn(db, turn, "superseded");
      const { deliveries, turns } = await everything(conversation);
      assert.equal(deliveries, null);
      assert.deepEqual(
        (turns as { state: string }[]).map(({ state }) => state),
        ["superseded"],
      );
    }
  });

  it("a turn belongs to the call that took it until the lease expires", async () => {
    const conversation = await rows.addAgent();
    const { agentId } = conversation;
    await accept(db, conversation);
    const turn = await begin(conversation, randomUUID());
    // The second was given before the database clock was set back, and ends later than any lease can.
    for (const ends of ["-1 s", "1 h"]) {
      const early = await beginTurn(conversation, randomUUID());
      assert.deepEqual(early, { kind: "taken" });
      await rows.query("update turn set lease_until = now() + $2::interval where agent_id = $1", [
        agentId,
        ends,
      ]);
      assert.equal((await begin(conversation, randomUUID())).id, turn.id);
    }
    assert.equal((await rows.query("select 1 from turn where agent_id = $1", [agentId])).length, 1);
  });

  it("a turn is taken over at once by the same call, and given to one of two that ask together", async () => {
    const conversation = await rows.addAgent();
    const { agentId, conversationId } = conversation;
    await accept(db, conversation);
    const turn = await begin(conversation);
    assert.equal((await begin(conversation)).id, turn.id);
    const asked = [CALL, randomUUID()].map((callId) => ({ conversationId, callId }));
    const results = await beginTurns(db, agentId, asked, CLAIM);
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ["begun", "nothing_due"],
    );
  });

  describe("turn that ends while an accept is open", () => {
    /** Accepts a second message and holds the transaction open until `ending` waits for it. */
    async function race<Result>(
      conversation: Conversation,
      ending: () => Promise<Result>,
      waitsWith: string,
    ) {
      const hold = Promise.withResolvers<void>();
      const accepted = Promise.withResolvers<void>();
      const accepting = inTransaction(db, async (db) => {
        assert.deepEqual(await accept(db, conversation), { woke: false }, "so nobody else calls the turn");
        accepted.resolve();
        await hold.promise;
      });
      await accepted.promise;
      const ended = ending();
      try {
        await rows.blocked(waitsWith);
      } finally {
        hold.resolve();
      }
      await accepting;
      return ended;
    }

    it("a commit waits for an open accept, sees the raised sequence and stays awake", async () => {
      const conversation = await rows.addAgent();
      await accept(db, conversation);
      const turn = await begin(conversation);
      const committed = await race(conversation, () => commit(turn, repliesTo(turn)), "with answered");
      assert.ok(committed.kind === "committed" && committed.moreDue);
      assert.equal(await isForgotten(conversation), false);
      assert.deepEqual(
        (await begin(conversation)).due.map(({ seq }) => seq),
        [2],
      );
    });

    it("a commit that asked for unanswered messages instead would forget the message", async () => {
      const conversation = await rows.addAgent();
      const { agentId, conversationId } = conversation;
      await accept(db, conversation);
      const endByLooking = () =>
        sql`
          update conversation set turn_done_seq = 1, turn_awake = exists ( /* mutant */
            select from message where agent_id = ${agentId} and conversation_id = ${conversationId}
              and sender = 'user' and seq > 1)
          where agent_id = ${agentId} and id = ${conversationId}`.execute(db);
      await race(conversation, endByLooking, "mutant");
      assert.equal(await isForgotten(conversation), true);
    });
  });
});
