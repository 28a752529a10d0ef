import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { openRows, type Row, type Rows } from "@signalbox/tests/support/rows.ts";
import { rowsReadBy } from "@signalbox/tests/support/rows-read.ts";
import { sql } from "kysely";
import { createLog, LOCKED, openWorkDatabase, type Database } from "../platform/index.ts";
import { acceptUserMessages } from "./accept-messages.ts";
import { commitReplies, type CommitResult, type Reply } from "./commit-replies.ts";
import { commitTogether } from "./commit-together.ts";
import { readTogether, readTurns, type ReadResult } from "./read-turns.ts";
import { beginTurns, type Turn } from "./turn-store.ts";

const CLAIM = { leaseMs: 10_000, waitsMs: 60_000, most: 20 };
const CALL: string = randomUUID();
const AGENTS = 15;
/** Rows of each table: looked up once or twice by each statement, and written. */
const ROWS_EACH_MAX = 8;
const MOTION = ["conversation", "message", "turn", "lane", "delivery", "webhook", "destination", "agent"];

interface Conversation {
  agentId: string;
  webhookId: string;
  conversationId: string;
}

describe("turns that are read without being opened", () => {
  let rows: Rows;
  let db: Database;
  let closeDatabase = () => Promise.resolve();
  const log = createLog("silent", {});
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

  async function accept({ agentId, conversationId }: Conversation, text = "hello", by = db) {
    const message = { id: randomUUID(), agentId, conversationId, text, responseMode: "webhook" as const };
    const [accepted] = await acceptUserMessages(by, agentId, [message], { opensTurns: false });
    assert.equal(accepted?.kind, "accepted");
  }
  async function asked(text = "hello"): Promise<Conversation> {
    const conversation = await rows.addAgent();
    await accept(conversation, text);
    return conversation;
  }
  const callOf = ({ agentId, conversationId }: Conversation, callId = CALL) => ({
    agentId,
    conversationId,
    callId,
  });
  async function read(conversation: Conversation, callId = CALL): Promise<ReadResult> {
    const [result] = await readTurns(db, [callOf(conversation, callId)], CLAIM);
    return result ?? assert.fail();
  }
  async function readTurn(conversation: Conversation): Promise<Turn> {
    const result = await read(conversation);
    return result.kind === "read" ? result.turn : assert.fail(result.kind);
  }
  const open = ({ agentId, conversationId }: Conversation, callId: string) =>
    beginTurns(db, agentId, [{ conversationId, callId }], CLAIM);
  const repliesTo = ({ due }: Turn): Reply[] =>
    due.map(({ seq, id }) => ({
      toSeq: seq,
      inReplyTo: id,
      messageId: randomUUID(),
      createdAt: new Date(),
      text: `to ${seq}`,
      branch: "direct",
      body: Buffer.from(`{"to":${seq}}`),
      noAnswers: 0,
    }));
  async function commit(turn: Turn): Promise<CommitResult> {
    const [result] = await commitReplies(db, [answered(turn)]);
    return result ?? assert.fail();
  }
  const answered = (turn: Turn) => ({ turn, replies: repliesTo(turn), sentBy: CALL });

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
  const repliesIn = async ({ conversationId }: Conversation) =>
    (
      await rows.query("select text from message where conversation_id = $1 and sender = 'ai' order by seq", [
        conversationId,
      ])
    ).map(({ text }) => text);

  it("a turn is read with all that is due, and nothing is stored", async () => {
    const conversation = await asked("one");
    await accept(conversation, "two");
    const before = await everything(conversation);
    const turn = await readTurn(conversation);
    assert.deepEqual(
      turn.due.map(({ seq, text }) => [seq, text]),
      [
        [1, "one"],
        [2, "two"],
      ],
    );
    const [begun] = await open(conversation, CALL);
    assert.ok(begun?.kind === "begun");
    const { id, now, ...opened } = begun.turn;
    const { id: readId, now: readNow, deskSettings, ...facts } = turn;
    assert.deepEqual(facts, opened, "the same as an opened turn is made of");
    assert.deepEqual([readId, deskSettings], [undefined, undefined]);
    assert.ok(id !== undefined && Math.abs(now().getTime() - readNow().getTime()) < 5_000);
    await rows.query("delete from turn where agent_id = $1", [conversation.agentId]);
    const { conversations: _, ...rest } = await everything(conversation);
    assert.deepEqual({ ...before, ...rest }, before);
  });

  it("a turn is read with the handoff settings of an agent that has a desk", async () => {
    const conversation = await asked();
    await rows.insert("webhook", {
      id: randomUUID(),
      agent_id: conversation.agentId,
      kind: "human_service",
      name: "Desk",
      url: "http://127.0.0.1:9",
      signing_secret_sealed: Buffer.from("sealed"),
    });
    const { hasDesk, deskSettings } = await readTurn(conversation);
    assert.equal(hasDesk, true);
    assert.equal(deskSettings?.language, "en");
  });

  it("turns of many agents are read and committed in one statement each", async () => {
    const conversations = await Promise.all(Array.from({ length: AGENTS }, () => asked()));
    const read = readTogether(db, CLAIM, log);
    const results = await Promise.all(conversations.map((one) => read(callOf(one))));
    const turns = results.map((result) => (result.kind === "read" ? result.turn : assert.fail(result.kind)));
    assert.deepEqual(
      turns.map(({ agentId }) => agentId),
      conversations.map(({ agentId }) => agentId),
    );
    const together = commitTogether(db, log);
    const committed = await Promise.all(turns.map((turn) => together(answered(turn))));
    for (const [index, result] of committed.entries()) {
      assert.ok(result.kind === "committed" && result.lane?.is === "claimed");
      assert.equal(result.lane.claim.destination?.id, conversations[index]?.webhookId);
      assert.equal(result.lane.claim.destination?.agent_id, conversations[index]?.agentId);
      assert.equal(result.lane.claim.deliveries.length, 1);
    }
    const writers = await rows.query(
      `select distinct xmin::text from (
         select xmin from message where agent_id = any($1) and sender = 'ai'
         union all select xmin from delivery where agent_id = any($1)
         union all select xmin from lane where agent_id = any($1)
         union all select xmin from turn where agent_id = any($1) and state = 'answered'
         union all select xmin from conversation where agent_id = any($1) and not turn_awake) made`,
      [conversations.map(({ agentId }) => agentId)],
    );
    assert.equal(writers.length, 1);
    for (const conversation of conversations) assert.deepEqual(await repliesIn(conversation), ["to 1"]);
  });

  it("a turn is taken while another call has it open, and not once its lease ended", async () => {
    const conversation = await asked();
    await open(conversation, CALL);
    assert.equal((await read(conversation)).kind, "read", "its own call takes it up again at once");
    const other = randomUUID();
    // The last was given before the database clock was set back, and ends later than any lease can.
    for (const [ends, kind] of [
      ["5 s", "taken"],
      ["-1 s", "read"],
      ["1 h", "read"],
    ] as const) {
      await rows.query("update turn set lease_until = now() + $2::interval where agent_id = $1", [
        conversation.agentId,
        ends,
      ]);
      assert.equal((await read(conversation, other)).kind, kind, ends);
    }
  });

  it("a turn asked for by two calls at once is given to the first", async () => {
    const conversation = await asked();
    const results = await readTurns(
      db,
      [CALL, randomUUID()].map((callId) => callOf(conversation, callId)),
      CLAIM,
    );
    assert.deepEqual(
      results.map(({ kind }) => kind),
      ["read", "nothing_due"],
    );
  });

  it("nothing is due in a conversation that is asleep, with a human or erased", async () => {
    for (const change of [
      "turn_awake = false",
      "control = 'human', handoff_id = id",
      "redacted_at = now()",
    ]) {
      const conversation = await asked();
      await rows.query(`update conversation set ${change} where id = $1`, [conversation.conversationId]);
      assert.deepEqual(await read(conversation), { kind: "nothing_due" }, change);
    }
    const unknown = { agentId: randomUUID(), webhookId: "", conversationId: randomUUID() };
    assert.deepEqual(await read(unknown), { kind: "nothing_due" });
  });

  it("a turn that was read is not committed once what it was made of has changed", async () => {
    const changes: [what: string, (conversation: Conversation) => Promise<unknown>][] = [
      ["its epoch", ({ conversationId }) => change(conversationId, "epoch = epoch + 1")],
      ["its speaker", ({ conversationId }) => change(conversationId, "control = 'human', handoff_id = id")],
      ["it was erased", ({ conversationId }) => change(conversationId, "redacted_at = now()")],
      ["it was answered", ({ conversationId }) => change(conversationId, "turn_done_seq = 1")],
      ["another call opened it", (conversation) => open(conversation, randomUUID())],
    ];
    for (const [what, change] of changes) {
      const conversation = await asked();
      const turn = await readTurn(conversation);
      await change(conversation);
      const before = await everything(conversation);
      assert.deepEqual(await commit(turn), { kind: "superseded" }, what);
      assert.deepEqual(await everything(conversation), before, what);
    }

    function change(conversationId: string, columns: string): Promise<unknown> {
      return rows.query(`update conversation set ${columns} where id = $1`, [conversationId]);
    }
  });

  it("a turn that was read by two workers is answered by the first to commit", async () => {
    const conversation = await asked();
    const [paused, current] = [await readTurn(conversation), await readTurn(conversation)];
    const results = await Promise.all([current, paused].map((turn) => commit(turn)));
    assert.deepEqual(results.map(({ kind }) => kind).toSorted(), ["committed", "superseded"]);
    assert.deepEqual(await repliesIn(conversation), ["to 1"]);
  });

  it("of two turns of one conversation in one statement one is committed", async () => {
    const conversation = await asked();
    const turns = [await readTurn(conversation), await readTurn(conversation)];
    const results = await commitReplies(db, turns.map(answered), "skip");
    assert.deepEqual(
      results.map((result) => result !== LOCKED && result.kind),
      ["committed", "superseded"],
    );
    assert.deepEqual(await repliesIn(conversation), ["to 1"]);
  });

  it("a turn that was read leaves a row that says which messages it answered, in which epoch", async () => {
    const conversation = await asked();
    const turn = await readTurn(conversation);
    await commit(turn);
    const turns = await rows.query(
      "select first_seq::int, last_seq::int, epoch::int, owner, state from turn where agent_id = $1",
      [conversation.agentId],
    );
    assert.deepEqual(turns, [{ first_seq: 1, last_seq: 1, epoch: 0, owner: CALL, state: "answered" }]);
  });

  it("a commit waits for no locked conversation, and the turn of that one commits later", async () => {
    const [locked, free] = [await asked(), await asked()];
    const together = commitTogether(db, log);
    const [ofLocked, ofFree] = [await readTurn(locked), await readTurn(free)];
    const committing = await rows.whileLocked("conversation", locked.conversationId, async () => {
      const waiting = together(answered(ofLocked));
      assert.equal((await together(answered(ofFree))).kind, "committed");
      await rows.blocked("with answered");
      await accept(free, "again");
      assert.equal((await together(answered(await readTurn(free)))).kind, "committed");
      return { waiting };
    });
    assert.equal((await committing.waiting).kind, "committed");
    assert.deepEqual(await repliesIn(locked), ["to 1"]);
  });

  it("turns are read and committed by key, whatever else is stored", async () => {
    const conversations = await Promise.all(Array.from({ length: AGENTS }, () => asked()));
    const [{ agentId } = assert.fail()] = conversations;
    const others = Array.from({ length: 500 }, () => randomUUID());
    await rows.query(
      `with made as (insert into conversation (agent_id, id, channel, turn_awake) select $1, unnest($2::uuid[]), 'api', true)
       insert into message (agent_id, conversation_id, seq, id, sender, text)
       select $1, unnest($2::uuid[]), 1, gen_random_uuid(), 'user', 'hello'`,
      [agentId, others],
    );
    // One connection, because each tells only what it read itself.
    const alone = openWorkDatabase({ url: rows.url, poolSize: 1, onError: () => undefined });
    try {
      for (const half of ["not analysed", "analysed"]) {
        // A plan that is made while tables are small, and kept, has to read by key as well.
        if (half === "analysed") await rows.query(`analyze ${MOTION.join(", ")}`);
        for (const conversation of conversations) await accept(conversation, "again", alone.db);
        const read = await rowsReadBy(
          rows,
          MOTION,
          (statement) => sql.raw(statement).execute(alone.db),
          async () => {
            const calls = conversations.map((one) => callOf(one));
            const results = await readTurns(alone.db, calls, CLAIM);
            const turns = results.flatMap((result) => (result.kind === "read" ? [result.turn] : []));
            assert.equal(turns.length, AGENTS);
            await commitReplies(alone.db, turns.map(answered), "skip");
          },
        );
        assert.deepEqual(
          [...read].filter(([, count]) => count > AGENTS * ROWS_EACH_MAX),
          [],
          `rows that were read, ${half}: ${JSON.stringify([...read])}`,
        );
      }
    } finally {
      await alone.close();
    }
  });
});
