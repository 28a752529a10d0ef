import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "@signalbox/sdk";
import { openBed, type Bed } from "@signalbox/tests/support/bed.ts";
import { Pool } from "undici";
import { openArrivals, type Arrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { measureBareCalls } from "./support/bare-calls.ts";
import { openCallers } from "./support/callers.ts";
import { cpuMsOf } from "./support/cpu.ts";
import { flameGraph } from "./support/flame-graph.ts";
import { inFlight, measure, type Measured } from "./support/measured.ts";
import { percentile, readOptions, report } from "./support/report.ts";

const POSTS_IN_FLIGHT = 64;
const PER_LANE = 20;
/** Messages a second at which latency is measured, and for how long. */
const RATES = [20, 40, 80, 160];
const LATENCY_SECONDS = 10;
const REST_MS = 60_000;
const TIMEOUT_MS = 180_000;

interface Round {
  bareEngine: Measured;
  hot: Measured;
  hotCpuMs: Map<string, number>;
  cold: Measured;
}

const options = readOptions({ messages: 4_000, rounds: 3, agents: 1_000, profile: 0 });
const profiles = mkdtempSync(join(tmpdir(), "signalbox-profiles-"));
const profiling = options.profile > 0 ? { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}` } : {};
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: true,
  environment: { ...AS_SHIPPED, RATE_LIMIT_PER_SECOND: "1000000", ...profiling },
});
await using arrivals = await openArrivals();
const service = [bed.api().pid(), bed.worker().pid(), bed.engine.pid(), bed.ownCluster().pid()];
const send = await openSender(bed, arrivals);

const parts = { api: bed.api(), worker: bed.worker(), engine: bed.engine, postgres: bed.ownCluster() };
await send(400, 20); // the first messages pay for caches and compiled code
// Before the rounds: what a burst leaves behind slows whoever comes within a minute.
await sleep(REST_MS);
const latencies: Map<number, number[]>[] = [];
for (let round = 0; round < options.rounds; round += 1) latencies.push(await measureLatencies());
const barePost = await measureBarePost(options.messages * 2);
const rounds: Round[] = [];
for (let round = 0; round < options.rounds; round += 1) rounds.push(await measureRound());
const manyAgents = await measureManyAgents(options.agents);
const latencyAt = (share: number) =>
  Object.fromEntries(
    RATES.map((rate) => [
      rate,
      percentile(
        latencies.map((round) => percentile(round.get(rate) ?? [], share)),
        0.5,
      ),
    ]),
  );

report("delivery", {
  bare_post_per_s: Math.round(barePost.perSecond),
  engine_bare_per_s: Math.round(median(({ bareEngine }) => bareEngine.perSecond)),
  hot_per_s: Math.round(median(({ hot }) => hot.perSecond)),
  cold_per_s: Math.round(median(({ cold }) => cold.perSecond)),
  hot_over_engine: median(({ hot, bareEngine }) => hot.perSecond / bareEngine.perSecond),
  cold_over_engine: median(({ cold, bareEngine }) => cold.perSecond / bareEngine.perSecond),
  cpu_ms_per_delivery: median(({ hot }) => hot.cpuMsEach),
  cpu_ms_per_delivery_cold: median(({ cold }) => cold.cpuMsEach),
  cpu_ms_per_delivery_engine_bare: median(({ bareEngine }) => bareEngine.cpuMsEach),
  cpu_over_engine_hot: median(({ hot, bareEngine }) => cpuRatio(hot, bareEngine)),
  cpu_over_engine_cold: median(({ cold, bareEngine }) => cpuRatio(cold, bareEngine)),
  many_agents_ratio: manyAgents,
  cpu_ms_hot_by_part: Object.fromEntries(
    Object.keys(parts).map((name) => [name, median(({ hotCpuMs }) => hotCpuMs.get(name) ?? NaN)]),
  ),
  p50_ms: latencyAt(0.5),
  p99_ms: latencyAt(0.99),
});
if (options.profile > 0) await drawFlameGraphs();
rmSync(profiles, { recursive: true });

/** Machines are noisy: what is compared is measured side by side, and the middle of the rounds is told. */
async function measureRound(): Promise<Round> {
  const bareEngine = await measureBareCalls(bed.engine, arrivals, options.messages);
  const cpuOf = () => new Map(Object.entries(parts).map(([name, part]) => [name, cpuMsOf([part.pid()])]));
  const before = cpuOf();
  const hot = await measureOurs(options.messages / PER_LANE, PER_LANE);
  const hotCpuMs = new Map(
    [...cpuOf()].map(([name, ms]) => [name, (ms - (before.get(name) ?? 0)) / options.messages]),
  );
  const cold = await measureOurs(options.messages / 2, 1);
  return { bareEngine, hot, hotCpuMs, cold };
}

function cpuRatio(one: Measured, other: Measured): number {
  return one.cpuMsEach / other.cpuMsEach;
}

function median(figure: (round: Round) => number): number {
  return percentile(rounds.map(figure), 0.5);
}

function measureBarePost(count: number): Promise<Measured> {
  const program = fileURLToPath(new URL("support/bare-post.ts", import.meta.url));
  return measure(arrivals, count, [], async () => {
    const child = spawn(process.execPath, [program, arrivals.url, String(count), String(POSTS_IN_FLIGHT)], {
      stdio: "inherit",
    });
    await once(child, "exit");
  });
}

async function measureOurs(lanes: number, perLane: number): Promise<Measured> {
  const prepared = await send.prepare(lanes);
  return measure(arrivals, lanes * perLane, service, () => send.all(prepared, perLane));
}

/** What a message costs when each is of another agent, as a multiple of what it costs when all are of one. */
async function measureManyAgents(agents: number): Promise<number> {
  await using callers = openCallers(bed);
  const many = await callers.addMany(agents, arrivals.url);
  const askAll = () => inFlight(agents, async (index) => many[index]?.ask());
  arrivals.reset();
  await askAll(); // the first message of an agent pays for what is kept of it
  await arrivals.waitFor(agents, TIMEOUT_MS);
  const ofMany = await measure(arrivals, agents, service, askAll);
  const ofOne = await measureOurs(agents, 1);
  return cpuRatio(ofMany, ofOne);
}

async function measureLatencies(): Promise<Map<number, number[]>> {
  const values = new Map<number, number[]>();
  for (const rate of RATES) values.set(rate, await measureLatency(rate));
  return values;
}

/** From the moment a message is sent to its reply's arrival. */
async function measureLatency(perSecond: number): Promise<number[]> {
  const conversations = await send.prepare(200);
  const count = perSecond * LATENCY_SECONDS;
  const sentAt = new Map<string, number[]>(conversations.map((id) => [id, []]));
  arrivals.reset();
  const begun = performance.now();
  const calls: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const conversationId = conversations[index % conversations.length] ?? "";
    const waitMs = begun + (index / perSecond) * 1000 - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    sentAt.get(conversationId)?.push(performance.now());
    calls.push(send.one(conversationId));
  }
  await Promise.all(calls);
  await arrivals.waitFor(count, TIMEOUT_MS);
  return conversations.flatMap((id) =>
    arrivals.timesOf(id).map((time, index) => time - (sentAt.get(id)?.[index] ?? time)),
  );
}

/** A process writes its profile when it ends. */
async function drawFlameGraphs(): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  for (const [name, service] of [
    ["api", bed.api()],
    ["worker", bed.worker()],
  ] as const) {
    const pid = service.pid();
    await service.stop();
    const file = readdirSync(profiles).find((candidate) => candidate.includes(`.${pid}.`));
    if (file === undefined) throw new Error(`the ${name} left no profile`);
    const picture = flameGraph(join(profiles, file), `delivery, ${name}, ${day}`);
    writeFileSync(new URL(`results/${day}-delivery-${name}.svg`, import.meta.url), picture);
  }
}

type Sender = ((lanes: number, perLane: number) => Promise<void>) & {
  prepare(lanes: number): Promise<string[]>;
  all(conversations: string[], perLane: number): Promise<void>;
  one(conversationId: string): Promise<void>;
};

/** An agent with a signed, authenticated webhook and a small knowledge base; messages go through the public API. */
async function openSender(bed: Bed, arrivals: Arrivals): Promise<Sender> {
  const operator = createClient({ baseUrl: bed.baseUrl, operatorToken: bed.operatorToken });
  const { agent_id } = await operator.createAgent({ name: "Bench" });
  const { api_key } = await operator.createApiKey({ agent_id, name: "bench" });
  await operator.setMessageWebhook({ agent_id, url: arrivals.url, username: "bench", secret: "bench" });
  const client = createClient({ baseUrl: bed.baseUrl, apiKey: api_key });
  const qaList = Array.from({ length: 100 }, (_, index) => ({
    question: `What does topic${index} say about subject${index}?`,
    answer: `Topic ${index} says ${"much ".repeat(20)}`,
  }));
  await client.addQa({ purpose: "QA_TEXT", name: "Bench", qaList });
  const pool = new Pool(bed.baseUrl, { connections: 256 });

  async function one(conversationId: string): Promise<void> {
    const response = await pool.request({
      method: "POST",
      path: "/v2/conversation/message",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify({
        conversation_id: conversationId,
        response_mode: "webhook",
        messages: [{ role: "user", content: "topic7 subject7" }],
      }),
    });
    if (response.statusCode !== 200) throw new Error(await response.body.text());
    await response.body.dump();
  }
  async function prepare(lanes: number): Promise<string[]> {
    const ids: string[] = [];
    await inFlight(
      lanes,
      async () => void ids.push((await client.createConversation({ user_id: "bench" })).conversation_id),
    );
    return ids;
  }
  const all = (conversations: string[], perLane: number) =>
    inFlight(conversations.length * perLane, (index) =>
      one(conversations[index % conversations.length] ?? ""),
    );
  const run = async (lanes: number, perLane: number) => {
    arrivals.reset();
    await all(await prepare(lanes), perLane);
    await arrivals.waitFor(lanes * perLane, TIMEOUT_MS);
  };
  return Object.assign(run, { prepare, all, one });
}
