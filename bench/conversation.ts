import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "@signalbox/sdk";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { startModelServer } from "@signalbox/tests/support/model-server.ts";
import { freePort } from "@signalbox/tests/support/processes.ts";
import { Pool, request } from "undici";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { cpuMsOf } from "./support/cpu.ts";
import { drawProfile } from "./support/draw-profile.ts";
import { openLiveStreams } from "./support/live-streams.ts";
import { percentile, readOptions, report } from "./support/report.ts";

const IN_FLIGHT = 64;
const PER_CONVERSATION = 5;
const TIMEOUT_MS = 180_000;
const KNOWN = "What does topic7 say about subject7?";
/** Near enough to be an answer, too far to be given word for word: the model makes it. */
const VAGUE = "What about topic7 and subject7?";
const SAID = "For subject7, topic7 says much [1]. It says so often [1].";

const options = readOptions({
  turns: 2_000,
  rounds: 3,
  tokens: 200,
  streams: 10_000,
  seconds: 30,
  rate: 100,
  profile: 0,
});
const profiles = mkdtempSync(join(tmpdir(), "signalbox-profiles-"));
const profiling = options.profile > 0 ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` } : {};
await using model = await startModelServer();
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: true,
  environment: {
    ...AS_SHIPPED,
    ...profiling,
    RATE_LIMIT_PER_SECOND: "1000000",
    AGENT_STREAMS_MAX: "100000",
    // One user has all the streams.
    VISITOR_RATE_LIMIT_PER_SECOND: "1000000",
    VISITOR_MESSAGES_PER_MINUTE: "1000000",
    VISITOR_MESSAGES_PER_DAY: "1000000",
    VISITOR_STREAMS_MAX: "100000",
  },
});
await using arrivals = await openArrivals();
model.answer(() => ({ say: SAID }));

interface Asked {
  begin: () => Promise<string>;
  ask: (conversationId: string, mode: "blocking" | "webhook") => Promise<void>;
  /** The processes that are at work, beside the load generator. */
  pids: () => number[];
}

interface Turns {
  perSecond: number;
  cpuMsEach: number;
}

const ours = await openOurs();
const bare = await openBare();
interface Pair {
  ours: Turns;
  bare: Turns;
}
interface Round {
  blocking: Pair;
  webhook: Pair;
}
const rounds: Round[] = [];
for (let round = 0; round <= options.rounds; round += 1) {
  const beside = async (mode: "blocking" | "webhook") => ({
    ours: await measureTurns(ours.asked, mode),
    bare: await measureTurns(bare.asked, mode),
  });
  const measured = { blocking: await beside("blocking"), webhook: await beside("webhook") };
  // The first pays for caches and compiled code, on both sides.
  if (round > 0) rounds.push(measured);
}
bare.stop();
const median = (figure: (round: Round) => number) => percentile(rounds.map(figure), 0.5);
const overBare = ({ ours, bare }: Pair) => ours.perSecond / bare.perSecond;
const [direct, through] = await firstTokens();
const live = await holdStreams();

report("conversation", {
  blocking_over_bare: median(({ blocking }) => overBare(blocking)),
  blocking_cpu_ms: median(({ blocking }) => blocking.ours.cpuMsEach),
  blocking_cpu_ms_bare: median(({ blocking }) => blocking.bare.cpuMsEach),
  webhook_over_bare: median(({ webhook }) => overBare(webhook)),
  first_token_direct_ms_p50: percentile(direct, 0.5),
  first_token_ms_p50: percentile(through, 0.5),
  stream_added_ms_p50: percentile(through, 0.5) - percentile(direct, 0.5),
  ...live,
});
if (options.profile > 0) await drawProfile(bed.api(), profiles, "conversation", "api");
rmSync(profiles, { recursive: true });

async function openOurs() {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const { agent_id } = await operator.agents.create({ name: "Bench" });
  const { api_key: apiKey } = await operator.keys.create({ agent_id, name: "bench" });
  await operator.webhooks.set({ agent_id, url: arrivals.url });
  await operator.models.setChat({ agent_id, url: model.url, model: "talker" });
  const client = createClient({ baseUrl: bed.baseUrl, apiKey });
  const qaList = Array.from({ length: 100 }, (_, index) => ({
    question: `What does topic${index} say about subject${index}?`,
    answer: `Topic ${index} says ${"much ".repeat(20)}`,
  }));
  await client.knowledge.add({ purpose: "QA_TEXT", name: "Bench", qaList });
  const pool = new Pool(bed.baseUrl, { connections: IN_FLIGHT });
  const headers = { authorization: `Bearer ${apiKey}` };
  const asked: Asked = {
    begin: async () => (await client.conversations.create({ user_id: "bench" })).conversation_id,
    async ask(conversation_id, response_mode) {
      const messages = [{ role: "user", content: KNOWN }];
      await post(pool, "/v2/conversation/message", headers, { conversation_id, response_mode, messages });
    },
    pids: () => [bed.api().pid(), bed.worker().pid(), bed.ownCluster().pid(), bed.engine.pid()],
  };
  return { asked, apiKey, client };
}

/** The same writes beside ours, on the same PostgreSQL and the same engine. */
async function openBare() {
  const program = fileURLToPath(new URL("support/bare-conversation.ts", import.meta.url));
  const [port, enginePort] = [await freePort(), await freePort()];
  const places = [String(port), String(enginePort), bed.database.superuserUrl, bed.engine.ingressUrl];
  const child = spawn(process.execPath, [program, ...places, arrivals.url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const registered = await request(new URL("/deployments", bed.engine.adminUrl), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: `http://127.0.0.1:${enginePort}`, force: true }),
  });
  await registered.body.dump();
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: IN_FLIGHT });
  const asked: Asked = {
    begin: async () => String((await post(pool, "/conversation", {}, {}))["conversation_id"]),
    async ask(conversation_id, response_mode) {
      await post(pool, "/message", {}, { conversation_id, response_mode, text: KNOWN });
    },
    pids: () => [child.pid ?? 0, bed.ownCluster().pid(), bed.engine.pid()],
  };
  return { asked, stop: () => void child.kill("SIGKILL") };
}

