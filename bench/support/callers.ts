import { createClient } from "@signalbox/sdk";
import type { Bed } from "@signalbox/tests/support/bed.ts";
import { Pool } from "undici";

const QUESTION = "When do you open?";

/** An agent with a webhook and one conversation that a bench speaks in. */
export interface Caller {
  agentId: string;
  webhookId: string;
  conversationId: string;
  ask(): Promise<void>;
}

export interface Callers extends AsyncDisposable {
  add(webhookUrl: string): Promise<Caller>;
  addMany(count: number, webhookUrl: string): Promise<Caller[]>;
}

const AT_ONCE = 16;

export function openCallers(bed: Bed): Callers {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const pool = new Pool(bed.baseUrl, { connections: 256 });

  async function add(webhookUrl: string): Promise<Caller> {
    const { agent_id } = await operator.createAgent({ name: "Bench" });
    const { api_key } = await operator.createApiKey({ agent_id, name: "bench" });
    const { webhook_id } = await operator.setMessageWebhook({ agent_id, url: webhookUrl });
    const client = createClient({ baseUrl: bed.baseUrl, apiKey: api_key });
    await client.addQa({
      purpose: "QA_TEXT",
      name: "Bench",
      qaList: [{ question: QUESTION, answer: "At nine." }],
    });
    const { conversation_id } = await client.createConversation({ user_id: "bench" });
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
        const response = await pool.request({
          method: "POST",
          path: "/v2/conversation/message",
          headers,
          body,
        });
        const text = await response.body.text();
        if (response.statusCode !== 200) throw new Error(text);
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
