import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "@signalbox/sdk";
import { Pool } from "undici";
import type { Bed } from "../../support/bed.ts";
import type { Accepted } from "../../support/ledger.ts";
import { now } from "../../support/receiver.ts";
import type { Call } from "../../support/stored-account.ts";
import { keyOf, POISON } from "./developer.ts";
import type { SeededRandom } from "./seeded-random.ts";
import { noteShown, streamOnce, type Shown } from "./streaming-callers.ts";

const AGENTS = 4;
const WORDS = 64;
const BREATH_MS = 100;
const MESSAGES_EACH = [5, 60] as const;
const CALL_MS = 5_000;
const MESSAGE_PATH = "/v2/conversation/message";
const PAUSE_MS = 50;

export type LoadShape = {
  senders: number;
  /** They wait for each answer, and take a breath between two. Every other reads it piece by piece. */
  waitingSenders: number;
  /** Senders pause above `underWayMax` messages, until `underWayAgain` are left: they write in bursts. */
  underWayMax: number;
  underWayAgain: number;
  /** Rare: each holds up its conversation until it is given up. */
  poisonShare: number;
};

/** Much happens at the same moment, and a fault finds it in one statement. */
export const DENSE: LoadShape = {
  senders: 64,
  waitingSenders: 8,
  underWayMax: 6_000,
  underWayAgain: 4_000,
  poisonShare: 1 / 2_000,
};

export type EndlessLoad = {
  accepted: Accepted[];
  /** Everything that anybody said, in every mode, and what came of it. */
  calls: Call[];
  /** What those saw who wait for their answers. */
  shown: Shown;
  /** Calls whose answer never came, or came as a failure: they may have been accepted all the same. */
  unanswered: Accepted[];
  /** Answers other than 2xx, by code. */
  failures: Record<string, number>;
  /** Sent or accepted, and not yet taken by the developer. */
  underWay(): number;
  /** Tells how many of those under way at this moment are under way still. */
  watchUnderWay(): () => number;
  /** When the developer last took a message. */
  takenAt(): number;
  taken(message: Accepted): void;
  stop(): Promise<void>;
};

type LoadBed = Pick<Bed, "baseUrl" | "operatorToken" | "receiver" | "apis">;
export type LoadAgent = { apiKey: string };
type Asked = { conversationId: string; text: string; call: string };

export async function prepareAgents(bed: LoadBed): Promise<LoadAgent[]> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const words = [...Array.from({ length: WORDS }, (_, index) => wordOf(index)), POISON];
  return Promise.all(
    Array.from({ length: AGENTS }, async (_, index) => {
      const { agent_id } = await operator.agents.create({ name: `Agent ${index}` });
      const { api_key } = await operator.keys.create({ agent_id, name: "load" });
      await operator.webhooks.set({ agent_id, url: `${bed.receiver.url}/hooks/${index}` });
      const qaList = words.map((word) => ({ question: word, answer: word }));
      await createClient({ baseUrl: bed.baseUrl, apiKey: api_key }).knowledge.add({
        purpose: "QA_TEXT",
        name: "words",
        qaList,
      });
      return { apiKey: api_key };
    }),
  );
}

/** One more user of each agent says one word. */
export async function sendOneMore(bed: LoadBed, agents: LoadAgent[], calls: Call[]): Promise<Accepted[]> {
  return Promise.all(
    agents.map(async ({ apiKey }) => {
      const client = createClient({ baseUrl: bed.baseUrl, apiKey });
      const { conversation_id } = await client.conversations.create({ user_id: "one-more" });
      const content = wordOf(0);
      await client.conversations.sendMessage({
        conversation_id,
        response_mode: "webhook",
        messages: [{ role: "user", content }],
      });
      calls.push({ conversationId: conversation_id, text: content, isAnswered: true });
      return { conversationId: conversation_id, key: keyOf(1, content) };
    }),
  );
}

function wordOf(index: number): string {
  return `w${index % WORDS}`;
}

/**
 * Users who never tire. Half of them repeat a call with its Idempotency-Key until it is accepted; the others send each message
 * once, and leave a conversation in which a call failed, because nobody knows whether it was accepted. A few wait for each answer.
 */
