// What a number of hash partitions costs a message (ADR 0018): two services side by side, one with as many as shipped.
import { readdirSync, readFileSync } from "node:fs";
import { openBed, type Bed } from "@signalbox/tests/support/bed.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { openCallers, type Caller } from "./support/callers.ts";
import { cpuMsOf } from "./support/cpu.ts";
import { percentile, readOptions, report } from "./support/report.ts";
import { askedSoFar, askSteadily } from "./support/steady.ts";

const BY_AGENT = ["conversation", "message", "turn", "handoff", "lane"];

const options = readOptions({ partitions: 64, agents: 150, rate: 25, seconds: 15, rounds: 5 });
const environment = { ...AS_SHIPPED, RATE_LIMIT_PER_SECOND: "1000000" };
const bedOptions = { apis: 1, workers: 1, ownCluster: true, environment };
await using shippedBed = await openBed(bedOptions);
await using otherBed = await openBed(bedOptions);
await partitionAnew(otherBed, options.partitions);
await using arrivals = await openArrivals();
await using shippedCallers = openCallers(shippedBed);
await using otherCallers = openCallers(otherBed);

interface Side {
  bed: Bed;
  callers: Caller[];
  postgresMs: number[];
  p99Ms: number[];
}

const sideOf = (bed: Bed, callers: Caller[]): Side => ({ bed, callers, postgresMs: [], p99Ms: [] });
const shipped = sideOf(shippedBed, await shippedCallers.addMany(options.agents, arrivals.url));
const other = sideOf(otherBed, await otherCallers.addMany(options.agents, arrivals.url));
for (const { callers } of [shipped, other])
  while (askedSoFar(callers) < 2 * callers.length) await askSteadily(callers, arrivals, options);

for (let round = 0; round < options.rounds; round += 1)
  for (const { bed, callers, postgresMs, p99Ms } of round % 2 === 0 ? [shipped, other] : [other, shipped]) {
    const before = cpuMsOf([bed.ownCluster().pid()]);
    p99Ms.push(percentile(await askSteadily(callers, arrivals, options), 0.99));
    postgresMs.push((cpuMsOf([bed.ownCluster().pid()]) - before) / (options.rate * options.seconds));
  }

report("partitions", {
  cpu_ms_postgres: percentile(shipped.postgresMs, 0.5),
  cpu_ms_postgres_other: percentile(other.postgresMs, 0.5),
  p99_ms: percentile(shipped.p99Ms, 0.5),
  p99_ms_other: percentile(other.p99Ms, 0.5),
  connection_mb: largestConnectionMb(shipped.bed),
  connection_mb_other: largestConnectionMb(other.bed),
});

/** Before anything is in them. */
async function partitionAnew({ database }: Bed, count: number): Promise<void> {
  for (const parent of BY_AGENT) {
    const partitions = await database.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${parent}'::regclass`,
    );
    await database.query(`drop table ${partitions.map(({ name }) => name).join(", ")}`);
    for (let remainder = 0; remainder < count; remainder += 1) {
      const name = `${parent}_${remainder.toString(16)}`;
      await database.query(
        `create table ${name} partition of ${parent} for values with (modulus ${count}, remainder ${remainder})`,
      );
      await database.query(`call signalbox_vacuum_rarely('${name}')`);
    }
  }
}

/** Memory of its own, which no other process shares. */
function largestConnectionMb(bed: Bed): number {
  const server = bed.ownCluster().pid();
  const sizes = readdirSync("/proc").map((entry) => {
    try {
      const status = readFileSync(`/proc/${entry}/status`, "utf8");
      const isOurs = Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]) === server;
      return isOurs ? Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1]) / 1024 : 0;
    } catch {
      return 0;
    }
  });
  return Math.max(...sizes);
}
