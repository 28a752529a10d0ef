import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { openArrivals } from "./support/arrivals.ts";
import { AS_SHIPPED } from "./support/as-shipped.ts";
import { drawProfile } from "./support/draw-profile.ts";
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
await drawProfile(bed.api(), profiles, "delivery", "api");
await drawProfile(bed.worker(), profiles, "delivery", "worker");
rmSync(profiles, { recursive: true });
