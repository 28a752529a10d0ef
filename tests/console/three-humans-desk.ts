import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient, SignalboxError, type Client } from "@signalbox/sdk";
import { makeAgent, operatorOf, type MadeAgent } from "@signalbox/tests/support/agents.ts";
import { startBalancer, type Balancer } from "@signalbox/tests/support/balancer.ts";
import { openBed, type Bed } from "@signalbox/tests/support/bed.ts";
import { LOAD_ENVIRONMENT } from "@signalbox/tests/support/load.ts";
import { givenMs } from "@signalbox/tests/support/machine.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
import type { ReceivedRequest } from "@signalbox/tests/support/receiver.ts";

/** Every message has one of its own, which says by whom it is and which of theirs: u of a user, h of a human, n a note. */
const MARK = /\[[uhn]\d+-\d+\]/g;
export const marksIn = (text: string): string[] => text.match(MARK) ?? [];

const HEAL_MS = 90_000;
const BETWEEN_MS = 1_000;
const WORDS_MAX = 25;

/** A user who goes on writing until somebody ends it. */
export interface ChattingUser {
  index: number;
  id: string;
  conversationId: string;
  /** Marks of what the service accepted, in order. */
  said: string[];
  /** Ends the writing with a last message, which has an attachment. */
  finish(): Promise<void>;
}

/** Two api nodes behind a balancer, two workers, and an agent whose users are answered in the inbox. */
export interface BusyDesk extends AsyncDisposable {
  bed: Bed;
  agent: MadeAgent;
  url: string;
  users: ChattingUser[];
  /** Kills a worker while it sends messages to users; gives how many exchanges that broke. */
  killWorker(): Promise<number>;
  /** Kills an api node while it has calls to answer; gives how many it left unanswered. */
  killApi(): Promise<number>;
  /** Marks in the conversation, as the service has them. */
  stored(user: ChattingUser): Promise<string[]>;
  /** Texts that reached the user, in order, each delivery once. */
  arrivedTexts(user: ChattingUser): string[];
}

