import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeAgent, operatorOf, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startModelServer, type ModelServer } from "../support/model-server.ts";
import { eventually } from "../support/processes.ts";
import { bearer, JSON_TYPE, sendRequest } from "../support/wire.ts";

const TOKENS_PER_DAY = 1_000;
const TOKENS_PER_ANSWER = 60;
const PAIRS = [
  { question: "How long is the warranty of the saw?", answer: "The warranty of the saw is 24 months." },
  { question: "Which oil does the saw need?", answer: "The saw needs chain oil, about 50 ml an hour." },
];
const VAGUE = "tell me about the saw warranty please";

describe("share of one visitor in an agent's model tokens", () => {
  let bed: Bed;
  let agent: MadeAgent;
  let model: ModelServer;
  before(async () => {
    model = await startModelServer();
    model.answer(() => ({
      say: "The saw has a warranty of 24 months [1].",
      usage: { prompt_tokens: TOKENS_PER_ANSWER - 10, completion_tokens: 10 },
    }));
    bed = await openBed({
      apis: 1,
      workers: 1,
      environment: { AGENT_MODEL_TOKENS_PER_DAY: String(TOKENS_PER_DAY) },
    });
    agent = await makeAgent(bed, { webhook: false, qaList: PAIRS });
    await operatorOf(bed).models.setChat({ agent_id: agent.agentId, url: model.url, model: "talker" });
  });
  after(async () => {
    await bed?.[Symbol.asyncDispose]();
    await model?.close();
  });

  /** One question in a chat of its own, with a token of its own; how it was answered. */
  async function ask(address: string, user?: string): Promise<string> {
    const { token } = await agent.client.chatTokens.mint(user === undefined ? {} : { user_id: user });
    const post = (path: string, body: object) =>
      sendRequest(bed.baseUrl, {
        method: "POST",
        path,
        headers: { ...bearer(token), ...JSON_TYPE, "x-forwarded-for": address },
        body: JSON.stringify(body),
      });
    const begun = await post("/chat/v1/conversations", {});
    const { conversation_id } = begun.body as { conversation_id: string };
    const said = await post(`/chat/v1/conversations/${conversation_id}/messages`, { text: VAGUE });
    assert.equal(said.status, 200, said.text);
    let branch = "";
    await eventually("the answer", async () => {
      const [row] = await bed.database.query<{ branch: string }>(
        "select branch from message where conversation_id = $1 and sender = 'ai'",
        [conversation_id],
      );
      branch = row?.branch ?? "";
      return branch !== "";
    });
    return branch;
  }

  it("anonymous visitors of one address use up a tenth of the agent's model tokens and are answered without a model, others with it", async () => {
    const branches: string[] = [];
    for (let asked = 0; asked < 4; asked += 1) branches.push(await ask("203.0.113.7"));
    assert.deepEqual(branches, ["model", "model", "direct", "direct"], "each with a token of its own");
    assert.equal(await ask("198.51.100.9"), "model", "another address");
    assert.equal(await ask("203.0.113.7", "ann"), "model", "a signed-in user of the same address");
    const subjects = await bed.database.query<{ answer_with: { payer: string } }>(
      "select answer_with from message where agent_id = $1 and sender = 'user'",
      [agent.agentId],
    );
    for (const { answer_with } of subjects) assert.match(answer_with.payer, /^(?:visitor|user) \d{1,5}$/);
  });
});
