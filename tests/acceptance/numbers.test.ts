import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Numbers, RequestOf } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";
import { makeAgent, operatorOf, refusal } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import { joinAs, ORIGIN } from "../support/members.ts";
import { eventually } from "../support/processes.ts";
import { sendRequest } from "../support/wire.ts";
import { openBrowser } from "./chat-browser.ts";

const HOUR_MS = 3_600_000;
/** From the commit to the figures: the lag of the first pass, the interval, and a slow machine. */
const COUNTED_WITHIN_MS = 120_000;
const KNOWN = [
  { question: "When do you open on Sundays?", answer: "At ten." },
  { question: "你们星期天几点开门？", answer: "十点。" },
];

describe("numbers", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed?.[Symbol.asyncDispose]());

  const range = () => ({ from_time: Date.now() - 2 * HOUR_MS, to_time: Date.now() + HOUR_MS });
  const numbersOf = (query: Partial<RequestOf<"getNumbers">>) =>
    operatorOf(bed).numbers.get({ ...range(), step: "hour", ...query });
  function counted(agent_id: string, isThere: (numbers: Numbers) => boolean): Promise<Numbers> {
    return eventually(
      "the figures are counted",
      async () => {
        const numbers = await numbersOf({ agent_id });
        return isThere(numbers) ? numbers : undefined;
      },
      { timeoutMs: COUNTED_WITHIN_MS },
    );
  }
  const blocking = async (client: Client, conversation_id: string, ...questions: string[]) => {
    for (const content of questions)
      await client.conversations.sendMessage({
        conversation_id,
        response_mode: "blocking",
        messages: [{ role: "user", content }],
      });
  };

  it("what happened is counted exactly once though workers count at the same time and one is killed", async () => {
    const desk = await makeDesk(bed, { agent: { qaList: KNOWN } });
    const { agent } = desk;
    const { agentId: agent_id, client } = agent;
    for (let at = 0; at < 6; at += 1)
      await blocking(
        client,
        await agent.converse(),
        "When do you open on Sundays?",
        "Who painted the ceiling of the old town hall?",
        "Thank you!",
      );
    await counted(agent_id, ({ totals }) => totals.conversations > 0);
    await bed.worker(0).kill9();
    for (let at = 0; at < 6; at += 1)
      await blocking(client, await agent.converse(), "When do you open on Sundays?");
    await bed.worker(0).start();
    const conversation = await desk.converse();
    const handoff = await desk.connect(conversation);
    await desk.reply(handoff, "Ada here. How can I help?");
    await desk.isIn(conversation, "active");
    await desk.close(handoff);
    await desk.isIn(conversation, "closed");

    const { totals, series } = await counted(
      agent_id,
      ({ totals }) => totals.resolution.count === 1 && totals.answers.direct >= 12,
    );
    assert.deepEqual(totals.answers, { direct: 12, suggestion: 0, model: 0, unanswered: 6, small_talk: 6 });
    assert.equal(totals.messages.user, 24);
    assert.equal(totals.messages.human, 1);
    assert.deepEqual(
      [totals.handoffs, totals.handoff_triggers.api, totals.handoff_ends.human_closed],
      [1, 1, 1],
    );
    assert.equal(totals.first_reply.count, 1);
    // As the log of conversations says it, message by message.
    const [said] = await bed.database.query<{ n: number; c: number }>(
      "select count(*)::integer as n, count(distinct conversation_id)::integer as c from message where agent_id = $1",
      [agent_id],
    );
    const all = (figures: typeof totals) => Object.values(figures.messages).reduce((sum, n) => sum + n, 0);
    assert.deepEqual([all(totals), totals.conversations], [said?.n, said?.c]);
    assert.equal(
      series.reduce((sum, one) => sum + all(one), 0),
      said?.n,
    );
  });

  it("figures are filtered by channel and language, and the CSV has the lines of the series", async () => {
    const agent = await makeAgent(bed, { qaList: KNOWN });
    const { agentId: agent_id } = agent;
    await blocking(agent.client, await agent.converse(), "When do you open on Sundays?");
    const { client: visitor } = await openBrowser(bed, agent);
    const { conversation_id } = await visitor.chats.begin();
    await visitor.chats.say({ conversation_id, text: "你们星期天几点开门？" });
    const { channels, languages } = await counted(
      agent_id,
      ({ totals }) => totals.conversations === 2 && totals.answers.direct === 2,
    );
    assert.deepEqual(channels.map(({ channel }) => channel).toSorted(), ["api", "widget"]);
    assert.deepEqual(languages.map(({ language }) => language).toSorted(), ["en", "zh"]);
    const chinese = await numbersOf({ agent_id, channel: "widget", language: "zh" });
    assert.deepEqual([chinese.totals.conversations, chinese.totals.answers.direct], [1, 1]);
    assert.equal((await numbersOf({ agent_id, channel: "api", language: "zh" })).totals.conversations, 0);

    const query = { agent_id, ...range(), step: "hour" as const, language: "zh" as const };
    const text = await (await operatorOf(bed).numbers.export(query)).text();
    const { series } = await operatorOf(bed).numbers.get(query);
    const [headings = [], ...lines] = text
      .replace("\uFEFF", "")
      .trimEnd()
      .split("\r\n")
      .map((line) => line.split(","));
    const column = (name: string) => lines.map((cells) => cells[headings.indexOf(name)]);
    assert.deepEqual(
      column("time"),
      series.map(({ time }) => new Date(time).toISOString()),
    );
    assert.deepEqual(
      column("conversations"),
      series.map(({ conversations }) => String(conversations)),
    );
    assert.deepEqual(
      column("answers_direct"),
      series.map(({ answers }) => String(answers.direct)),
    );
  });

  it("a member of another agent sees no figure and no question of this one", async () => {
    const [mine, theirs] = [await makeAgent(bed), await makeAgent(bed)];
    const member = await joinAs(bed, { role: "viewer", agentId: mine.agentId });
    const ask = async (path: string) => {
      const headers = { cookie: member.cookie, ...ORIGIN };
      return (await sendRequest(bed.baseUrl, { method: "GET", path, headers })).status;
    };
    const { from_time, to_time } = range();
    const times = `from_time=${from_time}&to_time=${to_time}`;
    assert.equal(await ask(`/admin/v1/numbers?${times}&agent_id=${mine.agentId}`), 200);
    assert.equal(await ask(`/admin/v1/agents/${mine.agentId}/top-questions?${times}`), 200);
    assert.equal(await ask(`/admin/v1/numbers?${times}&agent_id=${theirs.agentId}`), 404);
    assert.equal(await ask(`/admin/v1/numbers/export?${times}&agent_id=${theirs.agentId}`), 404);
    assert.equal(await ask(`/admin/v1/agents/${theirs.agentId}/top-questions?${times}`), 404);
    assert.equal(await ask(`/admin/v1/numbers?${times}`), 403);
  });

  it("questions asked in several conversations and questions without an answer are listed, masked", async () => {
    const agent = await makeAgent(bed, { webhook: false, qaList: KNOWN });
    const { agentId: agent_id, client } = agent;
    await blocking(client, await agent.converse(), "When do you open on Sundays?", "Hello!");
    await blocking(client, await agent.converse(), "when do you open on sundays", "Hello!");
    await blocking(client, await agent.converse(), "Where is the parcel of ann@example.org now?");
    const { asked, unanswered, is_partial } = await operatorOf(bed).numbers.listTopQuestions({
      agent_id,
      ...range(),
    });
    assert.deepEqual(asked, [{ question: "When do you open on Sundays?", asked: 2, phrasings: 1 }]);
    assert.deepEqual(
      unanswered.map(({ question }) => question),
      ["Where is the parcel of [email] now?"],
    );
    assert.equal(is_partial, false);
    const audited = await operatorOf(bed).audit.list({ agent_id });
    assert.ok(audited.list.some(({ action }) => action === "top_questions.read"));
  });

  it("a range that ends before it begins or is too long for its step is refused", async () => {
    const now = Date.now();
    for (const query of [
      { from_time: now, to_time: now - 1 },
      { from_time: now - 32 * 24 * HOUR_MS, to_time: now, step: "hour" as const },
      { from_time: now - 1, to_time: now, time_zone: "Nowhere/Land" },
    ])
      assert.equal((await refusal(operatorOf(bed).numbers.get(query))).code, 40000);
  });
});
