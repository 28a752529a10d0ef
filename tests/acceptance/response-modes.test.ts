import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { AgentResponseMessage, BlockingReply, EstablishHandoff } from "@signalbox/contract";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";
import { streamMessage, textOf } from "../support/streamed-reply.ts";
import { JSON_TYPE } from "../support/wire.ts";

const PAIRS = [
  { question: "How long is the warranty of the saw?", answer: "The warranty of the saw is 24 months." },
  { question: "Which oil does the saw need?", answer: "The saw needs chain oil, about 50 ml an hour." },
];
const KNOWN = PAIRS[0]?.question ?? "";
/** Near enough to be an answer, too far to be given word for word. */
const VAGUE = "tell me about the saw warranty please";
const SAID = "The saw has a warranty of 24 months [1]. Keep the paper that came with it, please [1].";
const HEARD = "The saw has a warranty of 24 months. Keep the paper that came with it, please.";

describe("response modes", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let model: ModelServer;
  let agent: MadeAgent;

  before(async () => {
    model = open.use(await startModelServer());
    bed = open.use(await openBed({ apis: 2, workers: 1 }));
    agent = await makeAgent(bed, { qaList: PAIRS, fallback_text: "Please call us." });
    await operatorOf(bed).setChatModel({
      agent_id: agent.agentId,
      url: model.url,
      model: "talker",
      timeout_seconds: 5,
    });
  });
  after(() => open.disposeAsync());

  async function block(conversation_id: string, content: string): Promise<BlockingReply> {
    const messages = [{ role: "user" as const, content }];
    const reply = await agent.client.sendMessage({ conversation_id, response_mode: "blocking", messages });
    return BlockingReply.parse(reply);
  }
  const wordsOf = ({ output }: BlockingReply) => output.map(({ content }) => content.text).join();
  const stream = (conversationId: string, text: string, headers = {}) =>
    streamMessage({ baseUrl: bed.baseUrl, apiKey: agent.apiKey }, conversationId, text, headers);

  async function history(conversation_id: string): Promise<string[]> {
    const { conversation_content, total } = await agent.client.listMessages({ conversation_id });
    assert.equal(total, conversation_content.length);
    return conversation_content.map(({ role, content }) => {
      const [said] = content;
      const text = said?.branch_content.map((part) => (part.type === "text" ? part.text : part.type)).join();
      return [role, said?.from_component_branch, text].filter(Boolean).join(": ");
    });
  }

  it("blocking: the answer to the call is the reply, with what it cost, and the webhook hears nothing", async () => {
    const before = agent.arrived().length;
    const conversation = await agent.converse();
    const direct = await block(conversation, KNOWN);
    assert.equal(direct.conversation_id, conversation);
    assert.equal(direct.output[0]?.from_component_branch, "direct");
    assert.equal(wordsOf(direct), "The warranty of the saw is 24 months.");
    model.next({ say: SAID, usage: { prompt_tokens: 30, completion_tokens: 5 } });
    const modelled = await block(conversation, VAGUE);
    assert.equal(wordsOf(modelled), HEARD);
    assert.equal(modelled.usage.tokens.total_tokens, 35);
    assert.deepEqual(await history(conversation), [
      `user: ${KNOWN}`,
      "assistant: direct: The warranty of the saw is 24 months.",
      `user: ${VAGUE}`,
      `assistant: model: ${HEARD}`,
    ]);
    assert.equal(agent.arrived().length, before);
  });

  it("blocking and streaming need no message webhook", async () => {
    const other = await makeAgent(bed, { qaList: PAIRS, webhook: false });
    const request = {
      conversation_id: await other.converse(),
      messages: [{ role: "user" as const, content: KNOWN }],
    };
    const reply = await other.client.sendMessage({ ...request, response_mode: "blocking" });
    assert.equal(wordsOf(BlockingReply.parse(reply)), "The warranty of the saw is 24 months.");
    const refused = await refusal(other.client.sendMessage({ ...request, response_mode: "webhook" }));
    assert.equal(refused.code, 40000);
  });

  it("blocking and streaming: what may be meant is offered beside the reply; a number chooses it", async () => {
    const unsure = await makeAgent(bed, { qaList: PAIRS });
    const at = { baseUrl: bed.baseUrl, apiKey: unsure.apiKey };
    const ask = async (conversation_id: string, content: string, headers: Record<string, string> = {}) => {
      const response = await fetch(`${bed.baseUrl}/v2/conversation/message`, {
        method: "POST",
        headers: { ...JSON_TYPE, authorization: `Bearer ${unsure.apiKey}`, ...headers },
        body: JSON.stringify({
          conversation_id,
          response_mode: "blocking",
          messages: [{ role: "user", content }],
        }),
      });
      const suggestions = JSON.parse(response.headers.get("signalbox-suggestions") ?? "null") as unknown;
      return { reply: BlockingReply.parse(await response.json()), suggestions };
    };
    const conversation = await unsure.converse();
    const headers = { "idempotency-key": randomUUID() };
    const offer = await ask(conversation, "the saw", headers);
    const questions = offer.suggestions as string[];
    assert.deepEqual(questions.toSorted(), PAIRS.map(({ question }) => question).toSorted());
    assert.equal(offer.reply.output[0]?.from_component_branch, "fallback");
    assert.deepEqual(
      wordsOf(offer.reply).split("\n").slice(1),
      questions.map((question, index) => `${index + 1}. ${question}`),
    );
    // A repeat is the same answer, with the same header.
    assert.deepEqual(await ask(conversation, "the saw", headers), offer);
    const chosen = await ask(conversation, "2");
    const right = PAIRS.find(({ question }) => question === questions[1])?.answer;
    assert.deepEqual([wordsOf(chosen.reply), chosen.suggestions], [right, null]);
    assert.deepEqual((await operatorOf(bed).listUnansweredQuestions({ agent_id: unsure.agentId })).list, []);

    const events = await (await streamMessage(at, await unsure.converse(), "the saw", {})).events();
    assert.deepEqual(
      events.map(({ message }) => message).filter((name, index, all) => name !== all[index - 1]),
      ["MessageInfo", "Text", "FlowOutput", "Suggestions", "Cost", "End"],
    );
    assert.deepEqual(events.find(({ code }) => code === 12)?.data, questions);
  });

  it("streaming: id, text as it is made, the whole, the cost, the end", async () => {
    model.next({ say: SAID, pieceEveryMs: 60 });
    const reply = await stream(await agent.converse(), VAGUE);
    assert.deepEqual([reply.status, reply.contentType], [200, "text/event-stream; charset=utf-8"]);
    const events = await reply.events();
    assert.deepEqual(
      events.map(({ message }) => message).filter((name, at, all) => name !== all[at - 1]),
      ["MessageInfo", "Text", "FlowOutput", "Cost", "End"],
    );
    assert.equal(textOf(events), HEARD);
    const texts = events.filter(({ code }) => code === 3);
    assert.ok(texts.length > 3, `${texts.length} pieces`);
    const spread = (texts.at(-1)?.atMs ?? 0) - (texts[0]?.atMs ?? 0);
    assert.ok(spread > 150, `all pieces came within ${spread} ms`);
    const whole = events.find(({ code }) => code === 10);
    assert.deepEqual(whole?.data, [
      { content: { text: HEARD, audio: [] }, branch: "model", from_component_name: "Answer" },
    ]);
  });

  it("streaming: a model whose words are not borne out is followed by the pair that is", async () => {
    model.next({ say: "The warranty of the saw is 36 months [1]." });
    const events = await (await stream(await agent.converse(), VAGUE)).events();
    assert.equal(textOf(events).includes("36"), false);
    const whole = events.find(({ code }) => code === 10);
    assert.match(JSON.stringify(whole?.data), /"branch":"direct"/);
  });

  it("streaming: who leaves ends the model's work, and the conversation goes on", async () => {
    const conversation = await agent.converse();
    const before = model.brokenOff();
    model.next({ say: SAID.repeat(20), pieceEveryMs: 40 });
    await (await stream(conversation, VAGUE)).leaveAfter(3);
    await eventually("the model's server sees it", async () => model.brokenOff() > before || undefined);
    assert.equal(wordsOf(await block(conversation, KNOWN)), "The warranty of the saw is 24 months.");
    assert.deepEqual(await history(conversation), [
      `user: ${VAGUE}`,
      `user: ${KNOWN}`,
      "assistant: direct: The warranty of the saw is 24 months.",
    ]);
  });

  it("messages of one conversation are answered in their order, whatever their modes and nodes", async () => {
    const conversation = await agent.converse();
    const before = agent.arrived().length;
    model.next({ say: SAID, pieceEveryMs: 30 });
    const streamed = await stream(conversation, VAGUE);
    await agent.ask(conversation, KNOWN);
    const blocked = await block(conversation, "Which oil does the saw need?");
    assert.equal(textOf(await streamed.events()), HEARD);
    assert.match(wordsOf(blocked), /chain oil/);
    await agent.arrivals(before + 1);
    const replies = (await history(conversation)).filter((line) => line.startsWith("assistant"));
    assert.deepEqual(replies, [
      `assistant: model: ${HEARD}`,
      "assistant: direct: The warranty of the saw is 24 months.",
      "assistant: direct: The saw needs chain oil, about 50 ml an hour.",
    ]);
  });

  it("a call that is repeated with its key is answered alike and said once", async () => {
    const conversation = await agent.converse();
    const key = randomUUID();
    const call = () =>
      fetch(`${bed.baseUrl}/v2/conversation/message`, {
        method: "POST",
        headers: { ...JSON_TYPE, authorization: `Bearer ${agent.apiKey}`, "idempotency-key": key },
        body: JSON.stringify({
          conversation_id: conversation,
          response_mode: "blocking",
          messages: [{ role: "user", content: KNOWN }],
        }),
      }).then((response) => response.json());
    const [first, second] = await Promise.all([call(), call()]);
    assert.deepEqual(second, first);
    assert.deepEqual(await call(), first);
    assert.equal((await history(conversation)).length, 2);
  });

  it("a reply has one create_time, whoever tells it: the call, the webhook and what is read back", async () => {
    const conversation_id = await agent.converse();
    const direct = await block(conversation_id, KNOWN);
    const before = agent.arrived().length;
    await agent.ask(conversation_id, KNOWN);
    const { body } = (await agent.arrivals(before + 1)).at(-1) ?? {};
    const delivered = AgentResponseMessage.parse(body);
    const { conversation_content } = await agent.client.listMessages({ conversation_id });
    const kept = new Map(conversation_content.map((said) => [said.message_id, said.create_time]));
    for (const { message_id, create_time } of [direct, delivered])
      assert.equal(kept.get(message_id), create_time);
  });

  it("who asks for a person is told that nobody can join here, and while a person holds it the call is refused", async () => {
    const other = await makeAgent(bed, { qaList: PAIRS });
    const place = `/desks/${other.agentId}`;
    await other.component({ url: `${bed.receiver.url}${place}` });
    const establishes = () =>
      bed.receiver.requests.filter(({ path }) => path === `${place}/conversation/establish`);
    const conversation_id = await other.converse();
    const messages = [{ role: "user" as const, content: "I want to talk to a human" }];
    const told = await other.client.sendMessage({ conversation_id, response_mode: "blocking", messages });
    assert.match(wordsOf(BlockingReply.parse(told)), /can't join this chat/);
    assert.equal((await other.client.getHandoff({ conversation_id })).handoff, null);

    // The notice is the service's own: neither the model nor the desk is told that the agent said it.
    await operatorOf(bed).setChatModel({ agent_id: other.agentId, url: model.url, model: "talker" });
    model.next({ say: SAID });
    const asked = model.requests.length;
    const vague = [{ role: "user" as const, content: VAGUE }];
    await other.client.sendMessage({ conversation_id, response_mode: "blocking", messages: vague });
    const prompt = model.requests[asked]?.body.messages?.[1]?.content ?? "";
    assert.match(prompt, /talk to a human/);
    assert.doesNotMatch(prompt, /can't join this chat/);
    await other.client.requestHandoff({ conversation_id });
    await bed.receiver.waitFor(() => establishes().length > 0, 20_000);
    assert.deepEqual(
      EstablishHandoff.parse(establishes()[0]?.body).body.map(({ text }) => text),
      ["I want to talk to a human", VAGUE, HEARD],
    );
    for (const response_mode of ["blocking", "streaming"] as const) {
      const refused = await refusal(other.client.sendMessage({ conversation_id, response_mode, messages }));
      assert.equal(refused.code, 40900);
    }
  });
});
