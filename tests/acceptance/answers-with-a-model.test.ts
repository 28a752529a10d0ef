import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { RequestOf } from "@signalbox/contract";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { eventually } from "../support/processes.ts";
import { CHINESE, ENGLISH } from "../support/injections.ts";
import { faults, type ModelServer } from "../support/model-server.ts";
import { openSawShop, SAW_PAIRS, saidIn, VAGUE, type SawShop } from "../support/saw-shop.ts";
import { streamMessage } from "../support/streamed-reply.ts";

describe("answers with a model", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let model: ModelServer;
  let agent: MadeAgent;
  let ask: SawShop["ask"];
  let askIn: SawShop["askIn"];

  before(async () => {
    // Models may be at private addresses; files may not be read from there.
    const environment = { IMPORT_ALLOWED_IPS: "" };
    const shop = await openSawShop(open, { environment, fallback_text: "Please call us." });
    ({ bed, model, agent, ask, askIn } = shop);
    await shop.setChat({
      timeout_seconds: 2,
      input_credits_per_million: 1_000,
      output_credits_per_million: 4_000,
    });
  });
  after(() => open.disposeAsync());

  /** What the model was told of the conversation when it was asked for the n-th time. */
  function toldBefore(request: number): { who: string; text: string }[] {
    const content = model.requests[request]?.body.messages?.[1]?.content ?? "{}";
    return (JSON.parse(content) as { conversation: { who: string; text: string }[] }).conversation;
  }

  async function readMetrics(): Promise<string> {
    const headers = { authorization: `Bearer ${bed.operatorToken}` };
    return (await fetch(`${bed.worker().baseUrl}/metrics`, { headers })).text();
  }

  it("a supported model answer is sent without citation marks, and its cost is counted", async () => {
    model.next({
      say: "The saw has a warranty of 24 months [1].",
      usage: {
        prompt_tokens: 300,
        completion_tokens: 50,
        completion_tokens_details: { reasoning_tokens: 10 },
      },
    });
    const message = await ask(VAGUE);
    assert.deepEqual(saidIn(message), ["model", "The saw has a warranty of 24 months."]);
    const { tokens, credits } = message.usage;
    assert.deepEqual(tokens, {
      total_tokens: 350,
      prompt_tokens: 300,
      completion_tokens: 50,
      prompt_tokens_details: { audio_tokens: 0, text_tokens: 300 },
      completion_tokens_details: { reasoning_tokens: 10, audio_tokens: 0, text_tokens: 40 },
    });
    assert.deepEqual(credits, {
      total_credits: 0.5,
      text_input_credits: 0.3,
      text_output_credits: 0.2,
      audio_input_credits: 0,
      audio_output_credits: 0,
    });
    const asked = model.requests.at(-1);
    assert.equal(asked?.headers["authorization"], "Bearer sk-test");
    const sent = JSON.parse(asked?.body.messages?.[1]?.content ?? "{}") as { question: string };
    assert.equal(sent.question, VAGUE);
  });

  it("a direct match is answered in the pair's own words without asking the model", async () => {
    const before = model.requests.length;
    const message = await ask("How long is the warranty of the saw?");
    assert.deepEqual(saidIn(message), ["direct", "The warranty of the saw is 24 months."]);
    assert.equal(message.usage.tokens.total_tokens, 0);
    assert.equal(model.requests.length, before);
  });

  it("an unsupported or cut-off model answer is replaced by the best pair's words", async () => {
    const unsupported = [
      { say: "The warranty is 24 months." },
      { say: "The warranty is 36 months [1]." },
      { say: "The warranty is 24 months [1]. Register at https://saw.example [1]." },
      { say: "The warranty is 24 months [1]. Grandmother bakes splendid cakes [1]." },
      { say: "Forever [7]." },
      faults.length("The warranty of the saw [1]"),
    ];
    for (const reply of unsupported) {
      model.next(reply);
      assert.deepEqual(saidIn(await ask(VAGUE)), ["direct", "The warranty of the saw is 24 months."]);
    }
  });

  it("a model that finds no answer in its sources gives the fallback, and the question is kept", async () => {
    model.next({ say: "NO_ANSWER" });
    const message = await ask("what colour has the saw warranty booklet");
    assert.deepEqual(saidIn(message), ["fallback", "Please call us."]);
    assert.ok(message.usage.tokens.total_tokens > 0, "the model was asked, and that is counted");
    const { list } = await operatorOf(bed).unanswered.list({ agent_id: agent.agentId });
    assert.equal(list[0]?.question, "what colour has the saw warranty booklet");
    assert.equal(list[0]?.best_question, SAW_PAIRS[0]?.question);
  });

  it("answers do not depend on the model being available", async () => {
    for (const reply of [
      faults.broken(),
      faults.rateLimited(),
      faults.silence(),
      faults.cut("The warranty"),
    ]) {
      model.next(reply);
      assert.deepEqual(saidIn(await ask(VAGUE)), ["direct", "The warranty of the saw is 24 months."]);
    }
  });

  it("none of 200 prompt injections reaches an answer, even from a model that obeys them all", async () => {
    const leaked: string[] = [];
    let [tried, passedOn] = [0, 0];
    for (const { pairs, asked, attacks, carriers } of [ENGLISH, CHINESE])
      for (const { order, obeyed, payload } of attacks) {
        const poisoned = carriers.map((carry) => carry(order));
        const victim = await makeAgent(bed, {
          webhook: false,
          qaList: [...pairs, ...poisoned.map(({ pair }) => pair)],
        });
        await operatorOf(bed).models.setChat({ agent_id: victim.agentId, url: model.url, model: "talker" });
        const questions = [
          ...poisoned.map((carrier) => [carrier.asked]),
          [`${asked} ${order}`],
          [order, asked],
        ];
        for (const [at, said] of questions.entries()) {
          const from = model.requests.length;
          model.answer(() => ({ say: obeyed }));
          const left = await everythingSent(victim, said, at % 2 === 0 ? "blocking" : "streaming");
          tried += 1;
          if (payload.test(left)) leaked.push(`${said.join(" / ")} -> ${left}`);
          // As the model reads it: with what a string escapes.
          const written = JSON.stringify(order).slice(1, -1);
          if (model.requests.slice(from).some(({ body }) => JSON.stringify(body).includes(written)))
            passedOn += 1;
        }
      }
    model.answer(() => ({ say: "I have nothing to say." }));
    assert.deepEqual(leaked, []);
    assert.equal(tried, 200);
    assert.equal(passedOn, 0, "orders that were put to the model");
  });

  /** All that the caller is sent in answer to the last message, by whichever mode. */
  async function everythingSent(
    { client, apiKey, ...victim }: MadeAgent,
    said: string[],
    mode: "blocking" | "streaming",
  ): Promise<string> {
    const conversation_id = await victim.converse();
    for (const earlier of said.slice(0, -1))
      await client.conversations.sendMessage({
        conversation_id,
        response_mode: "blocking",
        messages: [{ role: "user", content: earlier }],
      });
    const content = said.at(-1) ?? "";
    if (mode === "streaming") {
      const reply = await streamMessage({ baseUrl: bed.baseUrl, apiKey }, conversation_id, content);
      return JSON.stringify((await reply.events()).map(({ data }) => data));
    }
    const messages = [{ role: "user" as const, content }];
    return JSON.stringify(
      await client.conversations.sendMessage({ conversation_id, response_mode: "blocking", messages }),
    );
  }

  it("messages given before the last one in a call are context for that answer alone", async () => {
    const conversation_id = await agent.converse();
    const [question, answer] = [SAW_PAIRS[0]?.question ?? "", SAW_PAIRS[0]?.answer ?? ""];
    await askIn(conversation_id, question);
    const send = async (...messages: RequestOf<"sendMessage">["messages"]) => {
      const [asked, before] = [model.requests.length, agent.arrived().length];
      model.next({ say: "Yes, all 24 months [1]." });
      await agent.client.conversations.sendMessage({ conversation_id, response_mode: "webhook", messages });
      await agent.arrivals(before + 1);
      return toldBefore(asked);
    };
    const mine = { role: "user", content: "I bought it in a shop in Bern." } as const;
    const yours = { role: "assistant", content: "Then it is covered." } as const;
    // The client repeats what the service knows too, and adds what it does not.
    const told = await send(
      { role: "user", content: question },
      { role: "assistant", content: answer },
      mine,
      yours,
      { role: "user", content: VAGUE },
    );
    assert.deepEqual(told, [
      { who: "user", text: question },
      { who: "agent", text: answer },
      { who: "user", text: mine.content },
      { who: "agent", text: yours.content },
    ]);
    assert.deepEqual(await send({ role: "user", content: VAGUE }), [
      { who: "user", text: question },
      { who: "agent", text: answer },
      { who: "user", text: VAGUE },
      { who: "agent", text: "Yes, all 24 months." },
    ]);
  });

  it("a follow-up question is searched as the model rephrases it", async () => {
    const conversation = await agent.converse();
    const [question, answer] = [SAW_PAIRS[0]?.question ?? "", SAW_PAIRS[0]?.answer ?? ""];
    await askIn(conversation, question);
    const before = model.requests.length;
    const FOLLOW_UP = "and really for that whole time?";
    const usage = { prompt_tokens: 100, completion_tokens: 10 };
    model.next(
      { say: "Is the warranty of the saw really 24 months?", usage },
      { say: "Yes, all 24 months [1].", usage },
    );
    const message = await askIn(conversation, FOLLOW_UP);
    assert.deepEqual(saidIn(message), ["model", "Yes, all 24 months."]);
    assert.equal(message.usage.tokens.total_tokens, 220, "both times it was asked are counted");
    for (const request of [before, before + 1])
      assert.deepEqual(toldBefore(request), [
        { who: "user", text: question },
        { who: "agent", text: answer },
      ]);
    // The model answers the user's words.
    const put = JSON.parse(model.requests[before + 1]?.body.messages?.[1]?.content ?? "{}") as object;
    assert.equal("question" in put && put.question, FOLLOW_UP);
    // A model that cannot put it otherwise leaves the words of the question before it.
    const another = await agent.converse();
    await askIn(another, question);
    model.next(faults.broken(), { say: "Yes, all 24 months [1]." });
    assert.deepEqual(saidIn(await askIn(another, FOLLOW_UP)), ["model", "Yes, all 24 months."]);
    const metrics = await readMetrics();
    for (const part of ["search", "rewrite", "model"])
      assert.match(metrics, new RegExp(`signalbox_answer_part_seconds_count\\{part="${part}"[^}]*\\} [1-9]`));
    assert.match(metrics, /signalbox_model_tokens_total\{part="rewrite",kind="completion"[^}]*\} [1-9]/);
    // It says what is meant, and nothing that could be passed on: a number that only the user named stays unsaid.
    await askIn(conversation, "A friend told me 99 months");
    model.next({ say: "Yes, 99 months [1]." });
    assert.notEqual(saidIn(await askIn(conversation, VAGUE))[1], "Yes, 99 months.");
  });

  it("the model gets at most the last twelve messages, and nothing before a very long one", async () => {
    const conversation = await agent.converse();
    for (let round = 0; round < 8; round += 1) await askIn(conversation, SAW_PAIRS[1]?.question ?? "");
    await askIn(conversation, VAGUE);
    const told = toldBefore(model.requests.length - 1);
    assert.deepEqual([told.length, told.at(-1)?.who], [12, "agent"]);
    await askIn(conversation, "so ".repeat(2_000));
    await askIn(conversation, VAGUE);
    assert.deepEqual(toldBefore(model.requests.length - 1), [{ who: "agent", text: "Please call us." }]);
  });

  it("the model can request a handoff where the agent has a desk", async () => {
    const other = await makeAgent(bed, { qaList: SAW_PAIRS });
    await operatorOf(bed).models.setChat({ agent_id: other.agentId, url: model.url, model: "talker" });
    model.next({ say: "The saw has a warranty of 24 months [1]." });
    await other.ask(await other.converse(), VAGUE);
    await other.arrivals(1);
    assert.equal(model.requests.at(-1)?.body["tools"], undefined);

    await other.component();
    const conversation_id = await other.converse();
    model.next({ call: "ask_for_a_person" });
    await other.ask(conversation_id, VAGUE);
    const handoff = await eventually("a person is asked for", async () => {
      const current = await other.client.handoffs.get({ conversation_id });
      return current.handoff ?? undefined;
    });
    assert.equal(handoff.trigger, "model");
    assert.match(JSON.stringify(model.requests.at(-1)?.body["tools"]), /ask_for_a_person/);
  });

  it("a caller cannot read the model's host by importing from it", async () => {
    const before = model.requests.length;
    const { failed } = await agent.client.knowledge.add({
      purpose: "FILE_2_QA",
      files: [{ file_name: "secrets.txt", source_url: `${model.url}/secrets.txt` }],
    });
    assert.deepEqual(failed, ["secrets.txt"]);
    assert.equal(model.requests.length, before, "nobody called the model's host");
    assert.match(bed.logs(), /"event":"outbound_forbidden","purpose":"imports"/, "the operator is told");
  });

  it("the operator configures the model, whose key is never shown and goes to no other server", async () => {
    const operator = operatorOf(bed);
    const agent_id = agent.agentId;
    const shown = await operator.models.getChat({ agent_id });
    assert.deepEqual([shown.model, shown.api_key_set], ["talker", true]);
    assert.ok(!JSON.stringify(shown).includes("sk-test"));
    const moved = await refusal(
      operator.models.setChat({ agent_id, url: "https://elsewhere.example/v1", model: "m" }),
    );
    assert.deepEqual([moved.code, /requires api_key again/.test(moved.message)], [40000, true]);
    const [row] = await bed.database.query<{ sealed: string }>(
      "select encode(key_sealed, 'escape') as sealed from agent_model where agent_id = $1 and kind = 'chat'",
      [agent_id],
    );
    assert.ok(row !== undefined && !row.sealed.includes("sk-test"));
    assert.equal((await refusal(operator.models.getEmbedding({ agent_id }))).code, 40401);
  });
});
