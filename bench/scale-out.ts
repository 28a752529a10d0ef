// Whether twice as many workers or api processes do twice as much: each may use the same small share of one core, so that
// all of them and the load generator fit it, and PostgreSQL and Restate have the other core.
import { loadavg } from "node:os";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { freePort, freePorts } from "@signalbox/tests/support/processes.ts";
import { startService, type Service } from "@signalbox/tests/support/service.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { cpuMsOf, pidsUnder } from "./support/cpu.ts";
import { openCpuShares, pinTo } from "./support/cpu-share.ts";
import { measure } from "./support/measured.ts";
import { percentile, readOptions, report } from "./support/report.ts";
import { startRequestBalancer } from "./support/request-balancer.ts";
import { openSender } from "./support/sender.ts";

/** From many to few: a process that is stopped would come back cold. */
const WORKERS = [8, 4, 2, 1];
const APIS = [4, 2, 1];
/** Messages, for each worker. */
const WARM_UP = 300;
/** Few, so that there are always more conversations at work than workers can take up at once. */
const PER_LANE = 4;
/** At once, for each process: with more processes come more callers. */
const CALLERS = 64;
const CORE_OF_PROCESSES = 1;
const CORE_OF_STORES = 0;

/** One number of processes in one round. */
interface Point {
  perSecond: number;
  /** CPU of the processes that are held to a share, per message. */
  cpuMsEach: number;
  /** The same of PostgreSQL and Restate. */
  storesCpuMsEach: number;
  /** How much of their shares these processes used: on average, and the one that used least. */
  shareUsed: number;
  leastShareUsed: number;
}

/**
 * `seconds` is about how long one point lasts; `share` is that of one process, in cores. With `--balanced 0` the kernel
 * shares out Restate's connections, and not HAProxy its requests.
 */
const options = readOptions({ share: 0.06, seconds: 15, rounds: 3, balanced: 1 });
await using shares = openCpuShares(options.share);
const [balancerPort = 0, ...servicePorts] = await freePorts(1 + Math.max(...WORKERS));
const serviceOf = (worker: number): Record<string, string> => ({
  ENGINE_SERVICE_PORT: String(options.balanced === 0 ? balancerPort : servicePorts[worker]),
  ENGINE_SERVICE_URI: `http://127.0.0.1:${balancerPort}`,
});
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: true,
  environment: { ...AS_SHIPPED, RATE_LIMIT_PER_SECOND: "1000000", DATABASE_POOL_SIZE: "6", ...serviceOf(0) },
});
await using arrivals = await openArrivals();
await using balancer = await startRequestBalancer(
  bed.directory,
  options.balanced === 0 ? await freePort() : balancerPort,
  servicePorts,
);
const stores = [bed.ownCluster().pid(), bed.engine.pid()];
pinTo(CORE_OF_STORES, [...stores, balancer.pid].flatMap(pidsUnder));
pinTo(CORE_OF_PROCESSES, [process.pid, bed.api().pid(), bed.worker().pid()]);
await using started = new AsyncDisposableStack();
const apis = [bed.api(), ...(await startMore("api", Math.max(...APIS) - 1))];
const workers = [bed.worker(), ...(await startMore("worker", Math.max(...WORKERS) - 1))];
let apisInUse = apis;
const send = await openSender(bed, arrivals, () => apisInUse.map(({ baseUrl }) => baseUrl));
let perProcessAndSecond = 60;

const byWorkers = new Map<number, Point[]>(WORKERS.map((count) => [count, []]));
const byApis = new Map<number, Point[]>(APIS.map((count) => [count, []]));
for (let round = 0; round < options.rounds; round += 1) {
  await startWorkers();
  for (const count of WORKERS) {
    await stopWorkersFrom(count);
    byWorkers.get(count)?.push(await measureHeld(workers.slice(0, count)));
  }
}
await startWorkers();
await stopWorkersFrom(2);
for (let round = 0; round < options.rounds; round += 1)
  for (const count of APIS) {
    apisInUse = apis.slice(0, count);
    byApis.get(count)?.push(await measureHeld(apisInUse));
  }

const median = (points: Point[] = [], figure: keyof Point) =>
  percentile(
    points.map((point) => point[figure]),
    0.5,
  );
const curve = (points: Map<number, Point[]>, figure: keyof Point) =>
  Object.fromEntries([...points].map(([count, all]) => [count, median(all, figure)]));
