import type { QaPair, RequestOf } from "@signalbox/contract";
import { createClient, SignalboxError } from "@signalbox/sdk";
import type { Client, ClientOptions } from "@signalbox/sdk";
import type { Bed } from "./bed.ts";
import type { ReceivedRequest, Receiver, Responder } from "./receiver.ts";

/** What a test says about its agent; whatever it leaves out is there, and ordinary. */
export type AgentToMake = Partial<RequestOf<"createAgent">> & {
  /** The settings of its message webhook; false: none is configured. */
  webhook?: Partial<Omit<RequestOf<"setMessageWebhook">, "agent_id">> | false;
  qaList?: QaPair[];
};

export type MadeAgent = {
  agentId: string;
  knowledgeBaseId: string;
  keyId: string;
  apiKey: string;
  baseUrl: string;
  /** As the agent's caller. */
  client: Client;
  /** Where its messages arrive, and nobody else's. */
  webhookUrl: string;
  signingSecret: string;
  /** What arrived at its webhook so far. */
  arrived(): ReceivedRequest[];
  /** Waits until this many have arrived, counting those that came already. */
  arrivals(count: number, timeoutMs?: number): Promise<ReceivedRequest[]>;
  /** How the developer answers this agent's messages from now on. */
  respond(responder: Responder): void;
  /** The same for another path of the receiver. */
  respondAt(path: string, responder: Responder): void;
  converse(wanted?: Partial<RequestOf<"createConversation">>): Promise<string>;
  /** Adds a human service component; gives its id. */
  component(wanted?: Partial<RequestOf<"createHumanService">>): Promise<string>;
  /** The user says something; gives the id of the user's message. */
  ask(conversationId: string, text: string): Promise<string>;
};

type Reach = Pick<Bed, "baseUrl" | "operatorToken" | "receiver">;

/** Repeats hide what a test wants to see, so these clients make none. */
export function operatorOf(bed: Reach, options: Partial<ClientOptions> = {}): Client {
  return createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken, retries: 0, ...options });
}

export function callerOf(bed: Pick<Bed, "baseUrl">, apiKey: string, baseUrl = bed.baseUrl): Client {
  return createClient({ baseUrl, apiKey, retries: 0 });
}

/** An agent with a key, a webhook of its own at the bed's receiver, and what it knows. */
export async function makeAgent(bed: Reach, wanted: AgentToMake = {}): Promise<MadeAgent> {
  const { webhook = {}, qaList = [], ...settings } = wanted;
  const operator = operatorOf(bed);
  const agent = await operator.agents.create({ name: "Agent", ...settings });
  const { agent_id } = agent;
  const key = await operator.keys.create({ agent_id, name: "test" });
  const client = callerOf(bed, key.api_key);
  const webhookUrl = `${bed.receiver.url}/hooks/${agent_id}`;
  const hook =
    webhook === false ? undefined : await operator.webhooks.set({ agent_id, url: webhookUrl, ...webhook });
  if (qaList.length > 0) await client.knowledge.add({ purpose: "QA_TEXT", name: "Known", qaList });

  const path = new URL(webhookUrl).pathname;
  const arrived = () => bed.receiver.requests.filter((request) => request.path === path);
  return {
    agentId: agent_id,
    knowledgeBaseId: agent.default_knowledge_base_id,
    keyId: key.key_id,
    apiKey: key.api_key,
    baseUrl: bed.baseUrl,
    client,
    webhookUrl,
    signingSecret: hook?.signing_secret ?? "",
    arrived,
    async arrivals(count, timeoutMs = 15_000) {
      // Each request is looked at once: the receiver must go on answering while thousands have come.
      let fitting = 0;
      const isLast = (request: ReceivedRequest) => request.path === path && ++fitting >= count;
      await bed.receiver.waitFor(isLast, timeoutMs).catch((error: unknown) => {
        const seen = `${arrived().length} of ${count} messages arrived within ${timeoutMs} ms`;
        throw new Error(seen, { cause: error });
      });
      return arrived();
    },
    respond: (responder) => void respondersOf(bed.receiver).set(path, responder),
    respondAt: (at, responder) => void respondersOf(bed.receiver).set(at, responder),
    converse: async (given = {}) =>
      (await client.conversations.create({ user_id: "user-1", ...given })).conversation_id,
    component: async (given = {}) =>
      (await operator.desks.create({ agent_id, name: "Desk", url: bed.receiver.url, ...given })).component_id,
    ask: async (conversation_id, content) =>
      (
        await client.conversations.sendMessage({
          conversation_id,
          response_mode: "webhook",
          messages: [{ role: "user", content }],
        })
      ).message_id,
  };
}

/** The failure a call was answered with; a call that succeeds fails the test. */
export async function refusal(
  call: Promise<unknown>,
): Promise<{ status: number; code: number | undefined; message: string }> {
  const outcome = await call.then(
    (reply) => ({ reply }),
    (error: unknown) => ({ error }),
  );
  if (!("error" in outcome)) throw new Error(`this was not refused: ${JSON.stringify(outcome.reply)}`);
  const { error } = outcome;
  if (!(error instanceof SignalboxError)) throw error;
  return { status: error.status, code: error.code, message: error.message };
}

const responders = new WeakMap<Receiver, Map<string, Responder>>();

/** One receiver plays every agent's developer: each answers at its own path. */
function respondersOf(receiver: Receiver): Map<string, Responder> {
  const known = responders.get(receiver);
  if (known !== undefined) return known;
  const made = new Map<string, Responder>();
  responders.set(receiver, made);
  receiver.respond((request) => made.get(request.path)?.(request));
  return made;
}
