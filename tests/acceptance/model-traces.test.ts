import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startCollector, type Collector } from "../support/otlp-collector.ts";
import { readSpans } from "../support/otlp-spans.ts";
import { eventually, freePorts } from "../support/processes.ts";
import { startService, type Service } from "../support/service.ts";
import { HEARD, openSawShop, SAID, VAGUE, type SawShop } from "../support/saw-shop.ts";
import { callerOf } from "../support/agents.ts";

const USAGE = { prompt_tokens: 300, completion_tokens: 50 };

describe("traces of models", () => {
  const open = new AsyncDisposableStack();
  let collector: Collector;
  let shop: SawShop;
  let openWithContent: Service;

  before(async () => {
    collector = open.use(await startCollector(0));
    const environment = {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
      OTEL_BSP_SCHEDULE_DELAY: "200",
    };
    shop = await openSawShop(open, { environment });
    shop.model.answer(() => ({ say: SAID, usage: USAGE }));
    await shop.setChat();
    const [port = 0] = await freePorts(1);
    openWithContent = open.use(
      await startService({
        role: "api",
        name: "api-with-content",
        port,
        directory: shop.bed.directory,
        environment: { ...shop.bed.environment, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" },
      }),
    );
  });
  after(() => open.disposeAsync());

  const exported = () => Buffer.concat(collector.exports.map(({ bytes }) => bytes));
  const spansAbout = (conversationId: string) =>
    collector.exports
      .flatMap(({ bytes }) => readSpans(bytes))
      .filter(({ attributes }) => attributes["gen_ai.conversation.id"] === conversationId);

  async function tracedTurn(conversationId: string) {
    const named = (name: string) => spansAbout(conversationId).find((span) => span.name === name);
    await eventually("both spans are exported", () => Boolean(named("agent.turn") && named("chat talker")));
    return { turn: named("agent.turn") ?? assert.fail(), chat: named("chat talker") ?? assert.fail() };
  }

  it("a turn and the call of its model carry the attributes of OpenTelemetry's GenAI conventions, and no content", async () => {
    const conversation = await shop.agent.converse();
    await shop.askIn(conversation, VAGUE);
    const { turn, chat } = await tracedTurn(conversation);
    const ids = { "gen_ai.agent.id": shop.agent.agentId, "gen_ai.conversation.id": conversation };
    const tokens = { "gen_ai.usage.input_tokens": 300, "gen_ai.usage.output_tokens": 50 };
    const { "signalbox.message": _, "signalbox.branch": __, ...turned } = turn.attributes;
    assert.deepEqual(turned, {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": "signalbox",
      ...ids,
      ...tokens,
    });
    const { "gen_ai.request.max_tokens": limit, ...called } = chat.attributes;
    assert.equal(typeof limit, "number");
    assert.deepEqual(called, {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": "talker",
      "gen_ai.response.model": "talker",
      "gen_ai.response.finish_reasons": ["stop"],
      "server.address": "127.0.0.1",
      "server.port": Number(new URL(shop.model.url).port),
      ...ids,
      ...tokens,
    });
    assert.deepEqual([chat.traceId, chat.parentSpanId], [turn.traceId, turn.spanId]);
    for (const content of [VAGUE, SAID, HEARD]) assert.equal(exported().includes(content), false, content);
  });

  it("the call of a model that fails is a span with the cause, and content is exported only on opt-in", async () => {
    const caller = callerOf(shop.bed, shop.agent.apiKey, openWithContent.baseUrl);
    const ask = async () => {
      const conversation_id = await shop.agent.converse();
      const messages = [{ role: "user" as const, content: VAGUE }];
      await caller.conversations.sendMessage({ conversation_id, response_mode: "blocking", messages });
      return tracedTurn(conversation_id);
    };
    const { turn, chat } = await ask();
    assert.equal(
      turn.attributes["gen_ai.input.messages"],
      JSON.stringify([{ role: "user", parts: [{ type: "text", content: VAGUE }] }]),
    );
    assert.match(String(turn.attributes["gen_ai.output.messages"]), new RegExp(HEARD));
    assert.match(String(chat.attributes["gen_ai.input.messages"]), new RegExp(VAGUE));
    assert.ok(String(chat.attributes["gen_ai.output.messages"]).includes(SAID));
    assert.equal(chat.traceId, turn.traceId);
    shop.model.answer(() => ({ status: 500 }));
    assert.equal((await ask()).chat.attributes["error.type"], "unavailable");
  });
});
