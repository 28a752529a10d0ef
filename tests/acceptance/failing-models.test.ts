import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeAgent, operatorOf, refusal } from "../support/agents.ts";
import { faults, startModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";
import { openSawShop, SAID, SAW_PAIRS, VAGUE, type SawShop } from "../support/saw-shop.ts";

describe("models that fail", () => {
  const open = new AsyncDisposableStack();
  let bed: SawShop["bed"];
  let model: SawShop["model"];
  let agent: SawShop["agent"];
  let setChat: SawShop["setChat"];

  before(async () => {
    ({ bed, model, agent, setChat } = await openSawShop(open));
  });
  after(() => open.disposeAsync());

  const models = () => operatorOf(bed).models;
  const testChat = () => models().testChat({ agent_id: agent.agentId });
  const failing = async () => (await operatorOf(bed).service.getStatus()).models;

  it("a test of a model that works says what was asked, what it said, how long it took and what it used", async () => {
    await setChat();
    model.next({ say: "OK", usage: { prompt_tokens: 9, completion_tokens: 1 } });
    const { latency_ms, ...test } = await testChat();
    assert.deepEqual(test, {
      works: true,
      asked: "Reply with the word OK.",
      answer: "OK",
      dimensions: null,
      audio_bytes: null,
      tokens: 10,
      failure: null,
    });
    assert.ok(latency_ms >= 0);
    await models().setEmbedding({ agent_id: agent.agentId, url: model.url, model: "vectors" });
    const embedding = await models().testEmbedding({ agent_id: agent.agentId });
    assert.deepEqual([embedding.works, embedding.dimensions, embedding.answer], [true, 64, null]);
    await models().deleteEmbedding({ agent_id: agent.agentId });
  });

  it("a test of a model that fails gives the cause, what the server said and what to do", async () => {
    await setChat();
    for (const [reply, cause] of [
      [{ status: 401, error: { message: "Incorrect API key provided" } }, "unauthorised"],
      [{ status: 404, error: { message: "The model `talker` does not exist" } }, "unknown_model"],
      [{ status: 404, error: { message: "Not Found" } }, "no_api"],
      [faults.rateLimited(), "rate_limited"],
      [faults.broken(), "unavailable"],
      [{ raw: { hello: "world" } }, "malformed_reply"],
    ] as const) {
      model.next(reply);
      const { works, failure } = await testChat();
      assert.deepEqual([works, failure?.cause], [false, cause]);
      assert.ok(failure !== null && failure.message !== "" && failure.advice !== "");
      if (cause === "unauthorised") assert.equal(failure.detail, "401 Incorrect API key provided");
    }
    const gone = await startModelServer();
    await gone.close();
    await setChat({ url: gone.url });
    assert.equal((await testChat()).failure?.cause, "unreachable");
    await setChat({ url: "http://169.254.169.254/v1" });
    assert.equal((await testChat()).failure?.cause, "forbidden_address");
  });

  it("a failure is shown with the model and in the status until the model replies", async () => {
    await setChat();
    assert.equal((await models().getChat({ agent_id: agent.agentId })).failure, null);
    model.next({ status: 401, error: { message: "Incorrect API key provided" } });
    await testChat();
    const { failure } = await models().getChat({ agent_id: agent.agentId });
    assert.deepEqual([failure?.cause, failure?.detail], ["unauthorised", "401 Incorrect API key provided"]);
    const [shown] = await failing();
    assert.deepEqual(
      [shown?.agent_id, shown?.kind, shown?.model, shown?.failure.cause],
      [agent.agentId, "chat", "talker", "unauthorised"],
    );
    model.next({ say: "OK" });
    await testChat();
    assert.deepEqual(await failing(), []);
  });

  it("a model that fails when users ask is shown and counted, and recovers with its next answer", async () => {
    await setChat();
    const conversation = await agent.converse();
    model.next({ status: 401, error: { message: "Incorrect API key provided" } });
    await agent.ask(conversation, VAGUE);
    await eventually("the failure is shown", async () =>
      (await failing()).some(({ failure }) => failure.cause === "unauthorised") ? true : undefined,
    );
    const headers = { authorization: `Bearer ${bed.operatorToken}` };
    const metrics = await (await fetch(`${bed.worker().baseUrl}/metrics`, { headers })).text();
    assert.match(metrics, /signalbox_model_failures_total\{model="chat",cause="unauthorised"[^}]*\} [1-9]/);
    model.next({ say: SAID });
    await agent.ask(conversation, `${VAGUE} now`);
    await eventually("the failure is gone", async () => ((await failing()).length === 0 ? true : undefined));
  });

  it("a URL that no call could work with is refused when it is set, with what to enter", async () => {
    for (const [url, said] of [
      [`${model.url}/chat/completions`, /without \/chat\/completions/],
      [`${model.url}/embeddings/`, /without \/embeddings/],
      [`${model.url}?api-version=2024-10-21`, /without a query.*\/openai\/v1/],
      ["ftp://models.example/v1", /starts with http/],
    ] as const) {
      const refused = await refusal(setChat({ url }));
      assert.equal(refused.code, 40000, url);
      assert.match(refused.message, said);
    }
  });

  it("a test of the speech model says how much audio it gave, or why it gave none", async () => {
    const { agentId: agent_id } = agent;
    await models().setSpeech({ agent_id, url: model.url, model: "speaker", voice: "ada" });
    const spoken = await models().testSpeech({ agent_id });
    assert.deepEqual([spoken.works, spoken.audio_bytes], [true, `ada says: ${spoken.asked}`.length]);
    const other = await models().testSpeech({ agent_id, voice: "bo" });
    assert.equal(other.audio_bytes, `bo says: ${spoken.asked}`.length);
    model.next({ status: 401, error: { message: "no" } });
    assert.equal((await models().testSpeech({ agent_id })).failure?.cause, "unauthorised");
    assert.deepEqual(
      (await failing()).map(({ kind }) => kind),
      ["speech"],
    );
    await models().deleteSpeech({ agent_id });
  });

  it("values that are not stored are tested with the stored key, and leave the model as it is", async () => {
    await setChat();
    const { agentId: agent_id } = agent;
    const stored = await models().getChat({ agent_id });
    model.next({ say: "OK" });
    assert.equal((await models().testChat({ agent_id, model: "another" })).works, true);
    const asked = model.requests.at(-1);
    assert.deepEqual([asked?.body.model, asked?.headers["authorization"]], ["another", "Bearer sk-test"]);
    model.next({ status: 401, error: { message: "no" } });
    assert.equal((await models().testChat({ agent_id, api_key: "sk-other" })).failure?.cause, "unauthorised");
    assert.equal(model.requests.at(-1)?.headers["authorization"], "Bearer sk-other");
    // A state that were written beside the reply would be there by then.
    model.next({ say: "OK" });
    await models().testChat({ agent_id, model: "another" });
    assert.deepEqual(await models().getChat({ agent_id }), stored);
    assert.deepEqual(await failing(), []);
    model.next({ status: 401, error: { message: "no" } });
    await testChat();
    model.next({ say: "OK" });
    await models().testChat({ agent_id, model: "another" });
    assert.equal((await failing()).length, 1, "a trial that works says nothing of the stored model");
    await setChat();
  });

  it("a test sends the stored key to no other server", async () => {
    await setChat();
    await using elsewhere = await startModelServer();
    const { agentId: agent_id } = agent;
    const refused = await refusal(models().testChat({ agent_id, url: elsewhere.url }));
    assert.deepEqual([refused.code, /requires api_key again/.test(refused.message)], [40000, true]);
    assert.equal(elsewhere.requests.length, 0);
    await models().testChat({ agent_id, url: elsewhere.url, api_key: "sk-new" });
    await models().testChat({ agent_id, url: elsewhere.url, api_key: null });
    assert.deepEqual(
      elsewhere.requests.map(({ headers }) => headers["authorization"]),
      ["Bearer sk-new", undefined],
    );
  });

  it("a model is tested before the agent has one", async () => {
    const { agentId: agent_id } = await makeAgent(bed, { webhook: false });
    assert.equal((await models().testChat({ agent_id, url: model.url, model: "new" })).works, true);
    assert.equal((await refusal(models().testChat({ agent_id, model: "new" }))).status, 404);
    assert.equal((await refusal(models().getChat({ agent_id }))).status, 404);
  });

  it("a test without a model is refused", async () => {
    const { agentId } = await makeAgent(bed, { qaList: SAW_PAIRS });
    assert.equal((await refusal(models().testChat({ agent_id: agentId }))).status, 404);
  });
});
