// Whether sick destinations hold up healthy ones: two services side by side, one of them with the sick.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { openBed, type Bed } from "@signalbox/tests/support/bed.ts";
import { eventually, freePort } from "@signalbox/tests/support/processes.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { addBacklog, openOrderedArrivals } from "./support/backlog.ts";
import { openCallers, type Caller, type Callers } from "./support/callers.ts";
import { cpuMsOf } from "./support/cpu.ts";
import { percentile, readOptions, report } from "./support/report.ts";
import { askedSoFar, askSteadily } from "./support/steady.ts";

const SLOW_MS = 9_900;
const SLOW_LANES = 20;
const PER_LANE = 20;
const FLOOD = 100;
const SMALL_AGENTS = 10;

const options = readOptions({
  healthy: 1_000,
  pairs: 5,
  seconds: 30,
  // Every message is of another agent, so that none shares its commits: two cores are full at about 60 a second.
  rate: 25,
  lanes: 5_000,
  waiting: 1_000_000,
  flood: 500,
});
const environment = { ...AS_SHIPPED, RATE_LIMIT_PER_SECOND: "1000000" };
const bedOptions = { apis: 1, workers: 1, ownCluster: true, environment };
await using sickBed = await openBed(bedOptions);
await using wellBed = await openBed(bedOptions);
await using arrivals = await openArrivals();
await using sickCallers = openCallers(sickBed);
await using wellCallers = openCallers(wellBed);
const withSick = await sickCallers.addMany(options.healthy, arrivals.url);
const without = await wellCallers.addMany(options.healthy, arrivals.url);
for (const callers of [without, withSick])
  while (askedSoFar(callers) < callers.length) await healthyLatencies(callers);

const deadPort = await freePort();
const dead = await sickCallers.add(`http://127.0.0.1:${deadPort}/`);
await addBacklog(sickBed, { ...dead, lanes: options.lanes, perLane: PER_LANE });
await allParked(sickBed, dead, options.lanes);
await using slow = await openSlow(sickCallers);

const ratios: number[] = [];
const atRest: number[] = [];
for (let pair = 0; pair < options.pairs; pair += 1) {
  const order = pair % 2 === 0 ? [without, withSick] : [withSick, without];
  const p99 = new Map<Caller[], number>();
  for (const callers of order) p99.set(callers, percentile(await healthyLatencies(callers), 0.99));
  atRest.push(p99.get(without) ?? NaN);
  const ratio = (p99.get(withSick) ?? NaN) / (p99.get(without) ?? NaN);
  console.log(
    `pair ${pair + 1}: p99 ${p99.get(withSick)?.toFixed(0)} ms with the sick, ${p99.get(without)?.toFixed(0)} ms without`,
  );
  ratios.push(ratio);
}
const slowAnswered = slow.answered();
const recovery = await measureRecovery();
const drainRatio = await measureDrainCost();
const fairness = await measureFairness();

report("isolation", {
  healthy_p99_ratio: percentile(ratios, 0.5),
  healthy_p99_ratio_least: Math.min(...ratios),
  healthy_p99_ratio_most: Math.max(...ratios),
  slow_answered: slowAnswered,
  ...recovery,
  drain_cost_ratio_1m: drainRatio,
  fairness,
});

function healthyLatencies(callers: Caller[]): Promise<number[]> {
  return askSteadily(callers, arrivals, options);
}

async function allParked(bed: Bed, { webhookId }: Caller, lanes: number): Promise<void> {
  await eventually(
    "all lanes of the dead destination wait in PostgreSQL",
    async () => {
      const [row] = await bed.database.query<{ parked: number }>(
        "select count(*)::integer as parked from lane where destination_id = $1 and state = 'parked'",
        [webhookId],
      );
      return (row?.parked ?? 0) >= lanes - 1;
    },
    { timeoutMs: 1_200_000, everyMs: 500 },
  );
}

