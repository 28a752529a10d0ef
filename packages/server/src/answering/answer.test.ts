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
  UNMETERED,
} from "../platform/index.ts";
import { createAnswering, type Answer, type OpenAnswering } from "./answer.ts";

describe("the answer to a question", () => {
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
      modelQuota: { of: () => UNMETERED },
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

  it("is a pair's own words when they fit, from whichever base fits best", async () => {
    const agentId = await addAgent();
    await teach(agentId, "How do I change my address?", "In the settings.");
    await teach(agentId, "How do I change my password?", "By the link under the form.");
    const answer = await answerQuestion(agentId, "how to change my PASSWORD");
    assert.deepEqual(answer, {
      text: "By the link under the form.",
      branch: "direct",
      componentName: "Answer",
      asksForPerson: false,
      audio: [],
      usage: zeroUsage(),
    });
  });

  it("is the fallback when less is in common, in the agent's words or language", async () => {
    const [english, chinese, own] = [
      await addAgent(),
      await addAgent({ language: "zh-CN" }),
      await addAgent({ fallback: "Please call us." }),
    ];
    for (const agentId of [english, chinese, own])
      await teach(agentId, "opening hours on Sunday", "From ten.");
    const asked = "a question about something else altogether, Sunday or not";
    const texts = [];
    for (const agentId of [english, chinese, own]) {
      const answer = await answerQuestion(agentId, asked);
      assert.equal(answer?.branch, "fallback");
      texts.push(answer.text);
    }
    assert.match(texts[0] ?? "", /^I have no answer/);
    assert.match(texts[1] ?? "", /没有答案/);
    assert.equal(texts[2], "Please call us.");
  });

  it("is never from another agent's knowledge", async () => {
    const [knowing, unknowing] = [await addAgent(), await addAgent()];
    await teach(knowing, "what is the secret word", "swordfish");
    assert.equal((await answerQuestion(knowing, "what is the secret word"))?.text, "swordfish");
    assert.equal((await answerQuestion(unknowing, "what is the secret word"))?.branch, "fallback");
  });

  it("comes for any message there can be", async () => {
    const agentId = await addAgent();
    await teach(agentId, "密码", "…");
    const han = Array.from({ length: 25_000 }, (_, index) =>
      String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
    );
    for (const asked of [han.join(""), "🙂", "' \\ :* | & !", " "])
      assert.equal((await answerQuestion(agentId, asked))?.branch, "fallback");
  });

  it("is none when the agent is deleted or was never there", async () => {
    const agentId = await addAgent();
    await owner.query("update agent set deleted_at = now() where id = $1", [agentId]);
    assert.equal(await answerQuestion(agentId, "hello"), undefined);
    assert.equal(await answerQuestion(newId(), "hello"), undefined);
  });
});
