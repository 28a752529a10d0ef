import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { eventually } from "@signalbox/tests/support/processes.ts";
import { openRows, type Rows } from "@signalbox/tests/support/rows.ts";
import { rowsReadBy } from "@signalbox/tests/support/rows-read.ts";
import { sql } from "kysely";
import {
  createLog,
  LOCKED,
  newId,
  openAgentDatabase,
  openWorkDatabase,
  Refusal,
  type AgentDatabase,
  type Database,
} from "../platform/index.ts";
import { acceptAcrossAgents } from "./accept-across-agents.ts";
import type { UserMessage } from "./accept-messages.ts";
import { createMessageAcceptor, type AcceptTogether } from "./message-acceptor.ts";

const AGENTS = 15;
/** Rows of each table: looked up once or twice by the statement, and written. */
const ROWS_EACH_MAX = 6;

const TABLES = ["conversation", "message", "webhook"];

interface Conversation {
  agentId: string;
  conversationId: string;
}

describe("messages of several agents accepted together", () => {
  const closing = new AsyncDisposableStack();
  let rows: Rows;
  let agents: AgentDatabase;
  let db: Database;
  /** How many agents each shared transaction named. */
  let shared: number[] = [];
  let alone = 0;
  /** Transactions of one agent begin when it opens. */
  let gate = Promise.resolve();
  let acceptTogether: AcceptTogether;
  before(async () => {
    rows = closing.use(await openRows());
    const options = { url: rows.url, poolSize: 6, onError: () => undefined };
    const opened = openAgentDatabase(options);
    closing.defer(() => opened.close());
    const work = openWorkDatabase(options);
    closing.defer(() => work.close());
    db = work.db;
    agents = {
      ...opened,
      asAgentsOnce: (ids, run) => (shared.push(ids.length), opened.asAgentsOnce(ids, run)),
      asAgentOnce: async (id, run) => {
        alone += 1;
        await gate;
        return opened.asAgentOnce(id, run);
      },
    };
    acceptTogether = createMessageAcceptor({ agents, log: createLog("silent", {}) } as Parameters<
      typeof createMessageAcceptor
    >[0]);
  });
  after(() => closing.disposeAsync());

  const messageFor = (
    { agentId, conversationId }: Conversation,
    text = "hello",
    more: Partial<UserMessage> = {},
  ): UserMessage => ({ id: newId(), agentId, conversationId, text, responseMode: "webhook", ...more });
  async function textsIn({ agentId, conversationId }: Conversation) {
    return (
      await rows.query<{ text: string }>(
        "select text from message where agent_id = $1 and conversation_id = $2 order by seq",
        [agentId, conversationId],
      )
    ).map(({ text }) => text);
  }
  function seqOf(accepted: Awaited<ReturnType<AcceptTogether>>): number {
    return accepted instanceof Refusal || typeof accepted === "string" ? assert.fail() : accepted.seq;
  }
  async function held<Result>(
    { agentId, conversationId }: Conversation,
    work: (release: () => Promise<void>) => Promise<Result>,
  ): Promise<Result> {
    const session = await rows.session();
    let isHeld = true;
    const release = async () => {
      if (isHeld) await session.query("commit");
      isHeld = false;
    };
    try {
      await session.query("begin");
      await session.query("select from conversation where agent_id = $1 and id = $2 for update", [
        agentId,
        conversationId,
      ]);
      return await work(release);
    } finally {
      await release();
      session.release();
    }
  }

  it("messages of several agents that come at the same moment share one transaction", async () => {
    const conversations = await Promise.all(Array.from({ length: 5 }, () => rows.addAgent()));
    [shared, alone] = [[], 0];
    const accepted = await Promise.all(
      [...conversations, ...conversations].map((conversation, index) =>
        acceptTogether(messageFor(conversation, `text ${index}`)),
      ),
    );
    assert.deepEqual([shared, alone], [[5], 0]);
    assert.deepEqual(accepted.map(seqOf), [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]);
    for (const [index, conversation] of conversations.entries())
      assert.deepEqual(await textsIn(conversation), [`text ${index}`, `text ${index + 5}`]);
    const calls = accepted.map((one) =>
      one instanceof Refusal || typeof one === "string" ? assert.fail() : one.calls.length,
    );
    assert.deepEqual(calls, Array(10).fill(1), "each finds the turn asleep, as the statement began");
    const again = await acceptTogether(messageFor(conversations[0] ?? assert.fail()));
    assert.deepEqual(again, { ...(again as object), seq: 3, calls: [] }, "its turn is awake already");
  });

  it("an agent that names another agent's conversation is refused, also in a transaction with other agents' messages", async () => {
    const [ours, theirs] = [await rows.addAgent(), await rows.addAgent()];
    [shared, alone] = [[], 0];
    const stranger = { agentId: ours.agentId, conversationId: theirs.conversationId };
    const [refused, accepted, own] = await Promise.all([
      acceptTogether(messageFor(stranger, "a stranger's")),
      acceptTogether(messageFor(theirs, "their own")),
      acceptTogether(messageFor(ours, "our own")),
    ]);
    assert.deepEqual(shared, [2]);
    assert.equal(refused instanceof Refusal && refused.failure, "unknownConversation");
    assert.deepEqual([seqOf(accepted), seqOf(own)], [1, 1]);
    assert.deepEqual(await textsIn(theirs), ["their own"]);
    assert.deepEqual(await textsIn(stranger), []);
  });

  it("an agent without a webhook, one in a human's hands and an erased conversation are each told apart", async () => {
    const [fine, mute, human, erased] = await Promise.all(Array.from({ length: 4 }, () => rows.addAgent()));
    assert.ok(fine && mute && human && erased);
    await rows.query("update webhook set deleted_at = now() where agent_id = $1", [mute.agentId]);
    await rows.query("update conversation set control = 'human', handoff_id = $2 where id = $1", [
      human.conversationId,
      newId(),
    ]);
    await rows.query("update conversation set redacted_at = now() where id = $1", [erased.conversationId]);
    const [one, noWebhook, held, unknown] = await Promise.all(
      [fine, mute, human, erased].map((conversation) => acceptTogether(messageFor(conversation))),
    );
    assert.equal(seqOf(one ?? assert.fail()), 1);
    assert.equal(noWebhook instanceof Refusal && noWebhook.failure, "badParameter");
    assert.equal(held, "held_by_human");
    assert.equal(unknown instanceof Refusal && unknown.failure, "unknownConversation");
    for (const conversation of [mute, human, erased]) assert.deepEqual(await textsIn(conversation), []);
  });

  it("a locked conversation keeps no other agent waiting, and its messages keep their order", async () => {
    const [locked, free] = [await rows.addAgent(), await rows.addAgent()];
    const order = await held(locked, async (release) => {
      const first = acceptTogether(messageFor(locked, "first"));
      assert.equal(seqOf(await acceptTogether(messageFor(free))), 1);
      await rows.blocked("with answering as");
      const second = acceptTogether(messageFor(locked, "second"));
      assert.equal(seqOf(await acceptTogether(messageFor(free))), 2);
      await release();
      return Promise.all([first, second]);
    });
    assert.deepEqual(order.map(seqOf), [1, 2]);
    assert.deepEqual(await textsIn(locked), ["first", "second"]);
    [shared, alone] = [[], 0];
    assert.equal(seqOf(await acceptTogether(messageFor(locked, "third"))), 3);
    assert.deepEqual([shared, alone], [[1], 0], "it is shared again once nothing waits");
  });

  it("a message does not overtake one that waits for the same conversation", async () => {
    const conversation = await rows.addAgent();
    const opening = Promise.withResolvers<void>();
    gate = opening.promise;
    [shared, alone] = [[], 0];
    const first = await held(conversation, async () => {
      const accepting = acceptTogether(messageFor(conversation, "first"));
      await eventually("the first waits for its conversation", () => alone === 1);
      return { accepting };
    });
    const second = acceptTogether(messageFor(conversation, "second"));
    // A conversation of its own: what was asked before it has been looked at.
    await acceptTogether(messageFor(await rows.addAgent()));
    opening.resolve();
    assert.deepEqual([await first.accepting, await second].map(seqOf), [1, 2]);
  });

  it("a statement of several agents gives back what is locked and stores nothing of it", async () => {
    const [locked, free] = [await rows.addAgent(), await rows.addAgent()];
    await held(locked, async () => {
      const [one, other] = await acceptAcrossAgents(db, [messageFor(locked), messageFor(free)]);
      assert.equal(one, LOCKED);
      assert.equal(other !== LOCKED && other?.kind, "accepted");
    });
    assert.deepEqual(await textsIn(locked), []);
  });

  it("a message that cannot be written fails alone", async () => {
    const conversations = await Promise.all(Array.from({ length: 3 }, () => rows.addAgent()));
    const results = await Promise.allSettled(
      conversations.map((conversation, index) =>
        acceptTogether(messageFor(conversation, index === 1 ? "a zero byte \0" : "fine")),
      ),
    );
    assert.deepEqual(
      results.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
  });

  it("a caller's turn is told before the commit, and again where the statement is repeated", async () => {
    const conversation = await rows.addAgent();
    const other = await rows.addConversation(conversation.agentId);
    const told: string[] = [];
    const onTurnOpened: UserMessage["onTurnOpened"] = (_, { turn_id }) => void told.push(turn_id);
    let commits = 0;
    const acceptor = createMessageAcceptor({
      agents: {
        ...agents,
        // The first commit fails, as where the connection is lost.
        asAgentOnce: (agentId, run) =>
          agents.asAgent(agentId, async (db) => {
            const result = await run(db);
            commits += 1;
            if (commits === 1) throw new Error("the commit failed");
            return result;
          }),
      },
      log: createLog("silent", {}),
    } as Parameters<typeof createMessageAcceptor>[0]);
    const ask = (conversationId: string, more: Partial<UserMessage> = {}) =>
      acceptor(messageFor({ ...conversation, conversationId }, "hi", { responseMode: "blocking", ...more }));
    const [accepted] = await Promise.all([ask(conversation.conversationId, { onTurnOpened }), ask(other)]);
    assert.ok(typeof accepted === "object" && "turn" in accepted);
    assert.equal(told.length, 2);
    assert.equal(told[1], accepted.turn?.turn_id);
    assert.equal(seqOf(accepted), 1, "nothing of the first is left");
  });

  it("a message that is accepted again is found where it stands, and what comes with it is accepted", async () => {
    const conversation = await rows.addAgent();
    for (const responseMode of ["webhook", "blocking"] as const) {
      const [again, other] = ["again", "other"].map((text) =>
        messageFor(conversation, text, { responseMode }),
      );
      assert.ok(again !== undefined && other !== undefined);
      const first = seqOf(await acceptTogether(again));
      const results = await Promise.all([acceptTogether(again), acceptTogether(other)]);
      assert.deepEqual(results.map(seqOf), [first, first + 1]);
    }
    assert.deepEqual(await textsIn(conversation), ["again", "other", "again", "other"]);
  });

  it("long messages, attachments and messages of other modes are accepted for their agent alone", async () => {
    const conversation = await rows.addAgent();
    [shared, alone] = [[], 0];
    const others: Partial<UserMessage>[] = [
      { text: "x".repeat(4_001) },
      { answerWith: { memory: false } },
      { responseMode: undefined },
      { responseMode: "blocking" },
    ];
    for (const [index, more] of others.entries())
      assert.equal(seqOf(await acceptTogether(messageFor(conversation, "hello", more))), index + 1);
    assert.deepEqual([shared, alone], [[], others.length]);
  });

  it("a statement of several agents reads each row by key, before and after analyze", async () => {
    const conversations = await Promise.all(Array.from({ length: AGENTS }, () => rows.addAgent()));
    const agentIds = conversations.map(({ agentId }) => agentId);
    const single = openAgentDatabase({ url: rows.url, poolSize: 1, onError: () => undefined });
    try {
      for (const half of ["not analysed", "analysed"]) {
        // A plan that is made while tables are small, and kept, has to read by key as well.
        if (half === "analysed") await rows.query(`analyze ${TABLES.join(", ")}`);
        const read = await rowsReadBy(
          rows,
          TABLES,
          (text) => single.asAgentsOnce(agentIds, (db) => sql.raw(text).execute(db)),
          async () => {
            const accepted = await single.asAgentsOnce(agentIds, (db) =>
              acceptAcrossAgents(
                db,
                conversations.map((one) => messageFor(one)),
              ),
            );
            assert.ok(accepted.every((one) => one !== LOCKED && one.kind === "accepted"));
          },
        );
        for (const [table, count] of read)
          assert.ok(count <= AGENTS * ROWS_EACH_MAX, `${half}: ${count} rows of ${table}`);
      }
    } finally {
      await single.close();
    }
  });

  it("a transaction of several agents reaches the agents it names and nothing but what an accept needs", async () => {
    const [one, other, stranger] = [await rows.addAgent(), await rows.addAgent(), await rows.addAgent()];
    const named = [one.agentId, other.agentId];
    const seen = await agents.asAgentsOnce(named, async (db) =>
      sql<{ agent_id: string }>`select agent_id from conversation where ${true}`.execute(db),
    );
    assert.deepEqual(seen.rows.map(({ agent_id }) => agent_id).toSorted(), named.toSorted());
    const results = await agents.asAgentsOnce(named, (db) =>
      acceptAcrossAgents(db, [messageFor(one), messageFor(stranger)]),
    );
    assert.equal(results[1], LOCKED, "a conversation of an agent that is not named is not there");
    assert.deepEqual(await textsIn(stranger), []);
    for (const table of ["message", "turn", "agent", "handoff"])
      assert.deepEqual(
        (
          await agents.asAgentsOnce(named, (db) =>
            sql`select from ${sql.table(table)} where ${true}`.execute(db),
          )
        ).rows,
        [],
        table,
      );
    assert.throws(() => agents.asAgentsOnce([one.agentId, `${randomUUID()}'`], async () => 1), /is a UUID/);
  });
});
