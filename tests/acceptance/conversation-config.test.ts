import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { BlockingReply } from "@signalbox/contract";
import type { AgentResponseMessage, ConversationConfig, QaPair } from "@signalbox/contract";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";

const SAW = { question: "How long is the warranty of the saw?", answer: "For the saw, 24 months." };
const DRILL = { question: "Which bits does the drill take?", answer: "The drill takes round bits." };
const HEDGE = { question: "When is the hedge cut?", answer: "The hedge is cut in June." };
/** Near enough to be an answer, too far to be given word for word. */
const VAGUE = "tell me about the saw warranty please";
const FALLBACK = "Please call us.";

describe("conversation_config", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let model: ModelServer;
  let agent: MadeAgent;
  let saws: string;
  let drills: string;
  let gardens: string;

  before(async () => {
    model = open.use(await startModelServer());
    bed = open.use(await openBed({ apis: 1, workers: 1 }));
    agent = await makeAgent(bed, { fallback_text: FALLBACK });
    const { client } = agent;
    const add = async (name: string, pair: QaPair, knowledge_base_id?: string) => {
      const { doc } = await client.knowledge.add({
        purpose: "QA_TEXT",
        name,
        qaList: [pair],
        knowledge_base_id,
      });
      return doc[0]?.doc_id ?? "";
    };
    gardens = (await client.knowledge.createBase({ name: "Gardens", desc: "Hedges" })).knowledge_base_id;
    saws = await add("Saws", SAW);
    drills = await add("Drills", DRILL);
    await add("Hedges", HEDGE, gardens);
  });
  after(() => open.disposeAsync());

  const messageOf = (content: string) => [{ role: "user" as const, content }];

  async function block(content: string, conversation_config: ConversationConfig) {
    const reply = await agent.client.conversations.sendMessage({
      conversation_id: await agent.converse(),
      response_mode: "blocking",
      messages: messageOf(content),
      conversation_config,
    });
    return BlockingReply.parse(reply).output[0]?.content.text;
  }

  async function stream(content: string, conversation_config: ConversationConfig): Promise<string> {
    const conversation_id = await agent.converse();
    return agent.client.conversations
      .streamMessage({ conversation_id, messages: messageOf(content), conversation_config })
      .text();
  }

  async function askByWebhook(content: string, conversation_config: ConversationConfig) {
    const before = agent.arrived().length;
    await agent.client.conversations.sendMessage({
      conversation_id: await agent.converse(),
      response_mode: "webhook",
      messages: messageOf(content),
      conversation_config,
    });
    const message = (await agent.arrivals(before + 1)).at(-1)?.body as AgentResponseMessage;
    return message.output[0]?.content.text;
  }

  it("conversation_config restricts the search to the documents and knowledge bases it names", async () => {
    const cases: [question: string, ConversationConfig["knowledge"], answer: string][] = [
      [SAW.question, { data_ids: [saws] }, SAW.answer],
      [SAW.question, { data_ids: [drills] }, FALLBACK],
      [SAW.question, { group_ids: [gardens] }, FALLBACK],
      [SAW.question, { group_ids: [agent.knowledgeBaseId] }, SAW.answer],
      // Both lists: what either of them names.
      [SAW.question, { data_ids: [saws], group_ids: [gardens] }, SAW.answer],
      [HEDGE.question, { data_ids: [saws], group_ids: [gardens] }, HEDGE.answer],
      [DRILL.question, { data_ids: [saws], group_ids: [gardens] }, FALLBACK],
      [SAW.question, { data_ids: [], group_ids: [] }, FALLBACK],
      [SAW.question, {}, SAW.answer],
      [HEDGE.question, null, HEDGE.answer],
    ];
    for (const [question, knowledge, answer] of cases) {
      const told = JSON.stringify(knowledge);
      assert.equal(await block(question, { knowledge }), answer, `blocking, ${told}`);
      assert.equal(await stream(question, { knowledge }), answer, `streaming, ${told}`);
      assert.equal(await askByWebhook(question, { knowledge }), answer, `webhook, ${told}`);
    }
  });

  it("a question left unanswered by a restricted search is not kept as unanswered", async () => {
    const { agentId } = agent;
    assert.equal(await block(DRILL.question, { knowledge: { data_ids: [], group_ids: [] } }), FALLBACK);
    const unknown = "Where do the swallows spend their winter?";
    assert.equal(await block(unknown, {}), FALLBACK);
    const { list } = await operatorOf(bed).unanswered.list({ agent_id: agentId });
    assert.deepEqual(
      list.map(({ question }) => question),
      [unknown],
    );
  });

  it("conversation_config that names another agent's or deleted knowledge is refused, and nothing is accepted", async () => {
    const stranger = await makeAgent(bed, { qaList: [SAW] });
    const gone = await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Gone", qaList: [DRILL] });
    const goneId = gone.doc[0]?.doc_id ?? "";
    await agent.client.knowledge.deleteDocuments({ doc: goneId });
    const conversation_id = await agent.converse();
    for (const [field, id] of [
      ["data_ids", randomUUID()],
      ["data_ids", goneId],
      ["group_ids", stranger.knowledgeBaseId],
    ] as const)
      for (const response_mode of ["blocking", "streaming", "webhook"] as const) {
        const asked = {
          conversation_id,
          messages: messageOf(SAW.question),
          conversation_config: { knowledge: { [field]: [id] } },
        };
        const { conversations } = agent.client;
        const asking =
          response_mode === "streaming"
            ? conversations.streamMessage(asked).text()
            : conversations.sendMessage({ ...asked, response_mode });
        const { code, message } = await refusal(asking);
        assert.equal(code, 40000);
        assert.ok(message.includes(`${field} names ${id}`), message);
      }
    assert.equal((await agent.client.conversations.listMessages({ conversation_id })).total, 0);
  });

  it("short_term_memory false keeps earlier messages from the model", async () => {
    const talker = await makeAgent(bed, { qaList: [SAW] });
    await operatorOf(bed).models.setChat({ agent_id: talker.agentId, url: model.url, model: "talker" });
    const conversation_id = await talker.converse();
    const ask = async (response_mode: "blocking" | "webhook", short_term_memory: boolean) => {
      model.next({ say: "For the saw, 24 months [1]." });
      const before = { told: model.requests.length, arrived: talker.arrived().length };
      const conversation_config = { short_term_memory };
      const messages = messageOf(VAGUE);
      await talker.client.conversations.sendMessage({
        conversation_id,
        response_mode,
        messages,
        conversation_config,
      });
      if (response_mode === "webhook") await talker.arrivals(before.arrived + 1);
      const content = model.requests[before.told]?.body.messages?.[1]?.content ?? "{}";
      return (JSON.parse(content) as { conversation: unknown[] }).conversation.length;
    };
    assert.equal(await ask("blocking", true), 0, "nothing was said before");
    assert.equal(await ask("blocking", false), 0);
    assert.equal(await ask("webhook", false), 0);
    assert.equal(await ask("webhook", true), 6, "three questions and their answers");
  });
});