export async function openBusyDesk(users: number): Promise<BusyDesk> {
  await using opening = new AsyncDisposableStack();
  const balancer = opening.use(await startBalancer());
  const bed = opening.use(
    await openBed({
      environment: { ...LOAD_ENVIRONMENT, DELIVERY_TIMEOUT_SECONDS: "60", INBOX_URL: balancer.url },
    }),
  );
  balancer.serve(bed.apis);
  const agent = await makeAgent(bed, { name: "Three humans" });
  await operatorOf(bed).inbox.set({ agent_id: agent.agentId });
  // On a slow machine three humans take long to answer all these users.
  const timer = { seconds: 3_600, warn_seconds: 0 };
  const timers = { first_reply: timer, human_idle: timer, user_idle: timer };
  await operatorOf(bed).handoffs.setSettings({ agent_id: agent.agentId, timers });
  const client = createClient({ baseUrl: balancer.url, apiKey: agent.apiKey, retries: 1, timeoutMs: 20_000 });
  const chatting: ChattingUser[] = [];
  for (let index = 0; index < users; index += 1) chatting.push(await beginChat(client, index));
  opening.defer(async () => void (await Promise.allSettled(chatting.map((user) => user.finish()))));
  const closing = opening.move();
  return {
    bed,
    agent,
    url: balancer.url,
    users: chatting,
    killWorker: () => killWorker(bed, agent),
    killApi: () => killApi(bed, balancer),
    async stored({ conversationId }) {
      const rows = await bed.database.query<{ text: string }>(
        "select text from message where conversation_id = $1 order by seq",
        [conversationId],
      );
      return rows.flatMap(({ text }) => marksIn(text));
    },
    arrivedTexts: ({ conversationId }) => textsOf(agent.arrived(), conversationId),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Again and again with the same key: a caller that saw no answer may have been heard. */
async function insist(call: (idempotencyKey: string) => Promise<unknown>): Promise<void> {
  const key = crypto.randomUUID();
  const deadline = givenMs() + HEAL_MS;
  for (;;) {
    try {
      await call(key);
      return;
    } catch (error) {
      const status = error instanceof SignalboxError ? error.status : 503;
      if (status < 500 || givenMs() > deadline) throw error;
      await sleep(200);
    }
  }
}

async function beginChat(client: Client, index: number): Promise<ChattingUser> {
  const id = `user-${String(index).padStart(2, "0")}@example.com`;
  const { conversation_id } = await client.conversations.create({ user_id: id });
  await client.handoffs.request({ conversation_id });
  const said: string[] = [];
  const ended = new AbortController();
  const say = async (attachment?: string) => {
    const mark = `[u${index}-${said.length}]`;
    const text = { type: "text" as const, text: `Where is my parcel? ${mark}` };
    const file = { type: "image" as const, image: [{ url: attachment ?? "", name: "parcel.png" }] };
    const content = attachment === undefined ? text.text : [text, file];
    await insist((idempotencyKey) =>
      client.conversations.sendMessage(
        { conversation_id, response_mode: "webhook", messages: [{ role: "user", content }] },
        { idempotencyKey },
      ),
    );
    said.push(mark);
  };
  const chatting = (async () => {
    while (!ended.signal.aborted) {
      if (said.length < WORDS_MAX) await say();
      await sleep(BETWEEN_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  })();
  // It is awaited when the chat ends; until then a failure must not count as unhandled.
  chatting.catch(() => undefined);
  return {
    index,
    id,
    conversationId: conversation_id,
    said,
    async finish() {
      if (ended.signal.aborted) return;
      ended.abort();
      await chatting;
      await say("https://files.example.com/parcel.png");
    },
  };
}

/** The developer answers nobody until messages are under way; the worker that sends them is killed, and then it answers. */
async function killWorker(bed: Bed, agent: MadeAgent): Promise<number> {
  const gate = Promise.withResolvers<undefined>();
  const held: ReceivedRequest[] = [];
  agent.respond((request) => {
    held.push(request);
    return gate.promise;
  });
  const broken = () => held.filter(({ answer }) => answer?.acknowledged === false).length;
  await eventually("messages are on their way to users", () => held.length > 0, { timeoutMs: HEAL_MS });
  for (const worker of bed.workers) {
    if (broken() > 0) break;
    // This worker or the next one sends the deliveries under way.
    await worker.kill9();
    await eventually("its connections are closed", () => broken() > 0, { timeoutMs: 2_000 }).catch(
      () => undefined,
    );
    await worker.start();
  }
  agent.respond(() => undefined);
  gate.resolve(undefined);
  return broken();
}

/** Stopped first, so that calls are waiting for its answer when it dies. */
async function killApi(bed: Bed, balancer: Balancer): Promise<number> {
  const node = bed.api(1);
  await node.pause();
  await eventually("calls wait for the node", () => balancer.unanswered(node) > 0, { timeoutMs: HEAL_MS });
  const unanswered = balancer.unanswered(node);
  await node.kill9();
  await node.start();
  return unanswered;
}

function textsOf(arrived: readonly ReceivedRequest[], conversationId: string): string[] {
  const seen = new Set<string | undefined>();
  return arrived.flatMap(({ headers, body }) => {
    const { conversation_id, output } = body as {
      conversation_id: string;
      output: { content: { text?: string } }[];
    };
    const id = headers["webhook-id"];
    if (conversation_id !== conversationId || seen.has(id)) return [];
    seen.add(id);
    return output.flatMap(({ content }) => content.text ?? []);
  });
}

/** In the conversation, on the screen and at the user: the same, each once and in order. */
export async function assertWhole(
  desk: BusyDesk,
  user: ChattingUser,
  { written, shown }: { written: readonly string[]; shown: readonly string[] },
): Promise<void> {
  const stored = await desk.stored(user);
  const by = (letter: string) => stored.filter((mark) => mark.startsWith(`[${letter}`));
  assert.deepEqual(by("u"), user.said, `${user.id}: what the user said is stored once and in order`);
  assert.deepEqual(by("h"), written, `${user.id}: what humans wrote is stored once and in order`);
  assert.deepEqual(
    shown.filter((mark) => !mark.startsWith("[n")),
    stored,
    `${user.id}: the screen shows each message once and in order`,
  );
  const reached = () => desk.arrivedTexts(user).flatMap(marksIn);
  await eventually(`${user.id} has all replies`, () => reached().length >= written.length, {
    timeoutMs: HEAL_MS,
  });
  assert.deepEqual(reached(), written, `${user.id}: each reply reaches the user once and in order`);
}
