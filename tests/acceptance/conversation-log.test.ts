import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { ConversationEntry, RequestOf } from "@signalbox/contract";
import type { Client } from "@signalbox/sdk";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { makeDesk } from "../support/desk.ts";
import { personAt } from "../support/inbox.ts";
import { eventually } from "../support/processes.ts";

const HOURS = { question: "When do you open?", answer: "At nine." };

describe("conversation log", () => {
  let bed: Bed;
  let operator: Client;
  before(async () => {
    bed = await openBed({ apis: 1, workers: 1 });
    operator = operatorOf(bed);
  });
  after(() => bed[Symbol.asyncDispose]());

  async function search(request: RequestOf<"searchConversations">): Promise<ConversationEntry[]> {
    const found: ConversationEntry[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await operator.conversations.search({
        ...request,
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.ok(page.list.length <= (request.limit ?? 50));
      found.push(...page.list);
      cursor = page.next_cursor;
    }
    return found;
  }
  const ids = async (request: RequestOf<"searchConversations">) =>
    (await search(request)).map(({ conversation_id }) => conversation_id);

  /** Says each, and waits until the agent has answered each. */
  async function converse(agent: MadeAgent, user_id: string, ...said: string[]): Promise<string> {
    const conversationId = await agent.converse({ user_id });
    for (const text of said) {
      const before = agent.arrived().length;
      await agent.ask(conversationId, text);
      await agent.arrivals(before + 1);
    }
    return conversationId;
  }

  it("conversations are listed newest first, page by page, each once, of one agent or of all", async () => {
    const [one, other] = [await makeAgent(bed), await makeAgent(bed)];
    const ofOne = [];
    for (let count = 0; count < 5; count += 1) ofOne.unshift(await one.converse());
    const ofOther = await other.converse();
    assert.deepEqual(await ids({ agent_id: one.agentId, limit: 2 }), ofOne);
    assert.deepEqual((await ids({ limit: 3 })).slice(0, 6), [ofOther, ...ofOne]);
    const [first] = await search({ agent_id: other.agentId });
    const { create_time, ...fields } = first ?? assert.fail("nothing was found");
    assert.ok(Math.abs(Date.now() - create_time) < 60_000);
    assert.deepEqual(fields, {
      conversation_id: ofOther,
      agent_id: other.agentId,
      channel: "api",
      user_id: "user-1",
      anonymous_id: null,
      control: "bot",
      epoch: 0,
      outcome: "empty",
      message_count: 0,
      is_redacted: false,
      last_message: null,
    });
  });

  it("conversations are filtered by user, outcome, speaker, channel and time", async () => {
    const { agent, ...desk } = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const agent_id = agent.agentId;
    const answered = await converse(agent, "ada", HOURS.question);
    const unanswered = await converse(agent, "grace", "Do you sell submarines in Antarctica?");
    const held = await agent.converse({ user_id: "ada" });
    await desk.connect(held);
    assert.deepEqual(await ids({ agent_id, user_id: "ada" }), [held, answered]);
    assert.deepEqual(await ids({ agent_id, anonymous_id: "nobody" }), []);
    assert.deepEqual(await ids({ agent_id, outcome: "answered" }), [answered]);
    assert.deepEqual(await ids({ agent_id, outcome: "unanswered" }), [unanswered]);
    assert.deepEqual(await ids({ agent_id, outcome: "with_human" }), [held]);
    assert.deepEqual(await ids({ agent_id, control: "human" }), [held]);
    assert.deepEqual(await ids({ agent_id, control: "bot", user_id: "ada" }), [answered]);
    assert.deepEqual(await ids({ agent_id, channel: "widget" }), []);
    const [last] = await search({ agent_id, user_id: "grace" });
    const began = last?.create_time ?? 0;
    assert.deepEqual(await ids({ agent_id, from_time: began, to_time: began + 1 }), [unanswered]);
    assert.deepEqual(await ids({ agent_id, to_time: began }), [answered]);
  });

  it("conversations are searched by words of their messages, also by prefixes and Chinese words", async () => {
    const agent = await makeAgent(bed);
    const agent_id = agent.agentId;
    const refund = await converse(agent, "ada", "I want a refund for order ABC-1234, please");
    const chinese = await converse(agent, "mei", "请问我的订单可以退款吗？", "谢谢");
    const find = (text: string) => ids({ agent_id, text });
    assert.deepEqual(await find("REFUND"), [refund]);
    assert.deepEqual(await find("order refu"), [refund]);
    assert.deepEqual(await find("abc-1234"), [refund]);
    assert.deepEqual(await find("refund spaceship"), []);
    assert.deepEqual(await find("退款"), [chinese]);
    assert.deepEqual(await find("款退"), []);
    assert.deepEqual(await find("订单 退款"), [chinese]);
    assert.deepEqual(await ids({ agent_id, text: "退款", user_id: "ada" }), []);
    assert.deepEqual(await find("' & | ! <-> :* %"), []);
    const another = await makeAgent(bed);
    assert.deepEqual(await ids({ agent_id: another.agentId, text: "refund" }), []);
    for (const narrowed of [{ text: "refund" }, { user_id: "ada" }, { anonymous_id: "device" }]) {
      const { code, message } = await refusal(operator.conversations.search(narrowed));
      assert.equal(code, 40000);
      assert.match(message, /agent_id is required when/);
    }
  });

  it("a list with the last message's beginning is audited as a read", async () => {
    const agent = await makeAgent(bed, { qaList: [HOURS] });
    const agent_id = agent.agentId;
    await converse(agent, "ada", HOURS.question);
    const reads = async () =>
      (await operator.audit.list({ agent_id })).list.filter(({ action }) => action === "conversations.read")
        .length;
    assert.equal((await search({ agent_id }))[0]?.last_message, null);
    assert.equal(await reads(), 0);
    const [shown] = await search({ agent_id, with_last_message: true });
    assert.deepEqual([shown?.last_message?.sender, shown?.last_message?.text], ["ai", "At nine."]);
    assert.equal(await reads(), 1);
    await search({ agent_id, text: "open" });
    assert.equal(await reads(), 1, "a repeat within ten minutes");
  });

  it("repeated reads of a conversation by one person are one audit entry within ten minutes, and another person's are another", async () => {
    const agent = await makeAgent(bed, { qaList: [HOURS] });
    const agent_id = agent.agentId;
    const talks = [await converse(agent, "ada", "Hello"), await converse(agent, "grace", "Hello")];
    const people = [
      await personAt(bed, { name: "Ann", role: "developer" }),
      await personAt(bed, { name: "Bob", role: "developer" }),
    ];
    const reads = async () => {
      const { list } = await operator.audit.list({ agent_id, limit: 100 });
      return list
        .filter(({ action }) => action === "conversation.read")
        .map(({ actor_name, subject_id }) => `${actor_name?.slice(0, 3)} ${talks.indexOf(subject_id ?? "")}`)
        .toSorted();
    };
    for (let round = 0; round < 3; round += 1)
      for (const { client } of people)
        for (const conversation_id of talks) await client.conversations.get({ agent_id, conversation_id });
    assert.deepEqual(await reads(), ["Ann 0", "Ann 1", "Bob 0", "Bob 1"]);
    await bed.database.query("update audit set at = at - interval '601 seconds' where agent_id = $1", [
      agent_id,
    ]);
    const [conversation_id = ""] = talks;
    for (let round = 0; round < 3; round += 1)
      await people[0]?.client.conversations.get({ agent_id, conversation_id });
    assert.deepEqual(await reads(), ["Ann 0", "Ann 0", "Ann 1", "Bob 0", "Bob 1"]);
  });

  it("a conversation is read as a timeline of messages, handoff steps and deliveries, and the read is audited", async () => {
    const { agent, ...desk } = await makeDesk(bed, { agent: { qaList: [HOURS] } });
    const agent_id = agent.agentId;
    const conversation_id = await converse(agent, "ada", HOURS.question);
    const handoffId = await desk.connect(conversation_id);
    await agent.ask(conversation_id, "Is anybody there?");
    await desk.arrived("chat");
    await desk.reply(handoffId, "Yes, I am.");
    await desk.close(handoffId);
    const whole = await eventually("everything is delivered", async () => {
      const read = await operator.conversations.get({ agent_id, conversation_id });
      return (
        read.list.every(
          (item) => item.kind === "rating" || item.deliveries.every(({ state }) => state === "delivered"),
        ) && read
      );
    });
    assert.deepEqual([whole.control, whole.epoch, whole.user_id], ["bot", 2, "ada"]);
    const story = whole.list.map((item) => {
      if (item.kind === "rating") return `rating: ${item.rating}`;
      const sent = item.deliveries.map(({ event }) => event).join();
      return item.kind === "message" ? `${item.sender}: ${item.text} [${sent}]` : `${item.step} [${sent}]`;
    });
    assert.deepEqual(
      story.filter((line) => !line.startsWith("system:")),
      [
        "user: When do you open? []",
        "ai: At nine. [message]",
        "requested [handoff_requested]",
        "user: Is anybody there? [user_message]",
        "joined []",
        "human: Yes, I am. [message]",
        "ended []",
      ],
    );
    const [asked, answer] = whole.list;
    assert.ok(asked?.kind === "message" && answer?.kind === "message");
    assert.equal(asked.epoch, 0);
    assert.equal(answer.in_reply_to, asked.message_id);
    assert.equal(answer.branch, "direct");

    const paged = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await operator.conversations.get({
        agent_id,
        conversation_id,
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      paged.push(...page.list);
      cursor = page.next_cursor;
    }
    assert.deepEqual(paged, whole.list);

    const { list } = await operator.audit.list({ agent_id });
    const read = list.find(({ action }) => action === "conversation.read");
    assert.deepEqual([read?.subject_id, read?.agent_id], [conversation_id, agent_id]);
    const elsewhere = (await makeAgent(bed)).agentId;
    const { code } = await refusal(operator.conversations.get({ agent_id: elsewhere, conversation_id }));
    assert.equal(code, 40401);
  });

  it("an operator who follows one agent is told its changed deliveries and conversations, and nothing of another agent", async () => {
    const [followed, other] = [
      await makeAgent(bed, { qaList: [HOURS] }),
      await makeAgent(bed, { qaList: [HOURS] }),
    ];
    const stopping = new AbortController();
    const heard = {
      agents: new Set<string>(),
      deliveries: new Set<string>(),
      conversations: new Set<string>(),
    };
    const opened = Promise.withResolvers<void>();
    const following = (async () => {
      const events = operator.service.followChanges(
        { agent_id: followed.agentId },
        { signal: stopping.signal },
      );
      for await (const { event, data } of events) {
        if (event === "ready") opened.resolve();
        else if (event === "changed") {
          heard.agents.add(data.agent_id);
          for (const id of data.delivery_ids) heard.deliveries.add(id);
          for (const id of data.conversation_ids) heard.conversations.add(id);
        }
      }
    })();
    await opened.promise;
    await converse(other, "user-1", HOURS.question);
    const conversationId = await converse(followed, "user-1", HOURS.question);
    const { list } = await operator.deliveries.list({ agent_id: followed.agentId });
    const deliveryId = list[0]?.delivery_id ?? assert.fail("nothing was delivered");
    await eventually(
      "both are told",
      () => heard.deliveries.has(deliveryId) && heard.conversations.has(conversationId),
      { timeoutMs: 30_000 },
    );
    assert.deepEqual([...heard.agents], [followed.agentId]);
    stopping.abort();
    await following;
    const { code } = await refusal(
      Array.fromAsync(operator.service.followChanges({ agent_id: "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21" })),
    );
    assert.equal(code, 40401);
  });
});
