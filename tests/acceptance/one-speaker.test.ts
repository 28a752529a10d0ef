import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { openClientRecord } from "../support/client-record.ts";
import { makeInbox } from "../support/inbox.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";
import type { TimedEvent } from "../support/streamed-reply.ts";

const PAIR = {
  question: "How long is the warranty of the saw?",
  answer: "The warranty of the saw is 24 months.",
};
/** Near enough to be an answer, too far to be given word for word. */
const VAGUE = "tell me about the saw warranty please";
/** For five seconds. */
const LONG = { say: "The saw has a warranty of 24 months [1]. ".repeat(20), pieceEveryMs: 60 };
const wait = { timeoutMs: 20_000 };

describe("one side speaks at a time", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let model: ModelServer;
  let agent: MadeAgent;

  before(async () => {
    model = open.use(await startModelServer());
    bed = open.use(await openBed({ apis: 2, workers: 1 }));
    agent = await makeAgent(bed, { qaList: [PAIR], fallback_text: "Please call us." });
    await agent.component({ url: `${bed.receiver.url}/desk` });
    const settings = { agent_id: agent.agentId, url: model.url, model: "talker", timeout_seconds: 30 };
    await operatorOf(bed).models.setChat(settings);
  });
  after(() => open.disposeAsync());

  /** The other node than the one that answers. */
  const other = () => bed.api(1).baseUrl;

  const requestHandoff = async (conversation_id: string) => {
    const response = await fetch(`${other()}/v1/conversation/handoff`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${agent.apiKey}` },
      body: JSON.stringify({ conversation_id }),
    });
    assert.equal(response.status, 200);
  };

  /** A reply that is streamed for seconds, in the middle of which something happens. */
  async function streamUntil(conversationId: string, happens: () => Promise<unknown>) {
    const record = openClientRecord(bed, agent, conversationId);
    const isStreaming = Promise.withResolvers<void>();
    let pieces = 0;
    const onEvent = ({ code }: TimedEvent) => {
      if (code === 3 && ++pieces === 3) isStreaming.resolve();
    };
    model.next(LONG);
    const streaming = record.stream(VAGUE, { onEvent });
    await isStreaming.promise;
    await happens();
    return { record, streaming };
  }

  it("streaming: a handoff ends the agent's reply at once, and tells the client to discard it", async () => {
    const conversationId = await agent.converse();
    const brokenOff = model.brokenOff();
    const { record, streaming } = await streamUntil(conversationId, () => requestHandoff(conversationId));
    record.note({ saw: "handoff" });
    const events = await streaming;
    assert.deepEqual(await record.problems(), []);
    const [info, ...rest] = events;
    assert.deepEqual(
      rest.filter(({ code }) => code !== 3).map(({ code, data }) => [code, data]),
      [
        [13, info?.data],
        [40900, null],
      ],
    );
    await eventually("the model's reply is broken off", () => model.brokenOff() > brokenOff, wait);
    const { conversation_content } = await agent.client.conversations.listMessages({
      conversation_id: conversationId,
    });
    assert.ok(!JSON.stringify(conversation_content).includes('"model"'), "nothing of it is stored");
  });

  it("streaming: an erasure ends the agent's reply at once, and tells the client to discard it", async () => {
    const user_id = "forgotten";
    const conversationId = await agent.converse({ user_id });
    const { record, streaming } = await streamUntil(conversationId, async () => {
      const operator = operatorOf(bed, { baseUrl: other() });
      const { erasure_id } = await operator.users.erase({ agent_id: agent.agentId, user_id });
      const isFinished = async () => (await operator.users.getErasure({ erasure_id })).state === "finished";
      await eventually("the erasure is finished", isFinished, { ...wait, everyMs: 20 });
    });
    const erasedAt = record.note({ saw: "erasure" });
    const events = await streaming;
    assert.deepEqual(await record.problems(), []);
    assert.deepEqual(
      events.filter(({ code }) => code !== 3).map(({ code }) => code),
      [11, 13, 40356],
    );
    const endedAt = record.views.findLast(({ saw }) => saw === "end")?.at ?? Infinity;
    assert.ok(endedAt - erasedAt < 1_500, `it went on for ${endedAt - erasedAt} ms`);
  });

  it("blocking: a caller is refused as soon as a handoff was accepted, however long the model would take", async () => {
    const conversationId = await agent.converse();
    const record = openClientRecord(bed, agent, conversationId);
    const before = model.requests.length;
    model.next({ ...LONG, delayMs: 5_000 });
    const blocking = record.block(VAGUE);
    await eventually("the model is asked", () => model.requests.length > before, wait);
    await requestHandoff(conversationId);
    const acceptedAt = record.note({ saw: "handoff" });
    const { code, atMs } = await blocking;
    assert.equal(code, 40900);
    assert.ok(atMs - acceptedAt < 1_500, `it waited for ${atMs - acceptedAt} ms`);
    assert.deepEqual(await record.problems(), []);
  });

  it("inbox: words of a human that come after another human took over are refused, and the user hears one human", async () => {
    const inbox = await makeInbox(bed);
    const [ann, bob] = [await inbox.join("Ann"), await inbox.join("Bob")];
    const { path, conversationId } = await inbox.open();
    const record = openClientRecord(bed, inbox.agent, conversationId);
    await ann.client.talks.take(path);
    record.noteHolder("Ann", await lastSeq(conversationId));
    await using holder = await holdConversation(conversationId);
    const late = refusal(ann.client.talks.reply({ ...path, text: "Words of Ann" }));
    late.catch(() => undefined);
    await holder.isWaitedFor();
    await bob.client.talks.transfer({ ...path, account_id: bob.accountId });
    record.noteHolder("Bob", await lastSeq(conversationId));
    await holder.release();
    assert.match((await late.catch(() => undefined))?.message ?? "said", /Bob has taken this chat/);
    await bob.client.talks.reply({ ...path, text: "Words of Bob" });
    await eventually("the user hears Bob", () => inbox.told().includes("human: Words of Bob"), wait);
    assert.deepEqual(await record.problems(), []);
  });

  async function lastSeq(conversationId: string): Promise<number> {
    const [row] = await bed.database.query<{ seq: number }>(
      "select last_seq::int as seq from conversation where id = $1",
      [conversationId],
    );
    return row?.seq ?? 0;
  }

  /** Writers of the conversation wait until it is released. */
  async function holdConversation(conversationId: string) {
    const client = new pg.Client(bed.database.superuserUrl);
    await client.connect();
    await client.query("begin");
    await client.query("select from conversation where id = $1 for update", [conversationId]);
    return {
      isWaitedFor: () =>
        eventually("somebody waits for the conversation", async () => {
          const waiting = await bed.database.query(
            "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
          );
          return waiting.length > 0;
        }),
      release: () => client.query("commit"),
      [Symbol.asyncDispose]: () => client.end(),
    };
  }

  it("streaming: a reply that nothing disturbs is shown whole and stored", async () => {
    const conversationId = await agent.converse();
    const record = openClientRecord(bed, agent, conversationId);
    model.next({ say: "The saw has a warranty of 24 months [1]." });
    const events = await record.stream(VAGUE);
    assert.deepEqual(await record.problems(), []);
    assert.equal(events.at(-1)?.code, 0);
  });
});
