import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { flameGraph } from "./support/flame-graph.ts";
import { profileTable } from "./support/profile-table.ts";
import { readOptions } from "./support/report.ts";
import { openSender } from "./support/sender.ts";

// Where the CPU time of api and worker goes in busy conversations: one flame graph each into results/, and a table of whose code ran.

const PER_LANE = 20;
const options = readOptions({ messages: 12_000 });
const profiles = mkdtempSync(join(tmpdir(), "signalbox-profiles-"));
await using bed = await openBed({
  apis: 1,
  workers: 1,
  ownCluster: true,
  environment: {
    ...AS_SHIPPED,
    RATE_LIMIT_PER_SECOND: "1000000",
    NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profiles}`,
  },
});
await using arrivals = await openArrivals();
const send = await openSender(bed, arrivals);
await send(options.messages / PER_LANE, PER_LANE);
const day = new Date().toISOString().slice(0, 10);
for (const [name, service] of [
  ["api", bed.api()],
  ["worker", bed.worker()],
] as const) {
  const pid = service.pid();
  // A process writes its profile when it ends.
  await service.stop();
  const file = readdirSync(profiles).find((candidate) => candidate.includes(`.${pid}.`));
  if (file === undefined) throw new Error(`the ${name} left no profile`);
  const path = join(profiles, file);
  console.log(`\n${name}\n\n${profileTable(path)}`);
  const picture = flameGraph(path, `delivery, ${name}, ${day}`);
  writeFileSync(new URL(`results/${day}-delivery-${name}.svg`, import.meta.url), picture);
}
rmSync(profiles, { recursive: true });