/** A developer who takes almost as long as may be, and lanes that keep having something for him. */
async function openSlow(callers: Callers): Promise<AsyncDisposable & { answered(): number }> {
  let answered = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      setTimeout(() => {
        answered += 1;
        response.writeHead(200, { "content-type": "application/json" }).end('{"code":200,"msg":"success"}');
      }, SLOW_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const lanes = await callers.addMany(SLOW_LANES, `http://127.0.0.1:${port}/`);
  // One after another, so that what is measured is his slowness and not a burst of messages.
  let next = 0;
  const asking = setInterval(() => {
    void lanes[next++ % lanes.length]?.ask().catch(() => undefined);
  }, SLOW_MS / SLOW_LANES);
  return {
    answered: () => answered,
    async [Symbol.asyncDispose]() {
      clearInterval(asking);
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The dead one answers again: everything arrives in order, and the healthy keep their time. */
async function measureRecovery(): Promise<Record<string, number>> {
  await using back = await openOrderedArrivals(deadPort);
  const total = options.lanes * PER_LANE;
  const begun = performance.now();
  const p99s: number[] = [];
  while (back.arrived() < total && performance.now() - begun < 1_200_000) {
    const p99 = percentile(await healthyLatencies(withSick), 0.99);
    console.log(`recovered ${back.arrived()} of ${total}: p99 ${p99.toFixed(0)} ms of the healthy`);
    p99s.push(p99);
  }
  const seconds = (performance.now() - begun) / 1000;
  return {
    recovered: back.arrived(),
    recovered_out_of_order: back.outOfOrder(),
    recovery_seconds: seconds,
    recovery_p99_ratio: percentile(p99s, 0.5) / percentile(atRest, 0.5),
  };
}

/** CPU of all parts a delivery, with nothing waiting and with a million. */
async function measureDrainCost(): Promise<number> {
  const service = [
    wellBed.api().pid(),
    wellBed.worker().pid(),
    wellBed.engine.pid(),
    wellBed.ownCluster().pid(),
  ];
  const costs = async (): Promise<number> => {
    const measured: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const before = cpuMsOf(service);
      await healthyLatencies(without);
      measured.push((cpuMsOf(service) - before) / (options.rate * options.seconds));
    }
    return percentile(measured, 0.5);
  };
  const empty = await costs();
  const away = await wellCallers.add(`http://127.0.0.1:${await freePort()}/`);
  const lanes = Math.ceil(options.waiting / PER_LANE);
  await addBacklog(wellBed, { ...away, lanes, perLane: PER_LANE });
  await allParked(wellBed, away, lanes);
  const full = await costs();
  console.log(
    `a delivery costs ${empty.toFixed(2)} ms of CPU with nothing waiting, ${full.toFixed(2)} with ${options.waiting}`,
  );
  return full / empty;
}

/**
 * One agent offers a hundred times the load of ten others. Jain's index over what each got of what it was due: the others
 * all they asked for, the flood what is left.
 */
async function measureFairness(): Promise<number> {
  const small = without.slice(0, SMALL_AGENTS);
  const flood = without.at(-1);
  if (flood === undefined) throw new Error("nobody is there to flood");
  const each = (options.flood / FLOOD) * options.seconds;
  const before = small.map(({ conversationId }) => arrivals.timesOf(conversationId).length);
  const floodBefore = arrivals.timesOf(flood.conversationId).length;
  const begun = performance.now();
  const calls: Promise<void>[] = [];
  for (let index = 0; index < options.flood * options.seconds; index += 1) {
    const waitMs = begun + (index / options.flood) * 1000 - performance.now();
    if (waitMs > 1) await sleep(waitMs);
    calls.push(flood.ask());
    if (index % FLOOD === 0) for (const caller of small) calls.push(caller.ask());
  }
  await Promise.all(calls);
  // A message that has not come within a second of the last call was held up.
  await sleep(1_000);
  const shares = small.map(
    ({ conversationId }, at) => (arrivals.timesOf(conversationId).length - (before[at] ?? 0)) / each,
  );
  const flooded = arrivals.timesOf(flood.conversationId).length - floodBefore;
  console.log(
    `the flood got ${flooded} of ${options.flood * options.seconds}, the others ${shares.map((share) => share.toFixed(2)).join(" ")}`,
  );
  const all = [...shares, 1];
  const sum = all.reduce((total, share) => total + share, 0);
  return sum ** 2 / (all.length * all.reduce((total, share) => total + share ** 2, 0));
}
