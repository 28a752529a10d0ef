import { createClient } from "@signalbox/sdk";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { Pool } from "undici";
import type { Arrivals } from "./arrivals.ts";
import { inFlight, measure, type Measured, type Parts } from "./measured.ts";

const TIMEOUT_MS = 180_000;

/** Sends `perLane` messages in each of `lanes` new conversations, and waits until all are answered. */
export type Sender = ((lanes: number, perLane: number) => Promise<void>) & {
  agentId: string;
  webhookId: string;
  prepare(lanes: number): Promise<string[]>;
  all(conversations: string[], perLane: number, atOnce?: number): Promise<void>;
  one(conversationId: string): Promise<void>;
};

/**
 * An agent with a signed, authenticated webhook and a small knowledge base; messages go through the public API, to the
 * first api process, or to those that `nodes` names at the moment, in turn.
 */
export async function openSender(
  bed: Bed,
  arrivals: Arrivals,
  nodes = (): string[] => [bed.baseUrl],
): Promise<Sender> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const { agent_id } = await operator.agents.create({ name: "Bench" });
  const { api_key } = await operator.keys.create({ agent_id, name: "bench" });
  const { webhook_id } = await operator.webhooks.set({
    agent_id,
    url: arrivals.url,
    username: "bench",
    secret: "bench",
  });
  const client = createClient({ baseUrl: bed.baseUrl, apiKey: api_key });
  const qaList = Array.from({ length: 100 }, (_, index) => ({
    question: `What does topic${index} say about subject${index}?`,
    answer: `Topic ${index} says ${"much ".repeat(20)}`,
  }));
  await client.knowledge.add({ purpose: "QA_TEXT", name: "Bench", qaList });
  const pools = new Map<string, Pool>();
  let sent = 0;

  function nextPool(): Pool {
    const urls = nodes();
    const url = urls[sent++ % urls.length] ?? bed.baseUrl;
    const pool = pools.get(url) ?? new Pool(url, { connections: 256 });
    pools.set(url, pool);
    return pool;
  }
  async function one(conversationId: string): Promise<void> {
    const response = await nextPool().request({
      method: "POST",
      path: "/v2/conversation/message",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify({
        conversation_id: conversationId,
        response_mode: "webhook",
        messages: [{ role: "user", content: "topic7 subject7" }],
      }),
    });
    if (response.statusCode !== 200) throw new Error(await response.body.text());
    await response.body.dump();
  }
  async function prepare(lanes: number): Promise<string[]> {
    const ids: string[] = [];
    await inFlight(
      lanes,
      async () => void ids.push((await client.conversations.create({ user_id: "bench" })).conversation_id),
    );
    return ids;
  }
  const all = (conversations: string[], perLane: number, atOnce?: number) =>
    inFlight(
      conversations.length * perLane,
      (index) => one(conversations[index % conversations.length] ?? ""),
      atOnce,
    );
  const run = async (lanes: number, perLane: number) => {
    arrivals.reset();
    await all(await prepare(lanes), perLane);
    await arrivals.waitFor(lanes * perLane, TIMEOUT_MS);
  };
  return Object.assign(run, { agentId: agent_id, webhookId: webhook_id, prepare, all, one });
}

const PER_BUSY_LANE = 20;

/** Messages of busy conversations, and single ones. The conversations are made before the clock starts. */
export async function measureHotAndCold(
  send: Sender,
  arrivals: Arrivals,
  parts: Parts,
  messages: number,
): Promise<{ hot: Measured; cold: Measured }> {
  const measureLanes = async (lanes: number, perLane: number) => {
    const conversations = await send.prepare(lanes);
    return measure(arrivals, lanes * perLane, parts, () => send.all(conversations, perLane));
  };
  const hot = await measureLanes(messages / PER_BUSY_LANE, PER_BUSY_LANE);
  return { hot, cold: await measureLanes(messages / 2, 1) };
}