/** Messages a second of one process, relative to those of a single one. */
const efficiencies = (points: Map<number, Point[]>) => {
  const rates = curve(points, "perSecond");
  return Object.fromEntries(
    Object.entries(rates).map(([count, rate]) => [count, rate / Number(count) / (rates["1"] ?? NaN)]),
  );
};

/** The same by what a message costs, whatever the host withheld: with twice the cost, twice the processes do as much. */
const efficienciesOfCpu = (points: Map<number, Point[]>) => {
  const costs = curve(points, "cpuMsEach");
  return Object.fromEntries(
    Object.entries(costs).map(([count, cost]) => [count, (costs["1"] ?? NaN) / cost]),
  );
};

report("scale-out", {
  share_of_a_core: options.share,
  workers: 4,
  per_s: median(byWorkers.get(4), "perSecond"),
  efficiency: efficiencies(byWorkers)["4"] ?? NaN,
  apis: 4,
  api_per_s: median(byApis.get(4), "perSecond"),
  api_efficiency: efficiencies(byApis)["4"] ?? NaN,
  per_s_by_workers: curve(byWorkers, "perSecond"),
  efficiency_by_workers: efficiencies(byWorkers),
  cpu_efficiency_by_workers: efficienciesOfCpu(byWorkers),
  cpu_ms_by_workers: curve(byWorkers, "cpuMsEach"),
  stores_cpu_ms_by_workers: curve(byWorkers, "storesCpuMsEach"),
  share_used_by_workers: curve(byWorkers, "shareUsed"),
  least_share_used_by_workers: curve(byWorkers, "leastShareUsed"),
  per_s_by_apis: curve(byApis, "perSecond"),
  efficiency_by_apis: efficiencies(byApis),
  cpu_efficiency_by_apis: efficienciesOfCpu(byApis),
  cpu_ms_by_apis: curve(byApis, "cpuMsEach"),
  stores_cpu_ms_by_apis: curve(byApis, "storesCpuMsEach"),
  share_used_by_apis: curve(byApis, "shareUsed"),
  load_average: loadavg()[0] ?? NaN,
});

/** One after another: a dozen programs that start at once on one core are all late. */
async function startMore(role: "api" | "worker", count: number): Promise<Service[]> {
  const services: Service[] = [];
  for (const [index, port] of (await freePorts(count)).entries()) {
    const name = `${role}-${index + 2}`;
    const environment = { ...bed.environment, ENGINE_SERVICE_HOST: "127.0.0.1", ...serviceOf(index + 1) };
    const service = await startService({ role, port, name, directory: bed.directory, environment });
    services.push(started.use(service));
  }
  return services;
}

/** A new process pays for caches and compiled code, several milliseconds a message: all are warm before they are measured. */
async function startWorkers(): Promise<void> {
  for (const worker of workers) if (!(await worker.isReady())) await worker.start();
  apisInUse = apis;
  await send(WARM_UP * workers.length, 1);
}

async function stopWorkersFrom(count: number): Promise<void> {
  for (const worker of workers.slice(count)) if (await worker.isReady()) await worker.stop();
}

async function measureHeld(services: Service[]): Promise<Point> {
  for (const service of services) shares.hold(service.name, service.pid());
  await measureFor(services, 4); // what was not used before the limit came is used up
  const point = await measureFor(services, options.seconds);
  for (const service of services) shares.release(service.pid());
  console.log(`${services.length} × ${services[0]?.name}: ${JSON.stringify(point)}`);
  return point;
}

/** As many messages as take so long, by what was measured last. */
async function measureFor(services: Service[], seconds: number): Promise<Point> {
  const lanes = Math.max(8, Math.round((perProcessAndSecond * services.length * seconds) / PER_LANE));
  const conversations = await send.prepare(lanes);
  const messages = lanes * PER_LANE;
  const cpu = () => [...services.map((service) => cpuMsOf([service.pid()])), cpuMsOf(stores)];
  const before = cpu();
  const { perSecond } = await measure(arrivals, messages, {}, () =>
    send.all(conversations, PER_LANE, CALLERS * services.length),
  );
  const used = cpu().map((ms, index) => ms - (before[index] ?? 0));
  const storesMs = used.pop() ?? NaN;
  const usedMs = used.reduce((sum, ms) => sum + ms, 0);
  const shareMs = (options.share * 1000 * messages) / perSecond;
  perProcessAndSecond = perSecond / services.length;
  return {
    perSecond,
    cpuMsEach: usedMs / messages,
    storesCpuMsEach: storesMs / messages,
    shareUsed: usedMs / services.length / shareMs,
    leastShareUsed: Math.min(...used) / shareMs,
  };
}
