import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeAgent, operatorOf } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { streamMessage } from "../support/streamed-reply.ts";

const PAIR = { question: "How long is the warranty of the saw?", answer: "The warranty is 24 months." };

describe("node that dies during a blocking call", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let model: ModelServer;

  before(async () => {
    model = open.use(await startModelServer());
    bed = open.use(await openBed({ apis: 2, workers: 1 }));
  });
  after(() => open.disposeAsync());

  it("a conversation continues after the node that was answering it died", async () => {
    const agent = await makeAgent(bed, { qaList: [PAIR] });
    const settings = { agent_id: agent.agentId, url: model.url, model: "talker", timeout_seconds: 30 };
    await operatorOf(bed).setChatModel(settings);
    const conversation = await agent.converse();
    model.next({ say: "The warranty is 24 months [1]. ".repeat(20), pieceEveryMs: 100 });
    const dying = bed.api(1);
    const at = { baseUrl: dying.baseUrl, apiKey: agent.apiKey };
    const asked = "tell me about the saw warranty please";
    const reply = await streamMessage(at, conversation, asked);
    const reading = reply.events().catch(() => "broken off");
    await agent.ask(conversation, PAIR.question);
    await dying.kill9();
    assert.equal(await reading, "broken off", "void: the node lived to the end of its answer");
    assert.deepEqual(agent.arrived(), [], "void: what came behind it did not wait");
    await agent.arrivals(1, 150_000);
    const { conversation_content } = await agent.client.listMessages({ conversation_id: conversation });
    assert.deepEqual(
      conversation_content.map(({ content }) => content[0]?.branch_content),
      [asked, PAIR.question, PAIR.answer].map((text) => [{ type: "text", text }]),
    );
  });
});
