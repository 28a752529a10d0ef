// What Restate's settings cost a call, and how soon it works again after kill -9: engines one after the other, each with the
// same service that does nothing but post.
import { readFileSync } from "node:fs";
import { startEngine, type Engine } from "@signalbox/tests/support/engine.ts";
import { openArrivals } from "./support/arrivals.ts";
import { measureBareCalls } from "./support/bare-calls.ts";
import type { Measured } from "./support/measured.ts";
import { percentile, readOptions, report } from "./support/report.ts";

const STORES = "RESTATE_WORKER__STORAGE__ROCKSDB_MEMORY_BUDGET";

/** Each differs from the first in one thing. */
const SETTINGS: Record<string, Record<string, string>> = {
  "as shipped": {},
  "1 partition": { RESTATE_DEFAULT_NUM_PARTITIONS: "1" },
  "8 partitions": { RESTATE_DEFAULT_NUM_PARTITIONS: "8" },
  "24 partitions": { RESTATE_DEFAULT_NUM_PARTITIONS: "24" },
  "RocksDB 256 MB": { RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256 MB" },
  "RocksDB 4 GB": { RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "4 GB" },
  // After a crash, each partition reads from the log again what it had not flushed to disk.
  "partition stores 853 MB": { [STORES]: "853 MiB" },
  "partition stores 256 MB": { [STORES]: "256 MB" },
  "partition stores 128 MB": { [STORES]: "128 MB" },
  "partition stores 32 MB": { [STORES]: "32 MB" },
  "16 invocations at once": { RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: "16" },
  "1,000 invocations at once": { RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: "1000" },
};

/** Enough to reach every partition. */
const CALLS_AFTER_CRASH = 100;

interface Seen extends Measured {
  megabytes: number;
  backAfterMs: number;
}

const options = readOptions({ calls: 3_000, rounds: 3 });
await using arrivals = await openArrivals();
const seen = new Map<string, Seen[]>();
for (let round = 0; round < options.rounds; round += 1)
  for (const [name, environment] of Object.entries(SETTINGS)) {
    await using engine = await startEngine({ environment });
    await measureBareCalls(engine, arrivals, options.calls / 5); // the first calls pay for connections and files
    const measured = await measureBareCalls(engine, arrivals, options.calls);
    const megabytes = residentMegabytes(engine);
    const backAfterMs = await crash(engine);
    console.log(`round ${round + 1}, ${name}: back after ${Math.round(backAfterMs)} ms`);
    seen.set(name, [...(seen.get(name) ?? []), { ...measured, megabytes, backAfterMs }]);
  }

const medians = (figure: (of: Seen) => number) =>
  Object.fromEntries([...seen].map(([name, rounds]) => [name, percentile(rounds.map(figure), 0.5)]));
report("engine", {
  calls_per_s: medians(({ perSecond }) => Math.round(perSecond)),
  cpu_ms_per_call: medians(({ cpuMsEach }) => cpuMsEach),
  resident_mb: medians(({ megabytes }) => Math.round(megabytes)),
  back_after_kill_ms: medians(({ backAfterMs }) => Math.round(backAfterMs)),
});

/** From kill -9 until calls to every partition have arrived again. */
async function crash(engine: Engine): Promise<number> {
  const begun = performance.now();
  await engine.kill9();
  await engine.start();
  await measureBareCalls(engine, arrivals, CALLS_AFTER_CRASH);
  return performance.now() - begun;
}

function residentMegabytes(engine: Engine): number {
  const status = readFileSync(`/proc/${engine.pid()}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}
