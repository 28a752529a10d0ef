import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeAgent, operatorOf, refusal } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";
import { streamMessage } from "../support/streamed-reply.ts";

const PAIR = { question: "How long is the warranty of the saw?", answer: "The warranty is 24 months." };

describe("node that dies or is taken for dead during a blocking call", () => {
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
    await operatorOf(bed).models.setChat(settings);
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
    const { conversation_content } = await agent.client.conversations.listMessages({
      conversation_id: conversation,
    });
    assert.deepEqual(
      conversation_content.map(({ content }) => content[0]?.branch_content),
      [asked, PAIR.question, PAIR.answer].map((text) => [{ type: "text", text }]),
    );
  });

  it("a caller whose message was passed over meanwhile is not told of a human who was never there", async () => {
    const agent = await makeAgent(bed, { qaList: [PAIR] });
    const settings = { agent_id: agent.agentId, url: model.url, model: "talker", timeout_seconds: 30 };
    await operatorOf(bed).models.setChat(settings);
    const conversation_id = await agent.converse();
    model.next({ say: "The warranty is 24 months [1]. ".repeat(20), pieceEveryMs: 100 });
    const call = refusal(
      agent.client.conversations.sendMessage({
        conversation_id,
        response_mode: "blocking",
        messages: [{ role: "user", content: "tell me about the saw warranty please" }],
      }),
    );
    // As a worker does for a node that made no sound for too long, and was only paused.
    await eventually("it is passed over", async () => {
      const passed = await bed.database.query(
        "update turn set state = 'abandoned', finished_at = now() where conversation_id = $1 and state = 'open' returning id",
        [conversation_id],
      );
      return passed.length > 0;
    });
    await bed.database.query(
      "update conversation set turn_done_seq = last_seq, turn_awake = false where id = $1",
      [conversation_id],
    );
    const { code, message } = await call;
    assert.equal(code, 50300, message);
    assert.doesNotMatch(message, /human/);
  });
});
