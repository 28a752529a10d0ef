import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createClient } from "@signalbox/sdk";
import pg from "pg";
import { makeAgent, operatorOf, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startModelServer, type ModelReply, type ModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";
import { streamMessage, textOf } from "../support/streamed-reply.ts";
import { JSON_TYPE } from "../support/wire.ts";

const PAIR = {
  question: "How long is the warranty of the saw?",
  answer: "The warranty of the saw is 24 months.",
};
/** Near enough to be an answer, too far to be given word for word. */
const VAGUE = "tell me about the saw warranty please";
const SAID = "The saw has a warranty of 24 months [1].";
const HEARD = "The saw has a warranty of 24 months.";

/** The commit of a message waits for this lock, and fails where the message says so. */
const COMMIT_LOCK = 4_711;
const HOLD_COMMITS = `
  create function hold_commit() returns trigger language plpgsql set lock_timeout = 0 as $$
  begin
    perform pg_advisory_xact_lock_shared(${COMMIT_LOCK});
    if new.text like '%fail%' then raise 'the commit failed'; end if;
    return null;
  end $$;
  do $$
  declare partition regclass;
  begin
    for partition in select inhrelid::regclass from pg_inherits where inhparent = 'message'::regclass loop
      execute format('create constraint trigger hold_commit after insert on %s deferrable initially deferred
        for each row when (new.sender = ''user'') execute function hold_commit()', partition);
    end loop;
  end $$`;

describe("model asked while the message commits", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let model: ModelServer;
  let agent: MadeAgent;
  let holder: pg.Client;

  before(async () => {
    model = open.use(await startModelServer());
    bed = open.use(await openBed({ apis: 1, workers: 1 }));
    holder = new pg.Client(bed.database.superuserUrl);
    await holder.connect();
    open.defer(() => holder.end());
    await holder.query(HOLD_COMMITS);
    agent = await makeAgent(bed, { qaList: [PAIR], fallback_text: "Please call us." });
    const settings = { agent_id: agent.agentId, url: model.url, model: "talker", timeout_seconds: 30 };
    await operatorOf(bed).models.setChat(settings);
  });
  after(() => open.disposeAsync());

  /** Without a key for repeats, which the SDK would send: a call with one is accepted and answered one after the other. */
  async function block(conversation_id: string, content: string): Promise<{ status: number; body: string }> {
    const response = await fetch(`${bed.baseUrl}/v2/conversation/message`, {
      method: "POST",
      headers: { ...JSON_TYPE, authorization: `Bearer ${agent.apiKey}` },
      body: JSON.stringify({
        conversation_id,
        response_mode: "blocking",
        messages: [{ role: "user", content }],
      }),
    });
    return { status: response.status, body: await response.text() };
  }
  const stream = (conversationId: string, text: string) =>
    streamMessage({ baseUrl: bed.baseUrl, apiKey: agent.apiKey }, conversationId, text);

  /** Asks while no message can commit; commits are let through when `meanwhile` is over. */
  async function askWhileHeld<Result>(
    say: ModelReply,
    ask: () => Promise<Result>,
    meanwhile: (asking: Promise<Result>) => Promise<void>,
  ): Promise<{ asking: Promise<Result> }> {
    const before = model.requests.length;
    model.next(say);
    await holder.query("select pg_advisory_lock($1)", [COMMIT_LOCK]);
    try {
      const asking = ask();
      asking.catch(() => undefined);
      await eventually("the model is asked before the commit", () => model.requests.length === before + 1);
      await meanwhile(asking);
      return { asking };
    } finally {
      await holder.query("select pg_advisory_unlock($1)", [COMMIT_LOCK]);
    }
  }

  /** The model has said all it has to say, and the service has had time to tell it. */
  async function assertNothingIsTold(asking: Promise<unknown>): Promise<void> {
    // A whole exchange with the same api, begun after the model was asked.
    for (let turn = 0; turn < 5; turn += 1) await agent.converse();
    assert.equal(
      await Promise.race([asking.then(() => "told"), agent.converse().then(() => "silent")]),
      "silent",
    );
  }

  /** So far, on the api. */
  async function searches(): Promise<number> {
    const headers = { authorization: `Bearer ${bed.operatorToken}` };
    const metrics = await (await fetch(`${bed.baseUrl}/metrics`, { headers })).text();
    return Number(/^signalbox_answer_part_seconds_count\{part="search".*\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  }

  async function stored(conversationId: string): Promise<Record<string, number>> {
    const counts = await holder.query<Record<string, number>>(
      `select (select count(*)::int from message where conversation_id = $1) as messages,
        (select count(*)::int from turn where conversation_id = $1) as turns,
        (select count(*)::int from unanswered_question_asker where conversation_id = $1) as unanswered`,
      [conversationId],
    );
    return counts.rows[0] ?? {};
  }

  it("streaming: nothing is told before the message has committed", async () => {
    const conversation = await agent.converse();
    const { asking } = await askWhileHeld(
      { say: SAID },
      () => stream(conversation, VAGUE),
      assertNothingIsTold,
    );
    const events = await (await asking).events();
    assert.equal(textOf(events), HEARD);
    assert.equal(events[0]?.message, "MessageInfo");
    assert.deepEqual(await stored(conversation), { messages: 2, turns: 1, unanswered: 0 });
  });

  it("blocking: nothing is told before the message has committed", async () => {
    const conversation = await agent.converse();
    const { asking } = await askWhileHeld(
      { say: SAID },
      () => block(conversation, VAGUE),
      assertNothingIsTold,
    );
    assert.ok((await asking).body.includes(HEARD));
    assert.deepEqual(await stored(conversation), { messages: 2, turns: 1, unanswered: 0 });
  });

  it("a model asked for a message that does not commit is called off, and is not reported as failed", async () => {
    const conversation = await agent.converse();
    const before = model.brokenOff();
    const slowly = { say: `${SAID} `.repeat(500), pieceEveryMs: 50 };
    const { asking } = await askWhileHeld(
      slowly,
      () => stream(conversation, `${VAGUE} fail`),
      assertNothingIsTold,
    );
    const { status } = await asking;
    assert.equal(status, 500);
    await eventually("the model's reply is broken off", () => model.brokenOff() === before + 1);
    assert.doesNotMatch(bed.logs(), /model_failed/);
    assert.deepEqual(await stored(conversation), { messages: 0, turns: 0, unanswered: 0 });
  });

  it("a message that does not commit leaves no reply, turn or unanswered question, and the next one is answered", async () => {
    const conversation = await agent.converse();
    const { asking } = await askWhileHeld(
      { say: "NO_ANSWER" },
      () => block(conversation, `${VAGUE} fail`),
      assertNothingIsTold,
    );
    assert.equal((await asking).status, 500);
    assert.deepEqual(await stored(conversation), { messages: 0, turns: 0, unanswered: 0 });
    model.next({ say: SAID });
    assert.ok((await block(conversation, VAGUE)).body.includes(HEARD));
    assert.deepEqual(await stored(conversation), { messages: 2, turns: 1, unanswered: 0 });
  });

  it("knowledge is searched while the statement that accepts the message waits, and only once", async () => {
    const conversation = await agent.converse();
    const before = await searches();
    await holder.query("begin");
    await holder.query("select from conversation where id = $1 for update", [conversation]);
    const asking = block(conversation, PAIR.question);
    await eventually("knowledge was searched", async () => (await searches()) === before + 1);
    await holder.query("rollback");
    assert.ok((await asking).body.includes(PAIR.answer));
    assert.equal(await searches(), before + 1);
  });

  it("a message with an Idempotency-Key, which is answered after its accept, is searched once", async () => {
    const conversation_id = await agent.converse();
    const before = await searches();
    const client = createClient({ baseUrl: bed.baseUrl, apiKey: agent.apiKey });
    const messages = [{ role: "user" as const, content: PAIR.question }];
    await client.conversations.sendMessage({ conversation_id, response_mode: "blocking", messages });
    assert.equal(await searches(), before + 1);
  });
});
