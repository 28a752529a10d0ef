// Whether a message costs more as the tables grow: two services side by side, one of them with a long history.
import { setTimeout as sleep } from "node:timers/promises";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { measureLatency } from "./support/latency.ts";
import { partsOf, type Measured } from "./support/measured.ts";
import { percentile, readOptions, report } from "./support/report.ts";
import { seedLog } from "./support/seed-log.ts";
import { measureHotAndCold, openSender } from "./support/sender.ts";

const LATENCY = { perSecond: 40, seconds: 10 };

/** `delivered` messages lie in a tenth as many idle conversations, half of them of the agent that is measured. */
const options = readOptions({ delivered: 1_000_000, messages: 2_000, rounds: 5, rest: 60 });
const environment = { ...AS_SHIPPED, RATE_LIMIT_PER_SECOND: "1000000" };
const bedOptions = { apis: 1, workers: 1, ownCluster: true, environment };
await using emptyBed = await openBed(bedOptions);
await using grownBed = await openBed(bedOptions);
await using arrivals = await openArrivals();

interface Figures {
  hot: Measured;
  cold: Measured;
  p50Ms: number;
}

const [empty, grown] = [await openService(emptyBed), await openService(grownBed)];
const { agentId, webhookId } = grown.send;
await seedLog(grownBed.database, {
  deliveries: options.delivered,
  messages: options.delivered,
  owner: { id: agentId, webhook: webhookId },
});
// The service looks through what it finds: figures by the hour, retention, the index of messages.
await sleep(options.rest * 1000);
const rounds: { empty: Figures; grown: Figures }[] = [];
for (let round = 0; round < options.rounds; round += 1) {
  const isEmptyFirst = round % 2 === 0;
  const first = await (isEmptyFirst ? empty : grown).figures();
  const second = await (isEmptyFirst ? grown : empty).figures();
  rounds.push(isEmptyFirst ? { empty: first, grown: second } : { empty: second, grown: first });
}

report("growth", {
  delivered: options.delivered,
  hot_cpu_ratio: ratioOf(({ hot }) => hot.cpuMsEach),
  cold_cpu_ratio: ratioOf(({ cold }) => cold.cpuMsEach),
  hot_rate_ratio: ratioOf(({ hot }) => hot.perSecond),
  cold_rate_ratio: ratioOf(({ cold }) => cold.perSecond),
  p50_ratio: ratioOf(({ p50Ms }) => p50Ms),
  hot_postgres_cpu_ratio: ratioOf(({ hot }) => hot.cpuMsOfPart["postgres"] ?? NaN),
  cold_postgres_cpu_ratio: ratioOf(({ cold }) => cold.cpuMsOfPart["postgres"] ?? NaN),
});

/** The grown bed's figure to the empty bed's: the median of the rounds. */
function ratioOf(figure: (figures: Figures) => number): number {
  return percentile(
    rounds.map(({ empty, grown }) => figure(grown) / figure(empty)),
    0.5,
  );
}

async function openService(bed: typeof emptyBed) {
  const send = await openSender(bed, arrivals);
  const parts = partsOf(bed);
  await send(100, 20); // the first messages pay for caches and compiled code
  return {
    send,
    async figures(): Promise<Figures> {
      const p50Ms = percentile(await measureLatency(send, arrivals, LATENCY), 0.5);
      return { p50Ms, ...(await measureHotAndCold(send, arrivals, parts, options.messages)) };
    },
  };
}