async function post(
  pool: Pool,
  path: string,
  headers: Record<string, string>,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await pool.request({
    method: "POST",
    path,
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await response.body.text();
  if (response.statusCode !== 200) throw new Error(`${path}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}

/** From the first call until the last answer has come: by the call itself, or at the webhook. */
async function measureTurns(asked: Asked, mode: "blocking" | "webhook"): Promise<Turns> {
  const conversations: string[] = [];
  await inFlight(options.turns / PER_CONVERSATION, async () => void conversations.push(await asked.begin()));
  arrivals.reset();
  const cpuMsBefore = cpuMsOf(asked.pids());
  const begun = performance.now();
  // One after the other in each conversation, as people speak.
  await inFlight(conversations.length, async (index) => {
    for (let turn = 0; turn < PER_CONVERSATION; turn += 1) await asked.ask(conversations[index] ?? "", mode);
  });
  if (mode === "webhook") await arrivals.waitFor(conversations.length * PER_CONVERSATION, TIMEOUT_MS);
  const turns = conversations.length * PER_CONVERSATION;
  const perSecond = (turns * 1000) / (performance.now() - begun);
  return { perSecond, cpuMsEach: (cpuMsOf(asked.pids()) - cpuMsBefore) / turns };
}

async function inFlight(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < count) await run(next++);
    }),
  );
}

/** One at a time, in turn: the model's server asked directly, and through the service in streaming mode. */
async function firstTokens(): Promise<[number[], number[]]> {
  const [directly, throughUs]: [number[], number[]] = [[], []];
  for (let asked = -5; asked < options.tokens; asked += 1) {
    const toModel = { model: "talker", stream: true, messages: [{ role: "user", content: VAGUE }] };
    const direct = await untilText(`${model.url}/chat/completions`, {}, toModel, '"content":');
    const toUs = {
      conversation_id: await ours.asked.begin(),
      response_mode: "streaming",
      messages: [{ role: "user", content: VAGUE }],
    };
    const headers = { authorization: `Bearer ${ours.apiKey}` };
    const through = await untilText(`${bed.baseUrl}/v2/conversation/message`, headers, toUs, '"code":3');
    if (model.requests.length !== 2 * (asked + 6)) throw new Error("the model was not asked");
    if (asked < 0) continue;
    directly.push(direct);
    throughUs.push(through);
  }
  return [directly, throughUs];
}

/** Milliseconds from the call to the first piece that holds text, both sides read in the same way. */
async function untilText(url: string, headers: Record<string, string>, body: object, mark: string) {
  const begun = performance.now();
  const response = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  let first: number | undefined;
  for await (const piece of response.body)
    if (String(piece).includes(mark)) first ??= performance.now() - begun;
  if (first === undefined) throw new Error("no text was streamed");
  return first;
}

/** Many follow, few speak: what a stream costs, and how soon it is told. */
async function holdStreams() {
  const { token } = await ours.client.chatTokens.mint({ user_id: "bench" });
  const user = createClient({ baseUrl: bed.baseUrl, chatToken: token });
  const chats: string[] = [];
  await inFlight(options.streams, async () => void chats.push((await user.chats.begin()).conversation_id));
  const before = residentKb(bed.api().pid());
  await using streams = openLiveStreams(bed.baseUrl, token);
  for (const [index, chat] of chats.entries()) {
    streams.add(chat);
    if (index % 100 === 99) await sleep(50);
  }
  for (const until = performance.now() + TIMEOUT_MS; streams.ready() < chats.length; await sleep(50))
    if (performance.now() > until) throw new Error(`${streams.ready()} of ${chats.length} streams are open`);
  const kb = (residentKb(bed.api().pid()) - before) / chats.length;

  const pool = new Pool(bed.baseUrl, { connections: IN_FLIGHT });
  const sentAt = new Map<string, number>();
  const calls: Promise<unknown>[] = [];
  const begun = performance.now();
  for (let index = 0; index < options.rate * options.seconds; index += 1) {
    const waitMs = begun + (index * 1000) / options.rate - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    const chat = chats[Math.floor(Math.random() * chats.length)] ?? "";
    const client_id = String(index);
    sentAt.set(client_id, performance.now());
    const path = `/chat/v1/conversations/${chat}/messages`;
    calls.push(post(pool, path, { authorization: `Bearer ${token}` }, { text: KNOWN, client_id }));
  }
  await Promise.all(calls);
  for (const until = performance.now() + 30_000; streams.toldAt.size < sentAt.size; await sleep(50))
    if (performance.now() > until) throw new Error(`${streams.toldAt.size} of ${sentAt.size} were told`);
  await pool.close();
  const waits = [...sentAt].map(([id, at]) => (streams.toldAt.get(id) ?? Number.NaN) - at);
  return {
    streams_open: streams.ready(),
    kb_per_stream: kb,
    event_p50_ms: percentile(waits, 0.5),
    event_p99_ms: percentile(waits, 0.99),
    events_lost: sentAt.size - streams.toldAt.size,
  };
}

function residentKb(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1]);
}
