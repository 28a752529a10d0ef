import type { QaPair, RequestOf } from "@signalbox/contract";
import { createClient } from "@signalbox/sdk";
import type { Client } from "@signalbox/sdk";
import type { Bed } from "./bed.ts";
import { eventually } from "./processes.ts";

export type AttemptRow = {
  seq: number;
  number: number;
  cause: string | null;
  http_status: number | null;
  duration_ms: number;
  url: string | null;
};

export type DeliveryRow = { seq: number; id: string; state: string; cause: string | null; attempts: number };

/** An agent whose messages go to an address of the test's choosing. */
export type AgentAt = {
  agentId: string;
  webhookId: string;
  signingSecret: string;
  operator: Client;
  client: Client;
  /** Begins a conversation. */
  converse(): Promise<string>;
  /** The user says something, to which the agent has an answer to deliver. */
  say(conversationId: string, text?: string): Promise<void>;
  moveTo(url: string, more?: Partial<RequestOf<"setMessageWebhook">>): Promise<void>;
  /** The attempts so far, in the order of the lane. */
  attempts(): Promise<AttemptRow[]>;
  deliveries(): Promise<DeliveryRow[]>;
  /** Waits until this many attempts are stored. */
  attempted(count: number, timeoutMs?: number): Promise<AttemptRow[]>;
  /** What operators were told of its webhook, by any worker. */
  events(): string[];
  /** Waits until there are this many deliveries and none is pending. */
  settled(count: number, timeoutMs?: number): Promise<DeliveryRow[]>;
};

export async function makeAgentAt(
  bed: Bed,
  url: string,
  webhook: Partial<Omit<RequestOf<"setMessageWebhook">, "agent_id" | "url">> = {},
  qaList: QaPair[] = [],
): Promise<AgentAt> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken, retries: 0 });
  const { agent_id } = await operator.agents.create({ name: "Agent" });
  const { api_key } = await operator.keys.create({ agent_id, name: "test" });
  const client = createClient({ baseUrl: bed.baseUrl, apiKey: api_key, retries: 0 });
  const hook = await operator.webhooks.set({ agent_id, url, ...webhook });
  if (qaList.length > 0) await client.knowledge.add({ purpose: "QA_TEXT", name: "Known", qaList });

  const attempts = () =>
    bed.database.query<AttemptRow>(
      `select d.seq::integer, a.number, a.cause, a.http_status, a.duration_ms, a.url
        from attempt a join delivery d on d.id = a.delivery_id
        where a.agent_id = $1 order by d.lane_id, d.seq, a.number, a.started_at`,
      [agent_id],
    );
  const deliveries = () =>
    bed.database.query<DeliveryRow>(
      `select seq::integer, id, state, cause, attempts from delivery where agent_id = $1 order by lane_id, seq`,
      [agent_id],
    );
  return {
    agentId: agent_id,
    webhookId: hook.webhook_id,
    signingSecret: hook.signing_secret ?? "",
    operator,
    client,
    converse: async () => (await client.conversations.create({ user_id: "user" })).conversation_id,
    async say(conversation_id, text = "hello") {
      const messages: RequestOf<"sendMessage">["messages"] = [{ role: "user", content: text }];
      await client.conversations.sendMessage({ conversation_id, response_mode: "webhook", messages });
    },
    async moveTo(next, more = {}) {
      await operator.webhooks.set({ agent_id, url: next, ...more });
    },
    attempts,
    deliveries,
    events: () => bed.workers.flatMap((worker) => eventsIn(worker.logs(), agent_id)),
    attempted: (count, timeoutMs = 20_000) =>
      eventually(
        `${count} attempts at ${url}`,
        async () => {
          const found = await attempts();
          if (found.length < count) throw new Error(`${found.length} attempts: ${JSON.stringify(found)}`);
          return found;
        },
        { timeoutMs },
      ),
    settled: (count, timeoutMs = 30_000) =>
      eventually(
        `${count} deliveries to ${url} are settled`,
        async () => {
          const found = await deliveries();
          if (found.length < count || found.some(({ state }) => state === "pending"))
            throw new Error(JSON.stringify(found));
          return found;
        },
        { timeoutMs },
      ),
  };
}

function eventsIn(log: string, agentId: string): string[] {
  return log.split("\n").flatMap((line) => {
    if (!line.includes('"event":"operator_event"') || !line.includes(agentId)) return [];
    return [String((JSON.parse(line) as { kind: unknown }).kind)];
  });
}
