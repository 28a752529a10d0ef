import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, beforeEach, describe, it } from "node:test";
import { openRows, type Row, type Rows } from "@signalbox/tests/support/rows.ts";
import { firstIdAt, newId, openWorkDatabase, Refusal, type Database } from "../platform/index.ts";
import { exportNumbers } from "./export-numbers.ts";
import { sweepNumbers } from "./numbers-sweep.ts";
import { getNumbers } from "./read-numbers.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A row of that age has an id of that time. */
const idFrom = (agoMs: number) => firstIdAt(Date.now() - agoMs).slice(0, 18) + newId().slice(18);

describe("counting what happened", () => {
  let rows: Rows;
  let db: Database;
  let closeDatabase = () => Promise.resolve();
  before(async () => {
    rows = await openRows();
    const opened = openWorkDatabase({ url: rows.url, poolSize: 6, onError: () => undefined });
    db = opened.db;
    closeDatabase = () => opened.close();
  });
  // Each test puts messages into the past. To look at all of them again changes no figure.
  const lookAgain = () =>
    rows.query("update numbers_sweep set message_ids = array_fill($1::uuid, array[3])", [firstIdAt(0)]);
  beforeEach(lookAgain);
  after(async () => {
    await closeDatabase();
    await rows[Symbol.asyncDispose]();
  });

  const MODEL = { kind: "chat", url: "https://model.example", model: "m", timeout_ms: 1000 };

  /** Asked for a minute and forty seconds ago. */
  async function addHandoff({ agentId, conversationId }: { agentId: string; conversationId: string }) {
    const id = randomUUID();
    await rows.insert("handoff", {
      agent_id: agentId,
      id,
      conversation_id: conversationId,
      component_id: randomUUID(),
      trigger: "phrase",
      state: "requested",
      forwarded_seq: 1,
      requested_at: new Date(Date.now() - 100_000),
    });
    return id;
  }
  /** Today's. */
  async function useTokens(agent_id: string, used: number) {
    await rows.insert("agent_model", { agent_id, ...MODEL });
    const day = new Date().toISOString().slice(0, 10);
    await rows.insert("daily_use", { agent_id, day, kind: "model_tokens", subject: "", used });
  }

  async function addAgent() {
    const made = await rows.addAgent();
    const base = { id: randomUUID(), agent_id: made.agentId, name: "Default", is_default: true };
    await rows.insert("knowledge_base", base);
    return made;
  }
  const sweep = (retentionDays = 30) =>
    sweepNumbers({ db, retentionDays, stopping: new AbortController().signal });
  async function numbersOf(agent_id: string, more: Row = {}) {
    const now = Date.now();
    const range = { from_time: now - 3 * HOUR_MS, to_time: now + HOUR_MS };
    const query = { agent_id, ...range, step: "hour" as const, time_zone: "UTC", ...more };
    const numbers = await getNumbers({ db }, query);
    return numbers instanceof Refusal ? assert.fail("it was refused") : numbers;
  }
  const totalsOf = async (agentId: string, more: Row = {}) => (await numbersOf(agentId, more)).totals;

  /** In a session of its own, which commits whatever happens: nobody waits for it afterwards. */
  async function inTransaction(use: (session: Awaited<ReturnType<Rows["session"]>>) => Promise<void>) {
    const session = await rows.session();
    try {
      await session.query("begin");
      await use(session);
    } finally {
      await session.query("commit");
      session.release();
    }
  }

  /** Puts messages at the end of a conversation, as a commit of the service does. */
  async function say(
    conversation: { agentId: string; conversationId: string },
    ...messages: (Row & { sender: string; agoMs?: number })[]
  ): Promise<void> {
    const { agentId: agent_id, conversationId: conversation_id } = conversation;
    for (const { agoMs = MINUTE_MS, ...columns } of messages) {
      const [raised] = await rows.query<{ seq: number }>(
        "update conversation set last_seq = last_seq + 1 where agent_id = $1 and id = $2 returning last_seq::integer as seq",
        [agent_id, conversation_id],
      );
      await rows.insert("message", {
        agent_id,
        conversation_id,
        seq: raised?.seq,
        id: idFrom(agoMs),
        text: "What are your opening hours?",
        created_at: new Date(Date.now() - agoMs),
        ...columns,
      });
    }
  }
  const user = (text = "What are your opening hours?") => ({ sender: "user", text });
  const agent = (branch: string, more: Row = {}) => ({ sender: "ai", branch, ...more });

  it("each message is counted once while three workers count at the same time", async () => {
    const made = [await addAgent(), await addAgent()];
    for (const one of made)
      for (let at = 0; at < 20; at += 1) {
        const conversationId = await rows.addConversation(one.agentId);
        await say({ ...one, conversationId }, user(), agent("direct"), user("And on the next day?"));
      }
    for (let round = 0; round < 3; round += 1) await Promise.all([sweep(), sweep(), sweep()]);
    for (const { agentId } of made) {
      const totals = await totalsOf(agentId);
      assert.equal(totals.conversations, 20);
      assert.deepEqual(totals.messages, { user: 40, ai: 20, human: 0, system: 0 });
    }
  });

  it("a worker that dies while it counts leaves nothing counted twice and nothing out", async () => {
    const made = await addAgent();
    await say(made, user(), agent("direct"));
    await inTransaction(async (blocker) => {
      await blocker.query("lock table numbers_hour in exclusive mode");
      const dying = sweep().catch((error: unknown) => error);
      await rows.blocked("with behind as");
      await rows.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and position('with behind as' in query) > 0 and datname = current_database() and pid <> pg_backend_pid()",
      );
      assert.ok((await dying) instanceof Error);
    });
    await sweep();
    await sweep();
    assert.deepEqual((await totalsOf(made.agentId)).messages, { user: 1, ai: 1, human: 0, system: 0 });
  });

  it("a message that is committed after its time has been passed is counted by a later pass", async () => {
    const late = await addAgent();
    const prompt = await addAgent();
    await inTransaction(async (open) => {
      await open.query("update conversation set last_seq = 1 where id = $1", [late.conversationId]);
      await open.query(
        "insert into message (agent_id, conversation_id, seq, id, sender, text, created_at) values ($1, $2, 1, $3, 'user', 'late', $4)",
        [late.agentId, late.conversationId, idFrom(2 * HOUR_MS), new Date(Date.now() - 2 * HOUR_MS)],
      );
      await say(prompt, { ...user(), agoMs: 30_000 });
      await sweep();
      assert.equal((await totalsOf(prompt.agentId)).messages.user, 1);
      assert.equal((await totalsOf(late.agentId)).messages.user, 0);
    });
    await sweep();
    assert.equal((await totalsOf(late.agentId)).messages.user, 1);
  });

  it("what is said later in a counted conversation is added to it", async () => {
    const made = await addAgent();
    await say(made, { ...user(), agoMs: 2 * MINUTE_MS });
    await sweep();
    await say(made, { ...agent("direct"), agoMs: 10_000 });
    await sweep();
    const { conversations, messages } = await totalsOf(made.agentId);
    assert.deepEqual([conversations, messages.user, messages.ai], [1, 1, 1]);
  });

  it("answers are counted by branch, and offered questions and small talk apart", async () => {
    const made = await addAgent();
    await say(
      made,
      user(),
      agent("direct"),
      agent("model"),
      agent("fallback"),
      agent("fallback", { suggestions: ["When do you open?"] }),
      agent("small_talk"),
      { sender: "system", branch: "notice" },
    );
    await sweep();
    const { answers, messages } = await totalsOf(made.agentId);
    assert.deepEqual(answers, { direct: 1, suggestion: 1, model: 1, unanswered: 1, small_talk: 1 });
    assert.equal(messages.system, 1);
  });

  it("figures are told apart by channel and by the language a conversation began in", async () => {
    const made = await addAgent();
    const { agentId } = made;
    await say(made, user(), user("谢谢"));
    const widget = await rows.addConversation(agentId, { channel: "widget" });
    await say({ agentId, conversationId: widget }, user("你们几点开门？"), agent("direct"));
    const german = await rows.addConversation(agentId);
    await say({ agentId, conversationId: german }, user("Wann kann ich das Paket bei der Post holen?"));
    await sweep();
    const { channels, languages } = await numbersOf(agentId);
    const shown = (list: Row[], key: string) =>
      list
        .map((one) => [one[key], one["conversations"]])
        .toSorted((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
    assert.deepEqual(shown(channels, "channel"), [
      ["api", 2],
      ["widget", 1],
    ]);
    assert.deepEqual(shown(languages, "language"), [
      ["de", 1],
      ["en", 1],
      ["zh", 1],
    ]);
    assert.equal((await totalsOf(agentId, { language: "en" })).messages.user, 2);
    const chinese = await totalsOf(agentId, { channel: "widget", language: "zh" });
    assert.deepEqual([chinese.conversations, chinese.answers.direct, chinese.tokens], [1, 1, null]);
    assert.equal((await totalsOf(agentId, { channel: "api", language: "zh" })).conversations, 0);
  });

  it("a handoff is counted with its trigger, wait, first reply, end and resolution, each once", async () => {
    const made = await addAgent();
    const { agentId: agent_id } = made;
    await say(made, user());
    const id = await addHandoff(made);
    await sweep();
    await sweep();
    const requested = await totalsOf(agent_id);
    assert.deepEqual(
      [requested.handoffs, requested.handoff_triggers.phrase, requested.waiting.count],
      [1, 1, 0],
    );
    const step = (columns: string, ...values: unknown[]) =>
      rows.query(`update handoff set ${columns} where id = $1`, [id, ...values]);
    await step(
      "state = 'active', first_reply_at = requested_at + interval '15 seconds', timer_kind = 'user_idle', timer_set_at = now(), timer_due_at = now(), timer_wake_at = now()",
    );
    await sweep();
    await step(
      "state = 'closed', reason = 'human_closed', ended_at = requested_at + interval '80 seconds', timer_kind = null, timer_set_at = null, timer_due_at = null, timer_wake_at = null",
    );
    await sweep();
    await sweep();
    const totals = await totalsOf(agent_id);
    assert.equal(totals.handoffs, 1);
    assert.deepEqual([totals.waiting.count, totals.waiting.average_ms], [1, 15_000]);
    assert.deepEqual([totals.first_reply.count, totals.first_reply.average_ms], [1, 15_000]);
    assert.ok((totals.first_reply.median_ms ?? 0) > 10_000 && (totals.first_reply.median_ms ?? 0) <= 20_000);
    assert.equal(totals.handoff_ends.human_closed, 1);
    assert.deepEqual([totals.resolution.count, totals.resolution.average_ms], [1, 80_000]);
  });

  it("tokens that were used since the last look are added once", async () => {
    const { agentId: agent_id } = await addAgent();
    await useTokens(agent_id, 100);
    await sweep();
    await sweep();
    assert.equal((await totalsOf(agent_id)).tokens, 100);
    await rows.query("update daily_use set used = 130 where agent_id = $1", [agent_id]);
    await sweep();
    assert.equal((await totalsOf(agent_id)).tokens, 130);
  });

  it("ratings are counted by what they are now, in the channel and language of their conversation", async () => {
    const made = await addAgent();
    const { agentId: agent_id, conversationId: conversation_id } = made;
    await say(made, user());
    await sweep();
    const rate = (rating: string) =>
      rows.insert("conversation_rating", {
        agent_id,
        id: randomUUID(),
        conversation_id,
        message_id: randomUUID(),
        rating,
      });
    for (const rating of ["good", "good", "bad"]) await rate(rating);
    assert.deepEqual((await totalsOf(agent_id)).ratings, { good: 2, bad: 1 });
    assert.deepEqual((await totalsOf(agent_id, { language: "en" })).ratings, { good: 2, bad: 1 });
    assert.deepEqual((await totalsOf(agent_id, { channel: "widget" })).ratings, { good: 0, bad: 0 });
    await rows.query("update conversation_rating set rating = 'good' where agent_id = $1", [agent_id]);
    assert.deepEqual((await totalsOf(agent_id)).ratings, { good: 3, bad: 0 });
  });

  it("a deleted conversation leaves its figures and nothing that names it", async () => {
    const made = await addAgent();
    await say(made, user());
    await sweep();
    await rows.query("delete from conversation where id = $1", [made.conversationId]);
    const left = await rows.query("select 1 from numbers_conversation where conversation_id = $1", [
      made.conversationId,
    ]);
    assert.equal(left.length, 0);
    assert.equal((await totalsOf(made.agentId)).conversations, 1);
  });

  it("nothing is written about a deleted agent, so that nothing outlives its purge", async () => {
    const made = await addAgent();
    const { agentId: agent_id } = made;
    await say(made, user());
    const counted = await addHandoff(made);
    await sweep();
    const read = () =>
      rows.query(
        `select 'hour' as of, to_jsonb(t) as row from numbers_hour t where agent_id = $1
        union all select 'conversation', to_jsonb(t) from numbers_conversation t where agent_id = $1
        union all select 'handoff', to_jsonb(t) from numbers_handoff t where agent_id = $1
        union all select 'tokens', to_jsonb(t) from numbers_tokens t where agent_id = $1 order by 1, 2`,
        [agent_id],
      );
    const before = await read();
    assert.ok(before.length > 0);
    await rows.query("update agent set deleted_at = now() where id = $1", [agent_id]);
    await rows.query(
      "update handoff set state = 'closed', reason = 'human_closed', ended_at = now() where id = $1",
      [counted],
    );
    const other = { agentId: agent_id, conversationId: await rows.addConversation(agent_id) };
    await say(other, user());
    await say(made, user());
    await addHandoff(other);
    await useTokens(agent_id, 100);
    await lookAgain();
    await sweep();
    assert.deepEqual(await read(), before);
  });

  it("figures past their retention are deleted", async () => {
    const { agentId: agent_id } = await addAgent();
    const fact = { agent_id, channel: "api", language: "en", kind: "conversation", count: 1 };
    await rows.insert("numbers_hour", { ...fact, hour: new Date(Date.now() - 3 * 24 * HOUR_MS) });
    await rows.insert("numbers_hour", { ...fact, hour: new Date(Date.now() - HOUR_MS) });
    await sweep(2);
    const kept = await rows.query("select hour from numbers_hour where agent_id = $1", [agent_id]);
    assert.equal(kept.length, 1);
  });

  it("a day of a time zone has a line of its own, also one in which nothing happened", async () => {
    const { agentId: agent_id } = await addAgent();
    const fact = { agent_id, channel: "api", language: "en", kind: "conversation", count: 1 };
    await rows.insert("numbers_hour", { ...fact, hour: new Date("2026-03-29T21:00:00Z") });
    await rows.insert("numbers_hour", { ...fact, hour: new Date("2026-03-29T22:00:00Z") });
    const range = {
      from_time: Date.parse("2026-03-27T23:00:00Z"),
      to_time: Date.parse("2026-03-30T22:00:00Z"),
    };
    const { series } = await numbersOf(agent_id, { ...range, step: "day", time_zone: "Europe/Berlin" });
    assert.deepEqual(
      series.map(({ time, conversations }) => [new Date(time).toISOString(), conversations]),
      [
        ["2026-03-27T23:00:00.000Z", 0],
        ["2026-03-28T23:00:00.000Z", 1],
        ["2026-03-29T22:00:00.000Z", 1],
      ],
    );
  });

  it("the CSV has the lines of the series, and marks no number as a formula", async () => {
    const made = await addAgent();
    await say(made, user(), agent("direct"));
    await sweep();
    const now = Date.now();
    const query = {
      agent_id: made.agentId,
      from_time: now - HOUR_MS,
      to_time: now + HOUR_MS,
      step: "hour" as const,
      time_zone: "UTC",
    };
    const [file, { series }] = [await exportNumbers({ db }, query), await numbersOf(made.agentId, query)];
    assert.ok(!(file instanceof Refusal));
    let text = "";
    for await (const chunk of file.chunks()) text += String(chunk);
    const [headings = "", ...lines] = text.slice(1).trimEnd().split("\r\n");
    const place = (name: string) => headings.split(",").indexOf(name);
    assert.deepEqual(
      lines.map((line) => line.split(",")).map((cells) => [cells[0], cells[place("answers_direct")]]),
      series.map(({ time, answers }) => [new Date(time).toISOString(), String(answers.direct)]),
    );
    assert.ok(!text.includes("'"));
  });

  it("somebody who counts keeps others from counting, and never makes them wait", async () => {
    const made = await addAgent();
    await say(made, user());
    await inTransaction(async (holder) => {
      await holder.query("select from numbers_sweep for update");
      await sweep();
      assert.equal((await totalsOf(made.agentId)).conversations, 0);
    });
    await sweep();
    assert.equal((await totalsOf(made.agentId)).conversations, 1);
  });
});
