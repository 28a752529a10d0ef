// What a vacuum costs those who wait for a message (ADR 0016): partitions as PostgreSQL treats them by itself, and as shipped.
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { openCallers } from "./support/callers.ts";
import { percentile, readOptions, report } from "./support/report.ts";
import { askSteadily } from "./support/steady.ts";

const WARM_UP_ROUNDS = 2;

const options = readOptions({ agents: 60, rate: 25, seconds: 10, rounds: 3 });
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: {
    settings: {
      shared_preload_libraries: "pg_stat_statements",
      "pg_stat_statements.track_planning": "on",
      // So that what it does falls into the seconds that are measured; by itself it looks once a minute.
      autovacuum_naptime: "2s",
    },
  },
  environment: { ...AS_SHIPPED, RATE_LIMIT_PER_SECOND: "1000000" },
});
await bed.database.query("create extension pg_stat_statements");
await using arrivals = await openArrivals();
await using callers = openCallers(bed);
const all = await callers.addMany(options.agents, arrivals.url);

interface Measured {
  planningMs: number;
  p99Ms: number;
}

const shipped = await measure();
await forEachPartition(
  "reset (autovacuum_vacuum_threshold, autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_threshold, autovacuum_vacuum_insert_scale_factor, autovacuum_analyze_threshold, autovacuum_analyze_scale_factor)",
);
const byDefault = await measure();

report("planning", {
  messages_a_round: options.rate * options.seconds,
  planning_ms: median(shipped, ({ planningMs }) => planningMs),
  planning_ms_by_default: median(byDefault, ({ planningMs }) => planningMs),
  p99_ms: median(shipped, ({ p99Ms }) => p99Ms),
  p99_ms_by_default: median(byDefault, ({ p99Ms }) => p99Ms),
});

async function measure(): Promise<Measured[]> {
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) await askSteadily(all, arrivals, options);
  const rounds: Measured[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    await bed.database.query("select pg_stat_statements_reset()");
    const latencies = await askSteadily(all, arrivals, options);
    const [planned] = await bed.database.query<{ ms: number }>(
      "select sum(total_plan_time)::float8 as ms from pg_stat_statements",
    );
    rounds.push({ planningMs: planned?.ms ?? NaN, p99Ms: percentile(latencies, 0.99) });
  }
  return rounds;
}

async function forEachPartition(change: string): Promise<void> {
  const partitions = await bed.database.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relkind = 'r' and 'autovacuum_vacuum_threshold=20000' = any(reloptions)`,
  );
  for (const { name } of partitions) await bed.database.query(`alter table ${name} ${change}`);
}

function median(rounds: Measured[], figure: (measured: Measured) => number): number {
  return percentile(rounds.map(figure), 0.5);
}