export function startEndlessLoad(
  bed: LoadBed,
  agents: LoadAgent[],
  random: SeededRandom,
  shape: LoadShape,
): EndlessLoad {
  const accepted: Accepted[] = [];
  const calls: Call[] = [];
  const shown: Shown = new Map();
  const unanswered: Accepted[] = [];
  const failures: Record<string, number> = {};
  const underWay = new Set<string>();
  let takenAt = now();
  let stopped = false;
  let isFull = false;
  const nameOf = ({ conversationId, key }: Accepted) => `${conversationId} ${key}`;

  const pools = bed.apis.map(({ baseUrl }) => new Pool(baseUrl, { connections: shape.senders }));

  /** Without the SDK, which gives every call an Idempotency-Key. Without an answer unless it is a 2xx. */
  async function call(
    pool: Pool,
    { apiKey }: LoadAgent,
    { path, body, key }: { path: string; body: object; key?: string | undefined },
  ): Promise<{ answer?: Record<string, unknown>; refusal?: string }> {
    let failure = "unanswered";
    let refusal = "";
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
      if (response.statusCode < 300) return { answer };
      failure = String(answer["code"]);
      refusal = String(answer["message"]);
    } catch {
      // Nobody knows what became of it: the answer says as much as none.
    }
    failures[failure] = (failures[failure] ?? 0) + 1;
    await sleep(PAUSE_MS);
    return { refusal };
  }

  async function beginConversation(agent: LoadAgent, user: string): Promise<string | undefined> {
    const path = "/v1/conversation";
    const { answer } = await call(random.pick(pools), agent, { path, body: { user_id: user } });
    return answer && String(answer["conversation_id"]);
  }

  async function converse(agent: LoadAgent, isKeyed: boolean, user: number): Promise<void> {
    const conversationId = await beginConversation(agent, `user-${user}`);
    if (conversationId === undefined) return;
    const length = random.between(...MESSAGES_EACH);
    const salt = random.between(0, WORDS);
    for (let index = 0; index < length; index += 1) {
      if (underWay.size > shape.underWayMax) isFull = true;
      while (isFull && !stopped) {
        await sleep(10);
        isFull &&= underWay.size > shape.underWayAgain;
      }
      if (stopped) return;
      const text = random.next() < shape.poisonShare ? POISON : wordOf(salt + 7 * index);
      const message = { conversationId, key: keyOf(index + 1, text) };
      underWay.add(nameOf(message));
      const isAccepted = isKeyed
        ? await sendUntilAccepted(agent, conversationId, text, message.key)
        : await sendOnce(agent, conversationId, text);
      calls.push({ conversationId, text, isAnswered: isAccepted });
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
    const { answer } = await call(random.pick(pools), agent, { path: MESSAGE_PATH, body, key });
    return answer !== undefined;
  }

  /** Without a key, so that what is stored twice was stored twice by the service. */
  async function askAndWait(
    agent: LoadAgent,
    user: number,
    ask: (agent: LoadAgent, asked: Asked) => Promise<Pick<Call, "messageId" | "refusal">>,
  ): Promise<void> {
    const conversationId = await beginConversation(agent, `caller-${user}`);
    if (conversationId === undefined) return;
    const salt = random.between(0, WORDS);
    for (let index = 0; index < MESSAGES_EACH[1] && !stopped; index += 1) {
      const text = wordOf(salt + 7 * index);
      const { messageId, refusal } = await ask(agent, { conversationId, text, call: `call ${index}` });
      const isAnswered = messageId !== undefined;
      calls.push({ conversationId, text, isAnswered, refusal, messageId });
      if (!isAnswered) return;
      await sleep(BREATH_MS);
    }
  }

  async function block(agent: LoadAgent, { conversationId, text, call: name }: Asked) {
    const body = {
      conversation_id: conversationId,
      response_mode: "blocking",
      messages: [{ role: "user", content: text }],
    };
    const { answer, refusal } = await call(random.pick(pools), agent, { path: MESSAGE_PATH, body });
    if (answer === undefined) return { refusal };
    const messageId = String(answer["message_id"]);
    const [said] = answer["output"] as { content: { text: string } }[];
    const reply = said?.content.text ?? "";
    noteShown(shown, conversationId, "blocking caller", {
      saw: "message",
      call: name,
      messageId,
      sender: "ai",
      text: reply,
    });
    if (reply !== text) failures["another's reply"] = (failures["another's reply"] ?? 0) + 1;
    return { messageId };
  }

  async function stream({ apiKey }: LoadAgent, asked: Asked) {
    const { baseUrl } = random.pick(bed.apis);
    const signal = AbortSignal.timeout(CALL_MS);
    const end = await streamOnce({ baseUrl, apiKey, signal }, asked, shown);
    if (end.failure === undefined) return end;
    failures[end.failure] = (failures[end.failure] ?? 0) + 1;
    await sleep(PAUSE_MS);
    return { refusal: end.refusal };
  }

  async function sendUntilAccepted(agent: LoadAgent, conversationId: string, text: string, key: string) {
    while (!stopped) if (await sendOnce(agent, conversationId, text, `${conversationId}-${key}`)) return true;
    return false;
  }

  async function sendForEver(sender: number): Promise<void> {
    while (!stopped) await converse(random.pick(agents), sender % 2 === 0, sender);
  }

  async function askForEver(sender: number): Promise<void> {
    while (!stopped) await askAndWait(random.pick(agents), sender, sender % 2 === 0 ? block : stream);
  }

  const finished = Promise.all([
    ...Array.from({ length: shape.senders }, (_, sender) => sendForEver(sender)),
    ...Array.from({ length: shape.waitingSenders }, (_, sender) => askForEver(sender)),
  ]);
  return {
    accepted,
    calls,
    shown,
    unanswered,
    failures,
    underWay: () => underWay.size,
    watchUnderWay() {
      const watched = [...underWay];
      return () => watched.filter((name) => underWay.has(name)).length;
    },
    takenAt: () => takenAt,
    taken(message) {
      takenAt = now();
      underWay.delete(nameOf(message));
    },
    async stop() {
      stopped = true;
      await finished;
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}
