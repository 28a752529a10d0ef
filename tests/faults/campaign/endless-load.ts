import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@signalbox/sdk";
import { Pool } from "undici";
import type { Bed } from "../../support/bed.ts";
import type { Accepted } from "../../support/ledger.ts";
import { keyOf, POISON } from "./developer.ts";
import type { SeededRandom } from "./seeded-random.ts";

const AGENTS = 4;
const WORDS = 64;
const SENDERS = 64;
const MESSAGES_EACH = [5, 60] as const;
/** They write in bursts: then much happens at the same moment, and a fault finds it in one statement. */
const UNDER_WAY_MAX = 6_000;
const UNDER_WAY_AGAIN = 4_000;
/** Rare: each holds up its conversation until it is given up. */
const POISON_SHARE = 1 / 2_000;
const CALL_MS = 5_000;
const PAUSE_MS = 50;

export type EndlessLoad = {
  accepted: Accepted[];
  /** Calls whose answer never came, or came as a failure: they may have been accepted all the same. */
  unanswered: Accepted[];
  /** Answers other than 2xx, by code. */
  failures: Record<string, number>;
  /** Sent or accepted, and not yet taken by the developer. */
  underWay(): number;
  taken(message: Accepted): void;
  stop(): Promise<void>;
};

type LoadAgent = { apiKey: string };

export async function prepareAgents(bed: Bed): Promise<LoadAgent[]> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const words = [...Array.from({ length: WORDS }, (_, index) => wordOf(index)), POISON];
  return Promise.all(
    Array.from({ length: AGENTS }, async (_, index) => {
      const { agent_id } = await operator.createAgent({ name: `Agent ${index}` });
      const { api_key } = await operator.createApiKey({ agent_id, name: "load" });
      await operator.setMessageWebhook({ agent_id, url: `${bed.receiver.url}/hooks/${index}` });
      const qaList = words.map((word) => ({ question: word, answer: word }));
      await createClient({ baseUrl: bed.baseUrl, apiKey: api_key }).addQa({
        purpose: "QA_TEXT",
        name: "words",
        qaList,
      });
      return { apiKey: api_key };
    }),
  );
}

/** One more user of each agent says one word. */
export async function sendOneMore(bed: Bed, agents: LoadAgent[]): Promise<Accepted[]> {
  return Promise.all(
    agents.map(async ({ apiKey }) => {
      const client = createClient({ baseUrl: bed.baseUrl, apiKey });
      const { conversation_id } = await client.createConversation({ user_id: "one-more" });
      const content = wordOf(0);
      await client.sendMessage({
        conversation_id,
        response_mode: "webhook",
        messages: [{ role: "user", content }],
      });
      return { conversationId: conversation_id, key: keyOf(1, content) };
    }),
  );
}

function wordOf(index: number): string {
  return `w${index % WORDS}`;
}

/**
 * Users who never tire. Half of them repeat a call with its Idempotency-Key until it is accepted; the others send each message
 * once, and leave a conversation in which a call failed, because nobody knows whether it was accepted.
 */
export function startEndlessLoad(bed: Bed, agents: LoadAgent[], random: SeededRandom): EndlessLoad {
  const accepted: Accepted[] = [];
  const unanswered: Accepted[] = [];
  const failures: Record<string, number> = {};
  const underWay = new Set<string>();
  let stopped = false;
  let isFull = false;
  const nameOf = ({ conversationId, key }: Accepted) => `${conversationId} ${key}`;

  const pools = bed.apis.map(({ baseUrl }) => new Pool(baseUrl, { connections: SENDERS }));

  /** Without the SDK, which gives every call an Idempotency-Key. Undefined unless the answer is a 2xx. */
  async function call(
    pool: Pool,
    { apiKey }: LoadAgent,
    { path, body, key }: { path: string; body: object; key?: string | undefined },
  ): Promise<Record<string, unknown> | undefined> {
    let failure = "unanswered";
    try {
      const response = await pool.request({
        method: "POST",
        path,
        headers: {
          authorization: `Bearer ${apiKey}`,
          "content-type": "application/json",
          ...(key === undefined ? {} : { "idempotency-key": key }),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(CALL_MS),
      });
      const answer = (await response.body.json()) as Record<string, unknown>;
      if (response.statusCode < 300) return answer;
      failure = String(answer["code"]);
    } catch {
      // Nobody knows what became of it: the answer says as much as none.
    }
    failures[failure] = (failures[failure] ?? 0) + 1;
    await sleep(PAUSE_MS);
    return undefined;
  }

  async function converse(agent: LoadAgent, isKeyed: boolean, user: number): Promise<void> {
    const pool = random.pick(pools);
    const begun = await call(pool, agent, { path: "/v1/conversation", body: { user_id: `user-${user}` } });
    if (begun === undefined) return;
    const conversationId = String(begun["conversation_id"]);
    const length = random.between(...MESSAGES_EACH);
    const salt = random.between(0, WORDS);
    for (let index = 0; index < length; index += 1) {
      if (underWay.size > UNDER_WAY_MAX) isFull = true;
      while (isFull && !stopped) {
        await sleep(10);
        isFull &&= underWay.size > UNDER_WAY_AGAIN;
      }
      if (stopped) return;
      const text = random.next() < POISON_SHARE ? POISON : wordOf(salt + 7 * index);
      const message = { conversationId, key: keyOf(index + 1, text) };
      underWay.add(nameOf(message));
      const isAccepted = isKeyed
        ? await sendUntilAccepted(agent, conversationId, text, message.key)
        : await sendOnce(agent, conversationId, text);
      if (isAccepted) {
        accepted.push(message);
        continue;
      }
      unanswered.push(message);
      underWay.delete(nameOf(message));
      return;
    }
  }

  async function sendOnce(agent: LoadAgent, conversation_id: string, text: string, key?: string) {
    const body = {
      conversation_id,
      response_mode: "webhook",
      messages: [{ role: "user", content: text }],
    };
    return (
      (await call(random.pick(pools), agent, { path: "/v2/conversation/message", body, key })) !== undefined
    );
  }

  async function sendUntilAccepted(agent: LoadAgent, conversationId: string, text: string, key: string) {
    while (!stopped) if (await sendOnce(agent, conversationId, text, `${conversationId}-${key}`)) return true;
    return false;
  }

  async function sendForEver(sender: number): Promise<void> {
    while (!stopped) await converse(random.pick(agents), sender % 2 === 0, sender);
  }

  const finished = Promise.all(Array.from({ length: SENDERS }, (_, sender) => sendForEver(sender)));
  return {
    accepted,
    unanswered,
    failures,
    underWay: () => underWay.size,
    taken: (message) => void underWay.delete(nameOf(message)),
    async stop() {
      stopped = true;
      await finished;
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}
