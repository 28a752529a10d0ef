import { createClient, SignalboxError } from "@signalbox/sdk";
import type { Client } from "@signalbox/sdk";
import type { Bed } from "./bed.ts";
import { judge } from "./ledger.ts";
import type { Accepted, Account, Verdict } from "./ledger.ts";
import { eventually } from "./processes.ts";

export type LoadTarget = {
  agentId: string;
  apiKey: string;
  conversationIds: string[];
  messagesEach: number;
};

/** Given to a bed under load: our own rate limit is no fault to look for. */
export const LOAD_ENVIRONMENT = { RATE_LIMIT_PER_SECOND: "100000", LOG_LEVEL: "info" };

/**
 * An agent with one pair for every message that will be sent, so that each answer tells which message it is for and a
 * reply that took another conversation's place is seen.
 */
export async function prepareLoad(
  bed: Pick<Bed, "baseUrl" | "operatorToken" | "receiver">,
  { conversations, messagesEach }: { conversations: number; messagesEach: number },
): Promise<LoadTarget> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const { agent_id } = await operator.agents.create({ name: "Load" });
  const { api_key } = await operator.keys.create({ agent_id, name: "load" });
  await operator.webhooks.set({ agent_id, url: `${bed.receiver.url}/messages`, username: "developer" });
  const caller = createClient({ baseUrl: bed.baseUrl, apiKey: api_key });
  const keys = Array.from({ length: conversations }, (_, conversation) =>
    Array.from({ length: messagesEach }, (_, message) => keyOf(conversation, message)),
  );
  await caller.knowledge.add({
    purpose: "QA_TEXT",
    name: "load",
    qaList: keys.flat().map((key) => ({ question: key, answer: key })),
  });
  const conversationIds: string[] = [];
  for (const [index] of keys.entries()) {
    const { conversation_id } = await caller.conversations.create({ user_id: `user-${index}` });
    conversationIds.push(conversation_id);
  }
  return { agentId: agent_id, apiKey: api_key, conversationIds, messagesEach };
}

/** One word, so that the lexical match finds this pair and no other. */
function keyOf(conversation: number, message: number): string {
  return `c${conversation}m${message}`;
}

export type Load = {
  /** Written down before a call is made. */
  attempted: Accepted[];
  /** Written down when its 2xx was read; within a conversation in the order of sending. */
  accepted: Accepted[];
  unanswered(): Accepted[];
  /** Answers other than 2xx, by code; "unanswered" counts calls that got none. */
  failures: Map<string, number>;
  /** Raises the number of messages that may be sent in all; the senders wait there. */
  allow(messages: number): void;
  /** When every message allowed so far and all before it were accepted. */
  acceptedCount(messages: number, timeoutMs: number): Promise<void>;
  /** When all senders have ended, having sent all or been told to stop. */
  finished: Promise<void>;
  stop(): Promise<void>;
};

/** One sender a conversation, each sending one message after another through both nodes, again and again until accepted. */
export function startLoad(
  bed: { apis: { baseUrl: string }[] },
  target: LoadTarget,
  allowedAtFirst = Number.POSITIVE_INFINITY,
): Load {
  const attempted: Accepted[] = [];
  const accepted: Accepted[] = [];
  const failures = new Map<string, number>();
  let allowed = allowedAtFirst;
  let stopped = false;

  /** The quota is shared evenly, so that a test knows how far each conversation has come. */
  const quotaOf = (index: number) => Math.ceil((allowed - index) / target.conversationIds.length);

  async function sendAll(conversationId: string, index: number): Promise<void> {
    const nodes = bed.apis.map(({ baseUrl }) => baseUrl);
    const baseUrls = [...nodes.slice(index % nodes.length), ...nodes.slice(0, index % nodes.length)];
    const client = createClient({ baseUrls, apiKey: target.apiKey, timeoutMs: 10_000, retries: 1 });
    for (let message = 0; message < target.messagesEach; message += 1) {
      while (message >= quotaOf(index) && !stopped) await pause(5);
      if (stopped) return;
      const sent = { conversationId, key: keyOf(index, message) };
      attempted.push(sent);
      if (!(await sendOne(client, sent))) return;
      accepted.push(sent);
    }
  }

  /** The same Idempotency-Key each time: a call whose answer was lost may have been accepted. */
  async function sendOne(client: Client, { conversationId, key }: Accepted): Promise<boolean> {
    while (!stopped) {
      try {
        await client.conversations.sendMessage(
          {
            conversation_id: conversationId,
            response_mode: "webhook",
            messages: [{ role: "user", content: key }],
          },
          { idempotencyKey: `${conversationId}-${key}` },
        );
        return true;
      } catch (error) {
        const name = error instanceof SignalboxError ? String(error.code ?? error.status) : "unanswered";
        failures.set(name, (failures.get(name) ?? 0) + 1);
        await pause(100);
      }
    }
    return false;
  }

  const finished = Promise.all(target.conversationIds.map(sendAll)).then(() => undefined);
  return {
    attempted,
    accepted,
    unanswered: () => {
      const answered = new Set(accepted);
      return attempted.filter((sent) => !answered.has(sent));
    },
    failures,
    allow: (messages) => void (allowed = messages),
    acceptedCount: async (messages, timeoutMs) => {
      const reached = () => accepted.length >= messages;
      await eventually(`${messages} messages are accepted`, reached, { timeoutMs, everyMs: 10 }).catch(
        (error: unknown) => {
          const seen = `${accepted.length} accepted, other answers ${JSON.stringify([...failures])}`;
          throw new Error(`${String(error)}: ${seen}`, { cause: error });
        },
      );
    },
    finished,
    stop: async () => {
      stopped = true;
      await finished;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Accepted by the database's own account and not yet delivered. */
export async function undelivered(bed: Bed): Promise<number> {
  const [row] = await bed.database.query<{ count: string }>(
    `select (select count(*) from message where sender = 'user')
      - (select count(*) from delivery where state = 'delivered') as count`,
  );
  return Number(row?.count);
}

/** Waits until nothing is under way, and checks that nothing is left that nobody would ever look at again. */
export async function drained(bed: Pick<Bed, "database">, timeoutMs: number): Promise<void> {
  await eventually(
    "everything accepted is delivered or given up",
    async () => {
      const [left] = await bed.database.query(
        `select (select count(*)::int from conversation where turn_awake or turn_done_seq < turn_due_seq) as turns,
          (select count(*)::int from lane where state <> 'idle' or done_seq < tail_seq) as lanes,
          (select count(*)::int from delivery where state = 'pending') as deliveries`,
      );
      const isDone = left?.["turns"] === 0 && left["lanes"] === 0 && left["deliveries"] === 0;
      if (!isDone) throw new Error(`still left: ${JSON.stringify(left)}`);
      return true;
    },
    { timeoutMs, everyMs: 100 },
  );
}

/** The receiver's ledger against the senders': the only judgement that counts. */
export function judgeLoad(
  bed: Pick<Bed, "receiver">,
  load: Load,
  more: Partial<Omit<Account, "accepted" | "unanswered" | "received">> = {},
): Verdict {
  return judge({
    accepted: load.accepted,
    unanswered: load.unanswered(),
    received: bed.receiver.ledger(),
    ...more,
  });
}
