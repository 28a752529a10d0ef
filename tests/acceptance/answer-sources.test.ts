import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  AgentResponseMessage,
  BlockingReply,
  type AnswerSource,
  type ConversationConfig,
} from "@signalbox/contract";
import type { MessageStream } from "@signalbox/sdk";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";

const PAIRS = [
  { question: "How long is the warranty of the saw?", answer: "The warranty of the saw is 24 months." },
  { question: "Which oil does the saw need?", answer: "The saw needs chain oil, about 50 ml an hour." },
];
const [WARRANTY, OIL] = PAIRS.map(({ question }) => question) as [string, string];
/** Near enough to be an answer, too far to be given word for word. */
const VAGUE = "tell me about the saw warranty please";
const STRANGE = "Do you sell submarines in Antarctica?";
const MODES = ["blocking", "streaming", "webhook"] as const;

interface Answered {
  messageId: string;
  text: string;
  /** What came with the reply; undefined where its body is fixed. */
  sources: AnswerSource[] | undefined;
}

describe("sources of an answer", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let model: ModelServer;
  let agent: MadeAgent;

  before(async () => {
    model = open.use(await startModelServer());
    bed = open.use(await openBed({ apis: 1, workers: 1 }));
    agent = await makeAgent(bed, { qaList: PAIRS, fallback_text: "Please call us." });
    await operatorOf(bed).models.setChat({ agent_id: agent.agentId, url: model.url, model: "talker" });
  });
  after(() => open.disposeAsync());

  const messagesOf = (content: string) => [{ role: "user" as const, content }];

  async function ask(
    mode: (typeof MODES)[number],
    conversation_id: string,
    text: string,
    conversation_config?: ConversationConfig,
  ): Promise<Answered> {
    const { conversations } = agent.client;
    const request = { conversation_id, messages: messagesOf(text), conversation_config };
    if (mode === "blocking") {
      const reply = BlockingReply.parse(
        await conversations.sendMessage({ ...request, response_mode: "blocking" }),
      );
      return { messageId: reply.message_id, text: textOf(reply), sources: reply.sources };
    }
    if (mode === "streaming") return readStream(conversations.streamMessage(request));
    const before = agent.arrived().length;
    await conversations.sendMessage({ ...request, response_mode: "webhook" });
    const body = AgentResponseMessage.parse((await agent.arrivals(before + 1)).at(-1)?.body);
    return { messageId: body.message_id, text: textOf(body), sources: undefined };
  }

  const textOf = ({ output }: Pick<BlockingReply, "output">) =>
    output.map(({ content }) => content.text).join();

  async function readStream(events: MessageStream): Promise<Answered> {
    const read: Answered = { messageId: "", text: "", sources: [] };
    let pieces = "";
    for await (const event of events) {
      if (event.message === "MessageInfo") read.messageId = event.data.message_id;
      if (event.message === "Text") pieces += event.data;
      if (event.message === "FlowOutput") read.text = event.data.map(({ content }) => content.text).join();
      if (event.message === "Sources") read.sources = event.data;
    }
    assert.equal(pieces, read.text, "the pieces are the whole");
    return read;
  }

  const questionsOf = (sources: AnswerSource[] | undefined) => sources?.map(({ question }) => question);

  it("an answer names the pairs it stands on, in each response mode, in the history and in the timeline", async () => {
    const cases = [
      { asked: WARRANTY, sources: [WARRANTY] },
      {
        asked: VAGUE,
        says: "About 50 ml an hour of chain oil [2]. 24 months [1].",
        sources: [OIL, WARRANTY],
      },
      { asked: VAGUE, says: "The saw has a warranty of 24 months [1].", sources: [WARRANTY] },
      { asked: VAGUE, says: "NO_ANSWER", sources: [] },
      { asked: STRANGE, sources: [] },
    ];
    for (const mode of MODES) {
      const conversation_id = await agent.converse();
      for (const { asked, says, sources } of cases) {
        if (says !== undefined) model.next({ say: says });
        const answered = await ask(mode, conversation_id, asked, { short_term_memory: false });
        if (answered.sources !== undefined) assert.deepEqual(questionsOf(answered.sources), sources, mode);
        const stored = await agent.client.conversations.sources({ message_id: answered.messageId });
        assert.equal(stored.conversation_id, conversation_id);
        assert.deepEqual(questionsOf(stored.sources), sources, `${mode}: ${says ?? asked}`);
      }
      const expected = cases.flatMap(({ sources }) => [[], sources]);
      const { conversation_content } = await agent.client.conversations.listMessages({ conversation_id });
      assert.deepEqual(
        conversation_content.map(({ sources }) => questionsOf(sources)),
        expected,
      );
      const of = { agent_id: agent.agentId, conversation_id };
      const { list } = await operatorOf(bed).conversations.get(of);
      assert.deepEqual(
        list.flatMap((item) => (item.kind === "message" ? [questionsOf(item.sources)] : [])),
        expected,
      );
    }
  });

  it("a source is a pair as it was when the answer was given", async () => {
    const operator = operatorOf(bed);
    const asked = { question: "Where is the chain made?", answer: "In Malmö." };
    await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Chains", qaList: [asked] });
    const { messageId, sources } = await ask("blocking", await agent.converse(), asked.question);
    const [source] = sources ?? [];
    assert.ok(source);
    const { agent_id, pair_id } = { agent_id: agent.agentId, pair_id: source.pair_id };
    const pair = await operator.pairs.get({ agent_id, pair_id });
    assert.deepEqual([pair.question, pair.doc_id], [asked.question, source.doc_id]);
    await operator.pairs.update({
      agent_id,
      pair_id,
      question: "Where do chains come from?",
      answer: "Malmö.",
    });
    const kept = await agent.client.conversations.sources({ message_id: messageId });
    assert.deepEqual(kept.sources, [source]);
  });

  it("corner_citation keeps a model's citations, numbered as its sources are, in each response mode", async () => {
    for (const mode of MODES) {
      const conversation = await agent.converse();
      model.next({ say: "The saw needs chain oil [2]. The warranty is 24 months [1][2]." });
      const { text, messageId } = await ask(mode, conversation, VAGUE, { corner_citation: true });
      assert.equal(text, "The saw needs chain oil. [1] The warranty is 24 months. [2][1]", mode);
      const { sources } = await agent.client.conversations.sources({ message_id: messageId });
      assert.deepEqual(questionsOf(sources), [OIL, WARRANTY], mode);
      const direct = await ask(mode, conversation, WARRANTY, { corner_citation: true });
      assert.equal(direct.text, "The warranty of the saw is 24 months.", mode);
    }
  });

  it("4.5 stays as specified, and the sources of its message_id can be read", async () => {
    const { messageId, sources } = await ask("webhook", await agent.converse(), WARRANTY);
    assert.equal(sources, undefined);
    const read = await agent.client.conversations.sources({ message_id: messageId });
    assert.deepEqual(questionsOf(read.sources), [WARRANTY]);
    const unknown = await refusal(agent.client.conversations.sources({ message_id: agent.agentId }));
    assert.deepEqual([unknown.status, unknown.code], [404, 40401]);
  });
});
