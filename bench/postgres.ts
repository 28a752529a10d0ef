// What PostgreSQL's settings cost a delivered message: services one after the other, each on a cluster of its own.
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { partsOf, type Measured } from "./support/measured.ts";
import { percentile, readOptions, report } from "./support/report.ts";
import { measureHotAndCold, openSender } from "./support/sender.ts";

/** Each differs from the first in one thing. `synchronous_commit` stays on: the service does not start without it. */
const SETTINGS: Record<string, Record<string, string>> = {
  "as installed": {},
  "shared_buffers 1 GB": { shared_buffers: "1GB" },
  "max_wal_size 8 GB": { max_wal_size: "8GB", checkpoint_timeout: "15min" },
  "wal_compression lz4": { wal_compression: "lz4" },
  "wal_buffers 64 MB": { wal_buffers: "64MB" },
  "commit_delay 0.5 ms": { commit_delay: "500", commit_siblings: "2" },
};

interface Round {
  hot: Measured;
  cold: Measured;
}

const options = readOptions({ messages: 4_000, rounds: 3 });
await using arrivals = await openArrivals();
const seen = new Map<string, Round[]>();
for (let round = 0; round < options.rounds; round += 1)
  for (const [name, settings] of Object.entries(SETTINGS)) {
    const measured = await measureWith(settings);
    console.log(
      `round ${round + 1}, ${name}: ${measured.hot.cpuMsEach.toFixed(2)} ms hot, ${measured.cold.cpuMsEach.toFixed(2)} ms cold`,
    );
    seen.set(name, [...(seen.get(name) ?? []), measured]);
  }

const medians = (figure: (round: Round) => number) =>
  Object.fromEntries([...seen].map(([name, rounds]) => [name, percentile(rounds.map(figure), 0.5)]));
report("postgres", {
  hot_per_s: medians(({ hot }) => Math.round(hot.perSecond)),
  cold_per_s: medians(({ cold }) => Math.round(cold.perSecond)),
  cpu_ms_per_delivery: medians(({ hot }) => hot.cpuMsEach),
  cpu_ms_per_delivery_cold: medians(({ cold }) => cold.cpuMsEach),
  cpu_ms_of_postgres: medians(({ hot }) => hot.cpuMsOfPart["postgres"] ?? Number.NaN),
});

async function measureWith(settings: Record<string, string>): Promise<Round> {
  await using bed = await openBed({
    apis: 1,
    workers: 1,
    ownCluster: { settings },
    environment: { ...AS_SHIPPED, RATE_LIMIT_PER_SECOND: "1000000" },
  });
  const send = await openSender(bed, arrivals);
  await send(options.messages / 20, 20); // the first messages pay for caches and compiled code
  return await measureHotAndCold(send, arrivals, partsOf(bed), options.messages);
}
