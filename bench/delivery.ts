import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { measureBareCalls } from "./support/bare-calls.ts";
import { measureLatency } from "./support/latency.ts";
import { measureManyAgents } from "./support/many-agents.ts";
import { cpuOf, measure, partsOf, type Measured } from "./support/measured.ts";
import { measureHotAndCold, openSender } from "./support/sender.ts";
import { percentile, readOptions, report } from "./support/report.ts";

const POSTS_IN_FLIGHT = 64;
/** Messages a second at which latency is measured, and for how long. */
const RATES = [20, 40, 80, 160];
const LATENCY_SECONDS = 10;
const REST_MS = 60_000;

interface AtRate {
  ms: number[];
  cpuMsOfPart: Record<string, number>;
}

interface Round {
  bareEngine: Measured;
  hot: Measured;
  cold: Measured;
}

const options = readOptions({ messages: 4_000, rounds: 3, agents: 1_000 });
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: true,
  environment: { ...AS_SHIPPED, RATE_LIMIT_PER_SECOND: "1000000" },
});
await using arrivals = await openArrivals();
const send = await openSender(bed, arrivals);
const parts = partsOf(bed);
await send(400, 20); // the first messages pay for caches and compiled code
// Before the rounds: a burst leaves work behind that slows the next minute.
await sleep(REST_MS / 2);
const atRest = await measureCpu(() => sleep(REST_MS / 2));
const latencies: Map<number, AtRate>[] = [];
for (let round = 0; round < options.rounds; round += 1) latencies.push(await measureLatencies());
const barePost = await measureBarePost(options.messages * 2);
const rounds: Round[] = [];
for (let round = 0; round < options.rounds; round += 1) rounds.push(await measureRound());
const manyAgents = await measureManyAgents(bed, arrivals, send, options);
const atRates = (figure: (measured: AtRate) => number) =>
  Object.fromEntries(
    RATES.map((rate) => [
      rate,
      percentile(
        latencies.map((round) => figure(round.get(rate) ?? { ms: [], cpuMsOfPart: {} })),
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
  p50_ms: atRates(({ ms }) => percentile(ms, 0.5)),
  p99_ms: atRates(({ ms }) => percentile(ms, 0.99)),
  cpu_ms_at_rate: atRates(({ cpuMsOfPart }) => sum(cpuMsOfPart)),
  cpu_ms_at_lowest_rate_by_part: byPart(latencies.flatMap((round) => round.get(RATES[0] ?? 0) ?? [])),
  cpu_ms_per_second_at_rest_by_part: byPart([{ cpuMsOfPart: perOne(atRest, REST_MS / 2_000) }]),
});

/** Machines are noisy: what is compared is measured side by side, and the middle of the rounds is told. */
async function measureRound(): Promise<Round> {
  const bareEngine = await measureBareCalls(bed.engine, arrivals, options.messages);
  return { bareEngine, ...(await measureHotAndCold(send, arrivals, parts, options.messages)) };
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

/** The middle of the rounds, for each part of the service. */
function byPart(measured: Pick<Measured, "cpuMsOfPart">[]): Record<string, number> {
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

/** Few messages at a time share little: what one costs says how full the machine is at a rate. */
async function measureLatencies(): Promise<Map<number, AtRate>> {
  const values = new Map<number, AtRate>();
  for (const rate of RATES) {
    let ms: number[] = [];
    const used = await measureCpu(async (begin) => {
      const load = { perSecond: rate, seconds: LATENCY_SECONDS };
      ms = await measureLatency(send, arrivals, load, begin);
    });
    values.set(rate, { ms, cpuMsOfPart: perOne(used, ms.length) });
  }
  return values;
}

/** From the start of the work, or from where it says that it begins. */
async function measureCpu(work: (begin: () => void) => Promise<void>): Promise<Record<string, number>> {
  let before = cpuOf(parts);
  await work(() => (before = cpuOf(parts)));
  return Object.fromEntries(
    Object.entries(cpuOf(parts)).map(([name, ms]) => [name, ms - (before[name] ?? 0)]),
  );
}

function perOne(ms: Record<string, number>, count: number): Record<string, number> {
  return Object.fromEntries(Object.entries(ms).map(([name, one]) => [name, one / count]));
}

function sum(ms: Record<string, number>): number {
  return Object.values(ms).reduce((all, one) => all + one, 0);
}
