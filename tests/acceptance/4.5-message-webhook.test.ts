import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeAgent, operatorOf, refusal } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import type { Bed } from "../support/bed.ts";
import type { ReceivedRequest } from "../support/receiver.ts";
import { atMost } from "../support/machine.ts";

const PASSWORD = { question: "How do I reset my password?", answer: "Click on Forgot." };
const HOURS = { question: "When do you open?", answer: "At nine." };

type Body = {
  user_id: string | null;
  anonymous_id: string | null;
  conversation_id: string;
  message_id: string;
  create_time: number;
  output: { from_component_branch: string; from_component_name: string; content: { text: string } }[];
  usage: unknown;
};

const bodyOf = (request: ReceivedRequest | undefined) => request?.body as Body;
const outputOf = (request: ReceivedRequest | undefined) => bodyOf(request).output[0];

describe("4.5 message webhook", () => {
  let bed: Bed;
  before(async () => {
    bed = await openBed();
  });
  after(() => bed[Symbol.asyncDispose]());

  it("the message webhook gets the answer of a QA_TEXT document in exactly the body of 2.5", async () => {
    const agent = await makeAgent(bed, { qaList: [HOURS, PASSWORD] });
    const conversationId = await agent.converse({ user_id: "customer-7", anonymous_id: "device-3" });
    const askedAt = Date.now();
    const userMessageId = await agent.ask(conversationId, "how to reset my password");
    const [request] = await agent.arrivals(1);
    assert.deepEqual([request?.method, request?.headers["content-type"]], ["POST", "application/json"]);

    const { message_id, create_time, ...rest } = bodyOf(request);
    assert.match(message_id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.notEqual(message_id, userMessageId);
    assert.ok(
      create_time >= askedAt && create_time <= Date.now(),
      `milliseconds of this moment: ${create_time}`,
    );
    assert.deepStrictEqual(rest, {
      user_id: "customer-7",
      anonymous_id: "device-3",
      conversation_id: conversationId,
      output: [
        {
          from_component_branch: "direct",
          from_component_name: "Answer",
          content: { text: "Click on Forgot.", audio: [] },
        },
      ],
      usage: {
        tokens: {
          total_tokens: 0,
          prompt_tokens: 0,
          completion_tokens: 0,
          prompt_tokens_details: { audio_tokens: 0, text_tokens: 0 },
          completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, text_tokens: 0 },
        },
        credits: {
          total_credits: 0,
          text_input_credits: 0,
          text_output_credits: 0,
          audio_input_credits: 0,
          audio_output_credits: 0,
        },
      },
    });
  });

  it("the message webhook gets null for an anonymous id that was never given", async () => {
    const agent = await makeAgent(bed);
    await agent.ask(await agent.converse({ user_id: "customer-8" }), "hello");
    const { user_id, anonymous_id } = bodyOf((await agent.arrivals(1))[0]);
    assert.deepEqual([user_id, anonymous_id], ["customer-8", null]);
  });

  it("the message webhook gets one answer per message, in order, numbered from 1", async () => {
    const agent = await makeAgent(bed, { qaList: [HOURS, PASSWORD] });
    const conversationId = await agent.converse();
    for (const text of ["When do you open?", "reset my password", "When do you open?"])
      await agent.ask(conversationId, text);
    const requests = await agent.arrivals(3);
    assert.deepEqual(
      requests.map((request) => [request.headers["signalbox-sequence"], outputOf(request)?.content.text]),
      [
        ["1", "At nine."],
        ["2", "Click on Forgot."],
        ["3", "At nine."],
      ],
    );
    assert.equal(new Set(requests.map(({ headers }) => headers["webhook-id"])).size, 3);
    const ids = requests.map(({ body }) => (body as { message_id: string }).message_id);
    assert.equal(new Set(ids).size, 3, "each has a message_id of its own");
    for (const { headers } of requests) {
      assert.deepEqual(
        [headers["signalbox-event"], headers["signalbox-sender"], headers["signalbox-attempt"]],
        ["message", "ai", "1"],
      );
    }
    const other = await agent.converse();
    await agent.ask(other, "When do you open?");
    assert.equal((await agent.arrivals(4))[3]?.headers["signalbox-sequence"], "1");
  });

  it("sending in webhook mode returns the conversation and message ids at once, and nothing else", async () => {
    const agent = await makeAgent(bed);
    agent.respond(() => ({ delayMs: 2_000 }));
    const conversation_id = await agent.converse();
    const begun = performance.now();
    const reply = await agent.client.conversations.sendMessage({
      conversation_id,
      response_mode: "webhook",
      messages: [{ role: "user", content: [{ type: "text", text: "hello" }] }],
    });
    atMost(performance.now() - begun, 1_500, "the caller, who does not wait for the developer");
    assert.deepEqual(Object.keys(reply), ["conversation_id", "message_id"]);
    assert.equal(reply.conversation_id, conversation_id);
    await agent.arrivals(1);
  });

  it("a webhook username alone is sent as Bearer token", async () => {
    const agent = await makeAgent(bed, { webhook: { username: "developer-7" } });
    await agent.ask(await agent.converse(), "hello");
    assert.equal((await agent.arrivals(1))[0]?.headers["authorization"], "Bearer developer-7");
  });

  it("a webhook username and secret are sent as HTTP Basic", async () => {
    const agent = await makeAgent(bed, { webhook: { username: "developer-7", secret: "pass:word ~" } });
    await agent.ask(await agent.converse(), "hello");
    const authorization = (await agent.arrivals(1))[0]?.headers["authorization"] ?? "";
    assert.match(authorization, /^Basic /);
    assert.equal(Buffer.from(authorization.slice(6), "base64").toString(), "developer-7:pass:word ~");
  });

  it("no Authorization header is sent without webhook credentials", async () => {
    const agent = await makeAgent(bed, { webhook: { username: "developer-7", secret: "word" } });
    await operatorOf(bed).webhooks.set({
      agent_id: agent.agentId,
      url: agent.webhookUrl,
      username: null,
      secret: null,
    });
    await agent.ask(await agent.converse(), "hello");
    const [request] = await agent.arrivals(1);
    assert.equal(
      request?.rawHeaders.some(([name]) => name.toLowerCase() === "authorization"),
      false,
    );
  });

  it("the agent's own fallback text is sent without a match, or the service's in the agent's language", async () => {
    const settings = [
      [{ fallback_text: "Please call us." }, "Please call us."],
      [{ language: "en" }, "I couldn't find an answer to that. Could you rephrase it?"],
      [{ language: "zh-CN" }, "抱歉，我没有找到相关答案。您可以换个说法再问一次吗？"],
    ] as const;
    for (const [setting, text] of settings) {
      const agent = await makeAgent(bed, { ...setting, qaList: [HOURS] });
      await agent.ask(await agent.converse(), "Do giraffes sleep standing?");
      const output = outputOf((await agent.arrivals(1))[0]);
      assert.deepEqual([output?.from_component_branch, output?.content.text], ["fallback", text]);
    }
  });

  it("a Chinese question is answered from a pair that asks the same in other words", async () => {
    const agent = await makeAgent(bed, {
      qaList: [
        { question: "你们的营业时间是什么？", answer: "每天九点到六点。" },
        { question: "怎么重置我的密码？", answer: "点击“忘记密码”。" },
      ],
    });
    await agent.ask(await agent.converse(), "我的密码怎么重置");
    const output = outputOf((await agent.arrivals(1))[0]);
    assert.deepEqual([output?.from_component_branch, output?.content.text], ["direct", "点击“忘记密码”。"]);
  });

  it("an answer never comes from another agent's knowledge", async () => {
    await makeAgent(bed, { qaList: [PASSWORD] });
    const agent = await makeAgent(bed, { qaList: [HOURS] });
    await agent.ask(await agent.converse(), PASSWORD.question);
    assert.equal(outputOf((await agent.arrivals(1))[0])?.from_component_branch, "fallback");
  });

  it("webhook mode without a configured webhook is refused, naming the setting", async () => {
    const agent = await makeAgent(bed, { webhook: false });
    const conversationId = await agent.converse();
    const { status, code, message } = await refusal(agent.ask(conversationId, "hello"));
    assert.deepEqual([status, code], [400, 40000]);
    assert.match(message, /message webhook; configure one for this agent/);
    const operator = operatorOf(bed);
    await operator.webhooks.set({ agent_id: agent.agentId, url: agent.webhookUrl });
    await agent.ask(conversationId, "hello");
    await agent.arrivals(1);
    await operator.webhooks.delete({ agent_id: agent.agentId });
    assert.equal((await refusal(agent.ask(conversationId, "hello"))).code, 40000);
  });

  it("a conversation of another agent is refused like one that does not exist", async () => {
    const agent = await makeAgent(bed);
    const foreign = await (await makeAgent(bed)).converse();
    const refused = await refusal(agent.ask(foreign, "hello"));
    assert.deepEqual([refused.status, refused.code], [403, 40356]);
    assert.deepEqual(await refusal(agent.ask("0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21", "hello")), refused);
  });

  it("a blank message is refused", async () => {
    const agent = await makeAgent(bed);
    assert.equal((await refusal(agent.ask(await agent.converse(), "  "))).code, 40000);
    assert.deepEqual(agent.arrived(), []);
  });
});
