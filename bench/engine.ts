// What Restate's settings cost a call: engines side by side, each with the same service that does nothing but post.
import { readFileSync } from "node:fs";
import { startEngine, type Engine } from "@signalbox/tests/support/engine.ts";
import { openArrivals } from "./support/arrivals.ts";
import { measureBareCalls } from "./support/bare-calls.ts";
import type { Measured } from "./support/measured.ts";
import { percentile, readOptions, report } from "./support/report.ts";

/** Each differs from the first in one thing. */
const SETTINGS: Record<string, Record<string, string>> = {
  "4 partitions": {},
  "1 partition": { RESTATE_DEFAULT_NUM_PARTITIONS: "1" },
  "8 partitions": { RESTATE_DEFAULT_NUM_PARTITIONS: "8" },
  "24 partitions": { RESTATE_DEFAULT_NUM_PARTITIONS: "24" },
  "RocksDB 256 MB": { RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256 MB" },
  "RocksDB 4 GB": { RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "4 GB" },
  "16 invocations at once": { RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: "16" },
  "1,000 invocations at once": { RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: "1000" },
};

const options = readOptions({ calls: 3_000, rounds: 3 });
await using arrivals = await openArrivals();
const seen = new Map<string, (Measured & { megabytes: number })[]>();
for (let round = 0; round < options.rounds; round += 1)
  for (const [name, environment] of Object.entries(SETTINGS)) {
    await using engine = await startEngine({ environment });
    await measureBareCalls(engine, arrivals, options.calls / 5); // the first calls pay for connections and files
    const measured = await measureBareCalls(engine, arrivals, options.calls);
    seen.set(name, [...(seen.get(name) ?? []), { ...measured, megabytes: residentMegabytes(engine) }]);
  }

const medians = (figure: (of: Measured & { megabytes: number }) => number) =>
  Object.fromEntries([...seen].map(([name, rounds]) => [name, percentile(rounds.map(figure), 0.5)]));
report("engine", {
  calls_per_s: medians(({ perSecond }) => Math.round(perSecond)),
  cpu_ms_per_call: medians(({ cpuMsEach }) => cpuMsEach),
  resident_mb: medians(({ megabytes }) => Math.round(megabytes)),
});

function residentMegabytes(engine: Engine): number {
  const status = readFileSync(`/proc/${engine.pid()}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
