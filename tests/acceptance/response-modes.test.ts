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
const SAID = "The saw has a warranty of 24 months [1]. For all 24 months the warranty of the saw holds [1].";
const HEARD = "The saw has a warranty of 24 months. For all 24 months the warranty of the saw holds.";

describe("response modes", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let model: ModelServer;
  let agent: MadeAgent;

  before(async () => {
    model = open.use(await startModelServer());
    bed = open.use(await openBed({ apis: 2, workers: 1 }));
    agent = await makeAgent(bed, { qaList: PAIRS, fallback_text: "Please call us." });
    await operatorOf(bed).models.setChat({
      agent_id: agent.agentId,
      url: model.url,
      model: "talker",
      timeout_seconds: 5,
    });
  });
  after(() => open.disposeAsync());

  async function block(conversation_id: string, content: string): Promise<BlockingReply> {
    const messages = [{ role: "user" as const, content }];
    const reply = await agent.client.conversations.sendMessage({
      conversation_id,
      response_mode: "blocking",
      messages,
    });
    return BlockingReply.parse(reply);
  }
  const wordsOf = ({ output }: BlockingReply) => output.map(({ content }) => content.text).join();
  const stream = (conversationId: string, text: string, headers = {}) =>
    streamMessage({ baseUrl: bed.baseUrl, apiKey: agent.apiKey }, conversationId, text, headers);

  async function history(conversation_id: string): Promise<string[]> {
    const { conversation_content, total } = await agent.client.conversations.listMessages({
      conversation_id,
    });
    assert.equal(total, conversation_content.length);
    return conversation_content.map(({ role, content }) => {
      const [said] = content;
      const text = said?.branch_content.map((part) => (part.type === "text" ? part.text : part.type)).join();
      return [role, said?.from_component_branch, text].filter(Boolean).join(": ");
    });
  }

  it("blocking: the call returns the reply with its cost, and the webhook gets nothing", async () => {
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
    const reply = await other.client.conversations.sendMessage({ ...request, response_mode: "blocking" });
    assert.equal(wordsOf(BlockingReply.parse(reply)), "The warranty of the saw is 24 months.");
    const refused = await refusal(
      other.client.conversations.sendMessage({ ...request, response_mode: "webhook" }),
    );
    assert.equal(refused.code, 40000);
  });

  it("blocking and streaming: similar questions are offered beside the reply, and a number chooses one", async () => {
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
    const chosen = await ask(conversation, "the second one");
    const right = PAIRS.find(({ question }) => question === questions[1])?.answer;
    assert.deepEqual([wordsOf(chosen.reply), chosen.suggestions], [right, null]);
    assert.deepEqual((await operatorOf(bed).unanswered.list({ agent_id: unsure.agentId })).list, []);

    const events = await (await streamMessage(at, await unsure.converse(), "the saw", {})).events();
    assert.deepEqual(
      events.map(({ message }) => message).filter((name, index, all) => name !== all[index - 1]),
      ["MessageInfo", "Text", "FlowOutput", "Suggestions", "Cost", "End"],
    );
    assert.deepEqual(events.find(({ code }) => code === 12)?.data, questions);
  });

  it("what users typed before choosing an offered question becomes its alternate when an operator approves it", async () => {
    const operator = operatorOf(bed);
    const unsure = await makeAgent(bed, { qaList: PAIRS });
    const { agentId: agent_id } = unsure;
    const say = async (conversation_id: string, content: string) => {
      const messages = [{ role: "user" as const, content }];
      const request = { conversation_id, response_mode: "blocking" as const, messages };
      return wordsOf(BlockingReply.parse(await unsure.client.conversations.sendMessage(request)));
    };
    const chooseAfter = async (typed: string, choose: (questions: string[]) => string) => {
      const conversation = await unsure.converse();
      const [, ...lines] = (await say(conversation, typed)).split("\n");
      assert.equal(lines.length, PAIRS.length, "all are offered");
      const questions = lines.map((line) => line.slice("1. ".length));
      return { questions, answer: await say(conversation, choose(questions)) };
    };
    const { questions, answer } = await chooseAfter("the saw", () => "2");
    // A button of the widget sends the words themselves.
    await chooseAfter("The saw!", () => questions[1] ?? "");
    await chooseAfter("the saw", () => "never mind");
    await chooseAfter("the saw", () => "the first one");

    const listed = async () => (await operator.alternates.list({ agent_id })).list;
    const [other, typed, ...more] = await listed();
    assert.deepEqual(more, []);
    assert.partialDeepStrictEqual(typed, { alternate: "The saw!", question: questions[1], chosen: 2 });
    assert.partialDeepStrictEqual(other, { alternate: "the saw", question: questions[0], chosen: 1 });
    const [approved, rejected] = [typed, other].map((proposed) => ({
      agent_id,
      alternate_id: proposed?.alternate_id ?? "",
    }));
    for (const _ of ["once", "twice"]) await operator.alternates.approve(approved!);
    assert.equal((await refusal(operator.alternates.reject(approved!))).code, 40900, "it is knowledge");
    assert.equal(await say(await unsure.converse(), "The saw"), answer, "answered at once");
    const { list: pairs } = await unsure.client.knowledge.listPairs({ doc_id: typed?.doc_id ?? "" });
    const [asked] = pairs.filter(({ question }) => question === questions[1]);
    assert.deepEqual(asked?.keywords, ["The saw!"]);

    await unsure.client.knowledge.update({
      doc_id: typed?.doc_id ?? "",
      qaList: [{ question: "Where are you?", answer: "Here." }],
    });
    const late = await refusal(operator.alternates.approve(rejected!));
    assert.deepEqual([late.code, /reject this alternate/.test(late.message)], [40900, true]);
    await operator.alternates.reject(rejected!);
    assert.equal((await refusal(operator.alternates.reject(rejected!))).code, 40401);
    assert.deepEqual(await listed(), []);
    const { list: audit } = await operator.audit.list({ agent_id });
    const counted = (action: string) => audit.filter((entry) => entry.action === action).length;
    const actions = ["alternate.approve", "alternate.reject", "proposed_alternates.read"];
    assert.deepEqual(actions.map(counted), [1, 1, 1]);
    assert.doesNotMatch(JSON.stringify(audit), /saw/i, "no words of users");
  });

  it("what was typed before choosing an offered question is exported with its user and erased with the conversation", async () => {
    const qaList = ["shoes", "jackets"].map((thing) => ({
      question: `How do I return ${thing}?`,
      answer: `${thing} go back by post.`,
    }));
    const operator = operatorOf(bed);
    const shop = await makeAgent(bed, { qaList });
    const { agentId: agent_id } = shop;
    for (const user_id of ["ada", "grace"]) {
      const conversation_id = await shop.converse({ user_id });
      for (const content of ["return", "1"])
        await shop.client.conversations.sendMessage({
          conversation_id,
          response_mode: "blocking",
          messages: [{ role: "user", content }],
        });
    }
    const proposed = async () => (await operator.alternates.list({ agent_id })).list;
    const chosen = async () => (await proposed()).map((one) => [one.alternate, one.chosen]);
    assert.deepEqual(await chosen(), [["return", 2]]);
    const { conversations } = await operator.users.export({ agent_id, user_id: "ada" });
    const [offer] = conversations[0]?.offers ?? [];
    assert.equal(offer?.question, "return");
    assert.deepEqual(offer?.offered.toSorted(), qaList.map(({ question }) => question).toSorted());
    const erase = async (user_id: string) => {
      const { erasure_id } = await operator.users.erase({ agent_id, user_id });
      const isFinished = async () => (await operator.users.getErasure({ erasure_id })).state === "finished";
      await eventually("the erasure is finished", isFinished, { timeoutMs: 30_000 });
    };
    await erase("ada");
    assert.deepEqual(await chosen(), [["return", 1]]);
    await operator.alternates.approve({
      agent_id,
      alternate_id: (await proposed())[0]?.alternate_id ?? "",
    });
    await erase("grace");
    assert.deepEqual(
      await bed.database.query("select from question_offer where agent_id = $1", [agent_id]),
      [],
    );
  });

  it("streaming: events are id, text as it is generated, the whole, its sources, the cost and the end", async () => {
    model.next({ say: SAID, pieceEveryMs: 60 });
    const [conversation, before] = [await agent.converse(), agent.arrived().length];
    const reply = await stream(conversation, VAGUE);
    assert.deepEqual([reply.status, reply.contentType], [200, "text/event-stream; charset=utf-8"]);
    const events = await reply.events();
    assert.deepEqual(
      events.map(({ message }) => message).filter((name, at, all) => name !== all[at - 1]),
      ["MessageInfo", "Text", "FlowOutput", "Sources", "Cost", "End"],
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
    // One behind it in webhook mode would be delivered after it.
    await agent.ask(conversation, KNOWN);
    const [told] = (await agent.arrivals(before + 1)).slice(before);
    assert.match(JSON.stringify(told?.body), /is 24 months/, "the webhook gets nothing of the stream");
  });

  it("streaming: an unsupported model answer is followed by the supporting pair", async () => {
    model.next({ say: "The warranty of the saw is 36 months [1]." });
    const events = await (await stream(await agent.converse(), VAGUE)).events();
    assert.equal(textOf(events).includes("36"), false);
    const whole = events.find(({ code }) => code === 10);
    assert.match(JSON.stringify(whole?.data), /"branch":"direct"/);
  });

  it("streaming: a disconnect ends the model's work, and the conversation continues", async () => {
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

  it("messages of one conversation are answered in order, whatever their modes and nodes", async () => {
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

  it("a message that waits for its turn is answered by the settings in force when its turn begins", async () => {
    const { agentId: agent_id } = agent;
    const conversation = await agent.converse();
    const asked = model.requests.length;
    const released = Promise.withResolvers<void>();
    model.answer(async ({ body }) => {
      if (JSON.stringify(body).includes("lawn mowers")) return { say: "NO_ANSWER" };
      await released.promise;
      return { say: SAID };
    });
    const first = block(conversation, VAGUE);
    await eventually("the model is asked", async () => model.requests.length > asked || undefined);
    const second = block(conversation, "Do you sell lawn mowers?");
    await eventually(
      "the second message is accepted",
      async () => (await history(conversation)).length === 2 || undefined,
    );
    await operatorOf(bed).agents.update({ agent_id, fallback_text: "Please write to us." });
    released.resolve();
    assert.equal(wordsOf(await first), HEARD);
    assert.equal(wordsOf(await second), "Please write to us.");
    await operatorOf(bed).agents.update({ agent_id, fallback_text: "Please call us." });
  });

  it("a call repeated with its key is answered alike and stored once", async () => {
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

  it("a reply has one create_time in the call, the webhook and the history", async () => {
    const conversation_id = await agent.converse();
    const direct = await block(conversation_id, KNOWN);
    const before = agent.arrived().length;
    await agent.ask(conversation_id, KNOWN);
    const { body } = (await agent.arrivals(before + 1)).at(-1) ?? {};
    const delivered = AgentResponseMessage.parse(body);
    const { conversation_content } = await agent.client.conversations.listMessages({ conversation_id });
    const kept = new Map(conversation_content.map((said) => [said.message_id, said.create_time]));
    for (const { message_id, create_time } of [direct, delivered])
      assert.equal(kept.get(message_id), create_time);
  });

  it("blocking and streaming: a user who asks for a human is told that nobody can join, and a call during a handoff is refused", async () => {
    const other = await makeAgent(bed, { qaList: PAIRS });
    const place = `/desks/${other.agentId}`;
    await other.component({ url: `${bed.receiver.url}${place}` });
    const establishes = () =>
      bed.receiver.requests.filter(({ path }) => path === `${place}/conversation/establish`);
    const conversation_id = await other.converse();
    const messages = [{ role: "user" as const, content: "I want to talk to a human" }];
    const told = await other.client.conversations.sendMessage({
      conversation_id,
      response_mode: "blocking",
      messages,
    });
    assert.match(wordsOf(BlockingReply.parse(told)), /can't join this chat/);
    assert.equal((await other.client.handoffs.get({ conversation_id })).handoff, null);

    // The notice is the service's own: neither the model nor the desk is told that the agent said it.
    await operatorOf(bed).models.setChat({ agent_id: other.agentId, url: model.url, model: "talker" });
    model.next({ say: SAID });
    const asked = model.requests.length;
    const vague = [{ role: "user" as const, content: VAGUE }];
    await other.client.conversations.sendMessage({
      conversation_id,
      response_mode: "blocking",
      messages: vague,
    });
    const prompt = model.requests[asked]?.body.messages?.[1]?.content ?? "";
    assert.match(prompt, /talk to a human/);
    assert.doesNotMatch(prompt, /can't join this chat/);
    await other.client.handoffs.request({ conversation_id });
    await bed.receiver.waitFor(() => establishes().length > 0, 20_000);
    assert.deepEqual(
      EstablishHandoff.parse(establishes()[0]?.body).body.map(({ text }) => text),
      ["I want to talk to a human", VAGUE, HEARD],
    );
    const { conversations } = other.client;
    for (const ask of [
      () => conversations.sendMessage({ conversation_id, response_mode: "blocking", messages }),
      () => conversations.streamMessage({ conversation_id, messages }).text(),
    ])
      assert.equal((await refusal(ask())).code, 40900);
  });
});
