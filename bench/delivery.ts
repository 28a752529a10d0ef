import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { measureBareCalls } from "./support/bare-calls.ts";
import { openCallers } from "./support/callers.ts";
import { flameGraph } from "./support/flame-graph.ts";
import { inFlight, measure, partsOf, type Measured } from "./support/measured.ts";
import { measureLatency } from "./support/latency.ts";
import { openSender } from "./support/sender.ts";
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
const send = await openSender(bed, arrivals);
const parts = partsOf(bed);
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
  many_agents_ratio: percentile(
    manyAgents.map(({ ofMany, ofOne }) => cpuRatio(ofMany, ofOne)),
    0.5,
  ),
  cpu_ms_hot_by_part: byPart(rounds.map(({ hot }) => hot)),
  cpu_ms_cold_by_part: byPart(rounds.map(({ cold }) => cold)),
  cpu_ms_many_agents_by_part: byPart(manyAgents.map(({ ofMany }) => ofMany)),
  p50_ms: latencyAt(0.5),
  p99_ms: latencyAt(0.99),
});
if (options.profile > 0) await drawFlameGraphs();
rmSync(profiles, { recursive: true });

/** Machines are noisy: what is compared is measured side by side, and the middle of the rounds is told. */
async function measureRound(): Promise<Round> {
  const bareEngine = await measureBareCalls(bed.engine, arrivals, options.messages);
  const hot = await measureOurs(options.messages / PER_LANE, PER_LANE);
  const cold = await measureOurs(options.messages / 2, 1);
  return { bareEngine, hot, cold };
}

function cpuRatio(one: Measured, other: Measured): number {
  return one.cpuMsEach / other.cpuMsEach;
}

function median(figure: (round: Round) => number): number {
  return percentile(rounds.map(figure), 0.5);
}

function measureBarePost(count: number): Promise<Measured> {
  const program = fileURLToPath(new URL("support/bare-post.ts", import.meta.url));
  return measure(arrivals, count, {}, async () => {
    const child = spawn(process.execPath, [program, arrivals.url, String(count), String(POSTS_IN_FLIGHT)], {
      stdio: "inherit",
    });
    await once(child, "exit");
  });
}

async function measureOurs(lanes: number, perLane: number): Promise<Measured> {
  const prepared = await send.prepare(lanes);
  return measure(arrivals, lanes * perLane, parts, () => send.all(prepared, perLane));
}

/** What a message costs when each is of another agent, and what it costs when all are of one, in turn. */
async function measureManyAgents(agents: number): Promise<{ ofMany: Measured; ofOne: Measured }[]> {
  await using callers = openCallers(bed);
  const many = await callers.addMany(agents, arrivals.url);
  const askAll = () => inFlight(agents, async (index) => many[index]?.ask());
  arrivals.reset();
  await askAll(); // the first message of an agent pays for what is kept of it
  await arrivals.waitFor(agents, TIMEOUT_MS);
  const measured: { ofMany: Measured; ofOne: Measured }[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    const ofMany = await measure(arrivals, agents, parts, askAll);
    measured.push({ ofMany, ofOne: await measureOurs(agents, 1) });
  }
  return measured;
}

/** The middle of the rounds, for each part of the service. */
function byPart(measured: Measured[]): Record<string, number> {
  return Object.fromEntries(
    Object.keys(parts).map((name) => [
      name,
      percentile(
        measured.map(({ cpuMsOfPart }) => cpuMsOfPart[name] ?? NaN),
        0.5,
      ),
    ]),
  );
}

async function measureLatencies(): Promise<Map<number, number[]>> {
  const values = new Map<number, number[]>();
  for (const rate of RATES)
    values.set(rate, await measureLatency(send, arrivals, { perSecond: rate, seconds: LATENCY_SECONDS }));
  return values;
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
