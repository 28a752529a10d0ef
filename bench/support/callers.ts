import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@signalbox/sdk";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { Pool } from "undici";

const QUESTION = "When do you open?";

/** An agent with a webhook and one conversation that a bench speaks in. */
export interface Caller {
  agentId: string;
  webhookId: string;
  conversationId: string;
  /** Comes back when the service does not accept right now, as a caller would; the wait is part of what is measured. */
  ask(): Promise<void>;
}

export interface Callers extends AsyncDisposable {
  add(webhookUrl: string): Promise<Caller>;
  addMany(count: number, webhookUrl: string): Promise<Caller[]>;
}

const AT_ONCE = 16;
const REFUSED_MS = 200;
const REFUSED_MAX_MS = 30_000;

export function openCallers(bed: Bed): Callers {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const pool = new Pool(bed.baseUrl, { connections: 256 });

  async function add(webhookUrl: string): Promise<Caller> {
    const { agent_id } = await operator.agents.create({ name: "Bench" });
    const { api_key } = await operator.keys.create({ agent_id, name: "bench" });
    const { webhook_id } = await operator.webhooks.set({ agent_id, url: webhookUrl });
    const client = createClient({ baseUrl: bed.baseUrl, apiKey: api_key });
    await client.knowledge.add({
      purpose: "QA_TEXT",
      name: "Bench",
      qaList: [{ question: QUESTION, answer: "At nine." }],
    });
    const { conversation_id } = await client.conversations.create({ user_id: "bench" });
    const body = JSON.stringify({
      conversation_id,
      response_mode: "webhook",
      messages: [{ role: "user", content: QUESTION }],
    });
    const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" };
    return {
      agentId: agent_id,
      webhookId: webhook_id,
      conversationId: conversation_id,
      async ask() {
        for (const until = performance.now() + REFUSED_MAX_MS; ;) {
          const response = await pool.request({
            method: "POST",
            path: "/v2/conversation/message",
            headers,
            body,
          });
          const text = await response.body.text();
          if (response.statusCode === 200) return;
          if (response.statusCode !== 503 || performance.now() > until) throw new Error(text);
          await sleep(REFUSED_MS);
        }
      },
    };
  }

  return {
    add,
    async addMany(count, webhookUrl) {
      const made: Caller[] = [];
      let wanted = count;
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          while (wanted-- > 0) made.push(await add(webhookUrl));
        }),
      );
      return made;
    },
    [Symbol.asyncDispose]: () => pool.close(),
  };
}
