import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { AgentResponseMessage, RequestOf } from "@signalbox/contract";
import { operatorOf } from "../support/agents.ts";
import { faults, startModelServer, type ModelReply, type ModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";
import { HEARD, openSawShop, SAID, saidIn, VAGUE, WARRANTY, type SawShop } from "../support/saw-shop.ts";
import { streamMessage, textOf } from "../support/streamed-reply.ts";

/** What the first model may do instead of answering. */
const FAILURES: Record<string, ModelReply> = {
  "a server error": faults.broken(),
  "a rate limit": faults.rateLimited(),
  "a quota that is used up": { status: 402, error: { message: "Insufficient Balance" } },
  "a wrong key": { status: 401, error: { message: "Incorrect API key provided" } },
  "a model that is gone": { status: 404, error: { message: "The model `talker` does not exist" } },
  "another API": { status: 404, error: { message: "Not Found" } },
  "a refused request": { status: 400, error: { message: "too long", code: "context_length_exceeded" } },
  "a reply without text": { raw: { hello: "world" } },
  "a reply that breaks off": faults.cut("The warranty"),
  silence: faults.silence(),
};
const USAGE = { prompt_tokens: 300, completion_tokens: 50 };
/** Another way to say it, so that it shows who spoke. */
const SECOND_SAID = "24 months is the warranty of the saw [1].";
const SECOND_HEARD = "24 months is the warranty of the saw.";
const TURN_MS_MAX = 25_000;
const SLACK_MS = 3_000;

describe("fallback of a chat model", () => {
  const open = new AsyncDisposableStack();
  let shop: SawShop;
  let first: ModelServer;
  let second: ModelServer;

  before(async () => {
    second = open.use(await startModelServer());
    shop = await openSawShop(open);
    first = shop.model;
    second.answer(() => ({ say: SECOND_SAID, usage: USAGE }));
    await setFirst();
    await setSecond();
  });
  after(() => open.disposeAsync());

  const models = () => operatorOf(shop.bed).models;
  const setFirst = (given: Partial<RequestOf<"setChatModel">> = {}) =>
    shop.setChat({
      timeout_seconds: 2,
      input_credits_per_million: 1_000,
      output_credits_per_million: 4_000,
      ...given,
    });
  const setSecond = () =>
    models().setChatFallback({
      agent_id: shop.agent.agentId,
      url: second.url,
      model: "stand-in",
      input_credits_per_million: 2_000,
      output_credits_per_million: 8_000,
    });
  const failing = async () => {
    const { models: shown } = await operatorOf(shop.bed).service.getStatus();
    return shown.map(({ kind, failure }) => `${kind} ${failure.cause}`).toSorted();
  };

  async function block(text: string): Promise<{ message: Pick<AgentResponseMessage, "output">; ms: number }> {
    const begun = performance.now();
    const message = await shop.agent.client.conversations.sendMessage(
      {
        conversation_id: await shop.agent.converse(),
        response_mode: "blocking",
        messages: [{ role: "user", content: text }],
      },
      { timeoutMs: 60_000 },
    );
    return { message, ms: performance.now() - begun };
  }

  async function stream(): Promise<{ text: string; asked: number }> {
    const { apiKey } = shop.agent;
    const before = second.requests.length;
    const reply = await streamMessage(
      { baseUrl: shop.bed.baseUrl, apiKey },
      await shop.agent.converse(),
      VAGUE,
    );
    return { text: textOf(await reply.events()), asked: second.requests.length - before };
  }

  for (const [failure, reply] of Object.entries(FAILURES))
    it(`the fallback model answers after ${failure} of the first, at its own price`, async () => {
      first.next(reply);
      const message = await shop.ask(VAGUE);
      assert.deepEqual(saidIn(message), ["model", SECOND_HEARD]);
      assert.equal(message.usage.tokens.total_tokens, 350);
      assert.deepEqual(
        [message.usage.credits.text_input_credits, message.usage.credits.text_output_credits],
        [0.6, 0.4],
      );
    });

  it("the fallback model answers while the first cannot be reached, and is left alone while it works", async () => {
    const gone = await startModelServer();
    await gone.close();
    await setFirst({ url: gone.url });
    assert.deepEqual(saidIn(await shop.ask(VAGUE)), ["model", SECOND_HEARD]);
    await setFirst();
    const before = second.requests.length;
    first.next({ say: SAID });
    assert.deepEqual(saidIn(await shop.ask(VAGUE)), ["model", HEARD]);
    assert.equal(second.requests.length, before);
  });

  it("a first model that fails is shown and counted, though users are answered", async () => {
    await setFirst();
    await setSecond();
    assert.deepEqual(await failing(), []);
    first.next({ status: 401, error: { message: "Incorrect API key provided" } });
    assert.deepEqual(saidIn(await shop.ask(VAGUE)), ["model", SECOND_HEARD]);
    await eventually(
      "the failure is shown",
      async () => (await failing()).join() === "chat unauthorised" || undefined,
    );
    const headers = { authorization: `Bearer ${shop.bed.operatorToken}` };
    const metrics = await (await fetch(`${shop.bed.worker().baseUrl}/metrics`, { headers })).text();
    assert.match(metrics, /signalbox_model_failures_total\{model="chat",cause="unauthorised"[^}]*\} [1-9]/);
    assert.match(shop.bed.logs(), /"event":"model_failed"[^\n]*"cause":"unauthorised"/);
    first.next({ say: SAID });
    await shop.ask(VAGUE);
    await eventually("the failure is gone", async () => (await failing()).length === 0 || undefined);
  });

  it("an agent whose two models fail answers as without a model, and both are shown", async () => {
    first.next(faults.broken());
    second.next({ status: 401, error: { message: "no" } });
    assert.deepEqual(saidIn(await shop.ask(VAGUE)), ["direct", WARRANTY]);
    await eventually(
      "both are shown",
      async () => (await failing()).join() === "chat unavailable,chat_fallback unauthorised" || undefined,
    );
    second.next({ say: "OK" });
    assert.equal((await models().testChatFallback({ agent_id: shop.agent.agentId })).works, true);
    assert.deepEqual(await failing(), ["chat unavailable"]);
  });

  it("a reply that the first model withholds is not asked of the fallback", async () => {
    const before = second.requests.length;
    first.next({ say: "x", finish: "content_filter" });
    assert.deepEqual(saidIn(await shop.ask(VAGUE)), ["direct", WARRANTY]);
    assert.equal(second.requests.length, before);
  });

  it("a streamed answer is the fallback's alone where nothing of the first was told", async () => {
    const nothingTold: ModelReply[] = [
      faults.broken(),
      faults.silence(),
      faults.cut("Grandmother bakes splendid cakes for the whole of her village"),
    ];
    for (const reply of nothingTold) {
      first.next(reply);
      assert.deepEqual(await stream(), { text: SECOND_HEARD, asked: 1 });
    }
  });

  it("a streamed answer of which words were told is never continued by the fallback", async () => {
    first.next(faults.cut("The saw has a warranty of 24 months [1]. It needs chain oil [2]."));
    const { text, asked } = await stream();
    assert.ok(text.startsWith("The saw") && !text.includes("24 months is"), text);
    assert.equal(asked, 0);
  });

  it("a first model that is slow leaves its fallback time, and both together stay within the turn's limit", async () => {
    await setFirst({ timeout_seconds: 60 });
    first.answer(() => faults.silence());
    second.answer(({ body }) =>
      JSON.stringify(body).includes("right now") ? faults.silence() : { say: SECOND_SAID },
    );
    const [answered, silent] = await Promise.all([block(VAGUE), block(`${VAGUE} right now`)]);
    assert.deepEqual(saidIn(answered.message), ["model", SECOND_HEARD]);
    assert.deepEqual(saidIn(silent.message), ["direct", WARRANTY]);
    for (const { ms } of [answered, silent]) assert.ok(ms < TURN_MS_MAX + SLACK_MS, `${Math.round(ms)} ms`);
    assert.ok(
      answered.ms < TURN_MS_MAX - 5_000,
      `the fallback was asked late: ${Math.round(answered.ms)} ms`,
    );
    await setFirst();
  });

  it("the fallback is not asked without a chat model", async () => {
    const before = second.requests.length;
    await models().deleteChat({ agent_id: shop.agent.agentId });
    assert.deepEqual(saidIn(await shop.ask(VAGUE)), ["direct", WARRANTY]);
    assert.equal(second.requests.length, before);
  });
});
