import { Pool } from "undici";
import { keepHalfOpen } from "./half-open.ts";
import type { Call, SignedIn } from "./signed-in.ts";
import type { Tally } from "./tally.ts";

/** What the abuser holds: two agents of its own with a key each, one visitor's token, and people with a role. */
export type Arsenal = {
  baseUrl: string;
  /** The key of the agent without a model. */
  apiKey: string;
  conversationIds: string[];
  /** A document with many pairs, to append to. */
  largeDocumentId: string;
  /** The key of the agent whose model is the abuser's own. */
  modelApiKey: string;
  modelConversationIds: string[];
  chatToken: string;
  chatConversationId: string;
  /** Where files drip. */
  fileUrl: string;
  signedIn: SignedIn;
};

export type Attack = {
  arsenal: Arsenal;
  tally: Tally;
  /** Aborted when time is up. */
  over: AbortSignal;
  /** The abuser's model answers as told from now on. */
  model: (behaviour: "hostile text" | "silence") => void;
};

export type Vector = {
  name: string;
  summary: string;
  /** What harms is what is let in: a run that saw only refusals proves nothing. */
  harmsUnlessRefused?: true;
  attack: (attack: Attack) => Promise<void>;
};

/** Enough addresses that ceilings by agent and visitor are tried, and not only the one by client address. */
const SOURCES = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 2}`);
const LONGEST_QUESTION = 24_900;
const BODY_BYTES = 10_000_000;
const RESPONSE_WITHIN_MS = 60_000;

function openPools(baseUrl: string, sources: string[]): Pool[] {
  return sources.map(
    (localAddress) =>
      new Pool(baseUrl, {
        connections: 64,
        localAddress,
        headersTimeout: RESPONSE_WITHIN_MS,
        bodyTimeout: RESPONSE_WITHIN_MS,
      }),
  );
}

type Sent = Omit<Call, "body"> & { body?: string | Buffer };

function post(path: string, key: string, body: string | Buffer): Sent {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return { method: "POST", path, headers, body };
}

/** Keeps this many connections busy: each sends its next request as soon as the last one is answered. */
async function flood(
  { arsenal, tally, over }: Attack,
  connections: number,
  callOf: (index: number) => Sent,
  sources = SOURCES,
): Promise<void> {
  const pools = openPools(arsenal.baseUrl, sources);
  let sent = 0;
  const send = async (pool: Pool) => {
    const call = callOf(sent++);
    tally.requests += 1;
    try {
      const response = await pool.request({ ...call, signal: over });
      await response.body.dump();
      if (response.statusCode < 300) tally.accepted += 1;
      else tally.refused += 1;
    } catch {
      if (!over.aborted) tally.failed += 1;
    }
  };
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const pool = pools[index % pools.length];
      while (pool !== undefined && !over.aborted) await send(pool);
    }),
  );
  await Promise.all(pools.map((pool) => pool.destroy()));
}

function message(
  conversationIds: string[],
  index: number,
  response_mode: "blocking" | "streaming" | "webhook",
  content: string,
): string {
  const conversation_id = conversationIds[index % conversationIds.length];
  return JSON.stringify({ conversation_id, response_mode, messages: [{ role: "user", content }] });
}

/** All that somebody who is signed in may ask for, in turn. */
function askFor(attack: Attack, calls: Call[], connections: number): Promise<void> {
  if (calls.length === 0) throw new Error("no route of the contract fits this vector");
  return flood(attack, connections, (index) => calls[index % calls.length] as Call);
}

/** Opens streams and keeps every one that is given. */
async function openStreams({ arsenal: { baseUrl }, tally, over }: Attack, calls: Call[]): Promise<void> {
  let opened = 0;
  const pools = SOURCES.map(
    (localAddress) => new Pool(baseUrl, { connections: 4_000, localAddress, bodyTimeout: 0 }),
  );
  const open = async (pool: Pool) => {
    tally.requests += 1;
    try {
      const call = calls[opened++ % calls.length] as Call;
      const response = await pool.request({ ...call, signal: over });
      if (response.statusCode !== 200) {
        tally.refused += 1;
        await response.body.dump();
        return;
      }
      tally.accepted += 1;
      response.body.on("error", () => undefined).resume();
    } catch {
      if (!over.aborted) tally.failed += 1;
    }
  };
  await Promise.all(
    pools.map(async (pool) => {
      while (!over.aborted) await Promise.all([open(pool), open(pool), open(pool), open(pool)]);
    }),
  );
  await Promise.all(pools.map((pool) => pool.destroy()));
}

const MESSAGE = "/v2/conversation/message";
const ADD = "/v1/bot/doc/qa/add";

/** Every way known to us in which one tenant or one visitor could hold up everybody else. */
export const VECTORS: Vector[] = [
  {
    name: "model_text",
    summary: "the tenant's own model streams long runs of digits",
    harmsUnlessRefused: true,
    attack(attack) {
      const { modelApiKey: key, modelConversationIds } = attack.arsenal;
      attack.model("hostile text");
      return flood(attack, 8, (index) =>
        post(MESSAGE, key, message(modelConversationIds, index, "streaming", `opening hours ${index}`)),
      );
    },
  },
  {
    name: "long_questions",
    summary: "questions of 24,900 characters against pairs with fifty alternates each",
    harmsUnlessRefused: true,
    attack(attack) {
      const { apiKey: key, conversationIds } = attack.arsenal;
      const text = Array.from({ length: 6_000 }, (_, index) => `w${index % 997}`).join(" ");
      const question = text.slice(0, LONGEST_QUESTION);
      return flood(attack, 8, (index) =>
        post(MESSAGE, key, message(conversationIds, index, "blocking", question)),
      );
    },
  },
  {
    name: "webhook_messages",
    summary: "messages to be answered by webhook, as many as the key may send",
    harmsUnlessRefused: true,
    attack(attack) {
      const { apiKey: key, conversationIds } = attack.arsenal;
      return flood(attack, 32, (index) =>
        post(MESSAGE, key, message(conversationIds, index, "webhook", `opening hours ${index}`)),
      );
    },
  },
  {
    name: "dripping_downloads",
    summary: "imports whose files arrive a byte at a time",
    attack(attack) {
      const { apiKey: key, fileUrl } = attack.arsenal;
      const files = Array.from({ length: 20 }, (_, index) => ({
        file_url: `${fileUrl}/drip-${index}.csv`,
        file_name: `drip-${index}.csv`,
      }));
      const body = JSON.stringify({ purpose: "QA_FILE", files });
      return flood(attack, 8, () => post(ADD, key, body));
    },
  },
  {
    name: "live_streams",
    summary: "one visitor opens live streams and keeps them",
    attack(attack) {
      const { chatToken, chatConversationId } = attack.arsenal;
      const path = `/chat/v1/conversations/${chatConversationId}/events`;
      return openStreams(attack, [
        { method: "GET", path, headers: { authorization: `Bearer ${chatToken}` } },
      ]);
    },
  },
  {
    name: "visitor_messages",
    summary: "one visitor writes as fast as it can",
    attack(attack) {
      const { chatToken: key, chatConversationId } = attack.arsenal;
      const path = `/chat/v1/conversations/${chatConversationId}/messages`;
      return flood(attack, 32, (index) => post(path, key, JSON.stringify({ text: `hello ${index}` })));
    },
  },
  {
    name: "model_calls",
    summary: "calls of a model that never answers",
    attack(attack) {
      const { modelApiKey: key, modelConversationIds } = attack.arsenal;
      attack.model("silence");
      return flood(attack, 64, (index) =>
        post(MESSAGE, key, message(modelConversationIds, index, "blocking", `opening hours ${index}`)),
      );
    },
  },
  {
    name: "transactions",
    summary: "documents of 2,000 pairs, thirty-two at once",
    harmsUnlessRefused: true,
    attack(attack) {
      const { apiKey: key } = attack.arsenal;
      const qaList = Array.from({ length: 2_000 }, (_, index) => ({
        question: `How many are ${index}?`,
        answer: `There are ${index}.`,
      }));
      const body = JSON.stringify({ purpose: "QA_TEXT", name: "Bulk", qaList });
      return flood(attack, 32, () => post(ADD, key, body));
    },
  },
  {
    name: "json_structure",
    summary: "bodies of 10 MB made of empty objects",
    attack(attack) {
      const { apiKey: key } = attack.arsenal;
      const body = Buffer.from(`[${"{},".repeat(Math.floor(BODY_BYTES / 3) - 10)}{}]`);
      return flood(attack, 4, () => post(ADD, key, body));
    },
  },
  {
    name: "strangers",
    summary: "requests with made-up API keys from one address",
    attack: (attack) =>
      flood(
        attack,
        64,
        (index) => post(MESSAGE, `sbx_${String(index).padStart(40, "0")}`, "{}"),
        SOURCES.slice(0, 1),
      ),
  },
  {
    name: "appends",
    summary: "pairs appended one at a time to a large document",
    harmsUnlessRefused: true,
    attack(attack) {
      const { apiKey: key, largeDocumentId: doc_id } = attack.arsenal;
      return flood(attack, 8, (index) =>
        post(
          "/v1/bot/doc/qa/chunks/add",
          key,
          JSON.stringify({ doc_id, chunks: [{ question: `One more ${index}?`, answer: "Yes." }] }),
        ),
      );
    },
  },
  {
    name: "viewer_searches",
    summary: "a viewer searches for texts of many words of several kinds",
    harmsUnlessRefused: true,
    attack: (attack) => askFor(attack, attack.arsenal.signedIn.viewerSearches, 64),
  },
  {
    name: "viewer_reads",
    summary: "a viewer reads every list, page after page",
    harmsUnlessRefused: true,
    attack: (attack) => askFor(attack, attack.arsenal.signedIn.viewerReads, 64),
  },
  {
    name: "viewer_exports",
    summary: "a viewer downloads every export",
    harmsUnlessRefused: true,
    attack: (attack) => askFor(attack, attack.arsenal.signedIn.viewerExports, 64),
  },
  {
    name: "viewer_streams",
    summary: "a viewer opens streams of changes and keeps them",
    harmsUnlessRefused: true,
    attack: (attack) => openStreams(attack, attack.arsenal.signedIn.viewerStreams),
  },
  {
    name: "support_reads",
    summary: "somebody of support reads all that the role may",
    harmsUnlessRefused: true,
    attack: (attack) => askFor(attack, attack.arsenal.signedIn.supportReads, 64),
  },
  {
    name: "key_reads",
    summary: "an API key reads every list",
    harmsUnlessRefused: true,
    attack: (attack) => askFor(attack, attack.arsenal.signedIn.keyReads, 64),
  },
  {
    name: "half_open",
    summary: "connections whose requests never end, or whose client never closes its half",
    attack: ({ arsenal: { baseUrl }, tally, over }) => keepHalfOpen(baseUrl, SOURCES, tally, over),
  },
];
