import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { routes, zeroUsage } from "@signalbox/contract";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import pg from "pg";
import { openEngine } from "../engine/index.ts";
import { addQa, createCosineFloors, createStatisticsCache } from "../knowledge/index.ts";
import {
  createLog,
  createSealer,
  newId,
  openAgentDatabase,
  openOutbound,
  openSearchDatabase,
  openWorkDatabase,
  Refusal,
  type AgentDatabase,
  unmetered,
} from "../platform/index.ts";
import { createAnswering, type OpenAnswering } from "./answer.ts";
import type { Answer } from "./question-and-answer.ts";

describe("answerQuestion", () => {
  const open = new AsyncDisposableStack();
  const sealer = createSealer([{ id: "k1", material: Buffer.alloc(32, 7) }]);
  let owner: pg.Client;
  let agents: AgentDatabase;
  let openAnswering: OpenAnswering;
  let imports: Parameters<typeof addQa>[0];

  async function answerQuestion(agentId: string, question: string): Promise<Answer | undefined> {
    const answer = await openAnswering(agentId);
    return answer?.(question, { conversationId: newId() });
  }

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const options = { url: database.url, poolSize: 2, onError: () => undefined };
    agents = open.adopt(openAgentDatabase(options), (handle) => handle.close());
    const { db } = open.adopt(openWorkDatabase(options), (handle) => handle.close());
    const { db: search } = open.adopt(openSearchDatabase(options), (handle) => handle.close());
    const outbound = open.adopt(
      openOutbound({ allowedHosts: [], allowedRanges: [], connectionLifeMs: 60_000 }),
      (client) => client.close(),
    );
    openAnswering = createAnswering({
      sealer,
      outbound,
      db,
      search,
      searches: (_, work) => work(),
      modelQuota: { of: unmetered },
      statistics: createStatisticsCache(search),
      floors: createCosineFloors(),
      log: createLog("error", {}),
    });
    const engine = open.adopt(openEngine({ ingressUrl: "http://127.0.0.1:9" }), (client) => client.close());
    imports = {
      agents,
      writes: (_agentId, work) => work(),
      sealer,
      engine,
      answerWithinMs: 1_000,
      waitingFilesMax: 100,
      stopping: new AbortController().signal,
    };
    owner = new pg.Client({ connectionString: database.maintenanceUrl });
    await owner.connect();
    open.defer(() => owner.end());
  });
  after(() => open.disposeAsync());

  async function addAgent(settings: { language?: string; fallback?: string } = {}): Promise<string> {
    const agentId = newId();
    await owner.query("insert into agent (id, name, language, fallback_text) values ($1, 'n', $2, $3)", [
      agentId,
      settings.language ?? "en",
      settings.fallback ?? null,
    ]);
    return agentId;
  }

  async function teach(agentId: string, question: string, answer: string): Promise<void> {
    const knowledge_base_id = newId();
    await owner.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      knowledge_base_id,
      agentId,
    ]);
    const request = routes.addQa.body.parse({
      purpose: "QA_TEXT",
      name: "n",
      knowledge_base_id,
      qaList: [{ question, answer }],
    });
    const origin = { request: { id: newId(), address: "127.0.0.1" }, apiKeyName: "test" };
    const key = { agentId, apiKeyId: newId(), ...origin };
    const caller = { kind: "agent", ...key, idempotency: undefined } as const;
    assert.ok(!((await addQa(imports, caller, request)) instanceof Refusal));
  }

  it("a question that matches a pair is answered in the pair's own words, from the best match", async () => {
    const agentId = await addAgent();
    await teach(agentId, "How do I change my address?", "In the settings.");
    await teach(agentId, "How do I change my password?", "By the link under the form.");
    const answer = await answerQuestion(agentId, "how to change my PASSWORD");
    assert.deepEqual(
      answer?.sources.map(({ question }) => question),
      ["How do I change my password?"],
    );
    assert.deepEqual(
      { ...answer, isExact: false, sources: [] },
      {
        text: "By the link under the form.",
        branch: "direct",
        outcome: "answered",
        isExact: false,
        suggestions: [],
        sources: [],
        componentName: "Answer",
        asksForPerson: false,
        audio: [],
        usage: zeroUsage(),
      },
    );
  });

  it("a question without a match gets the fallback, in the agent's own text or language", async () => {
    const [english, chinese, own] = [
      await addAgent(),
      await addAgent({ language: "zh-CN" }),
      await addAgent({ fallback: "Please call us." }),
    ];
    for (const agentId of [english, chinese, own])
      await teach(agentId, "opening hours on Sunday", "From ten.");
    const asked = "Do giraffes sleep standing in the savanna?";
    const texts = [];
    for (const agentId of [english, chinese, own]) {
      const answer = await answerQuestion(agentId, asked);
      assert.equal(answer?.branch, "fallback");
      texts.push(answer.text);
    }
    assert.match(texts[0] ?? "", /^I couldn't find an answer/);
    assert.match(texts[1] ?? "", /没有找到相关答案/);
    assert.equal(texts[2], "Please call us.");
  });

  it("small talk gets a small-talk reply unless a pair matches exactly, and counts as neither answered nor unanswered", async () => {
    const agentId = await addAgent();
    await teach(agentId, "Who are you?", "I am the lighthouse keeper.");
    for (const asked of ["hello", "Thanks a lot!", "ok", "🙂", "am I talking to a bot?"]) {
      const answer = await answerQuestion(agentId, asked);
      assert.deepEqual([answer?.outcome, answer?.branch], ["small_talk", "direct"], asked);
    }
    assert.equal((await answerQuestion(agentId, "who are you"))?.text, "I am the lighthouse keeper.");
    const { rows } = await owner.query("select 1 from unanswered_question where agent_id = $1", [agentId]);
    assert.equal(rows.length, 0);
  });

  it("a small-talk reply uses the agent's own text, and there is none when small talk is off", async () => {
    const agentId = await addAgent();
    const set = (value: object) =>
      owner.query("update agent set small_talk = $2 where id = $1", [agentId, JSON.stringify(value)]);
    await set({ enabled: true, replies: { greeting: "Ahoy!" } });
    assert.equal((await answerQuestion(agentId, "hi"))?.text, "Ahoy!");
    await set({ enabled: false });
    assert.equal((await answerQuestion(agentId, "hi"))?.outcome, "unanswered");
  });

  it("a question near several pairs is answered with a choice, and its number chooses one", async () => {
    const agentId = await addAgent();
    await teach(agentId, "How do I return shoes?", "With the label.");
    await teach(agentId, "How do I return jackets?", "At the counter.");
    const offer = await answerQuestion(agentId, "return things");
    assert.equal(offer?.outcome, "offered");
    assert.deepEqual(offer.suggestions.toSorted(), ["How do I return jackets?", "How do I return shoes?"]);
    for (const [at, question] of offer.suggestions.entries())
      assert.ok(offer.text.includes(`${at + 1}. ${question}`));
    const answer = await (
      await openAnswering(agentId)
    )?.("2", { conversationId: newId(), offered: async () => offer.suggestions });
    assert.equal(
      answer?.text,
      offer.suggestions[1] === "How do I return shoes?" ? "With the label." : "At the counter.",
    );
  });

  it("a pair is found by a synonym, also by the agent's own", async () => {
    const agentId = await addAgent();
    await teach(agentId, "How much does shipping cost?", "Five euros.");
    await teach(agentId, "How do I polish a flurb?", "With wax.");
    assert.equal((await answerQuestion(agentId, "what is the postage fee"))?.text, "Five euros.");
    assert.notEqual((await answerQuestion(agentId, "polish my zorb"))?.text, undefined);
    await owner.query("update agent set synonyms = $2 where id = $1", [
      agentId,
      JSON.stringify([["flurb", "zorb"]]),
    ]);
    assert.equal((await answerQuestion(agentId, "how to polish a zorb"))?.text, "With wax.");
  });

  it("a follow-up with too few words is searched with the words of the question before", async () => {
    const agentId = await addAgent();
    await teach(agentId, "What are the showroom opening hours?", "Weekdays from 9 to 18, closed on Sundays.");
    await teach(agentId, "What are the library opening hours?", "Every day from 8 to 20, Sundays from 10.");
    await teach(agentId, "Do you sell gift cards?", "Yes.");
    const answer = async (asked: string) =>
      (await openAnswering(agentId))?.(asked, {
        conversationId: newId(),
        recall: async () => [
          { who: "user", text: "What are the showroom opening hours?" },
          { who: "agent", text: "Weekdays from 9 to 18, closed on Sundays." },
        ],
      });
    assert.match((await answer("and on Sundays?"))?.text ?? "", /closed on Sundays/);
    // The answer must speak of the new word: the old answer is not given again to any question.
    assert.doesNotMatch((await answer("and kayaks?"))?.text ?? "", /closed on Sundays/);
  });

  it("an answer never comes from another agent's knowledge", async () => {
    const [knowing, unknowing] = [await addAgent(), await addAgent()];
    await teach(knowing, "what is the secret word", "swordfish");
    assert.equal((await answerQuestion(knowing, "what is the secret word"))?.text, "swordfish");
    assert.equal((await answerQuestion(unknowing, "what is the secret word"))?.branch, "fallback");
  });

  it("every possible message gets an answer", async () => {
    const agentId = await addAgent();
    await teach(agentId, "密码", "…");
    const han = Array.from({ length: 25_000 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
    );
    for (const asked of [han.join(""), "' \\ :* | & !", " "])
      assert.equal((await answerQuestion(agentId, asked))?.branch, "fallback");
  });

  it("a deleted or unknown agent gives no answer", async () => {
    const agentId = await addAgent();
    await owner.query("update agent set deleted_at = now() where id = $1", [agentId]);
    assert.equal(await answerQuestion(agentId, "hello"), undefined);
    assert.equal(await answerQuestion(newId(), "hello"), undefined);
  });
});
