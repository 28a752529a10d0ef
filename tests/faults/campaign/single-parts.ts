import { openBedDirectory } from "../../support/bed-directory.ts";
import { openBed } from "../../support/bed.ts";
import { clockFaults, makeClocks } from "./clock-faults.ts";
import { cutFaults } from "./cut-faults.ts";
import { databaseFaults } from "./database-faults.ts";
import { diskFaults, makeDisks } from "./disk-faults.ts";
import { DENSE } from "./endless-load.ts";
import type { Ground, OnEnded } from "./ground.ts";
import { networkFaults } from "./network-faults.ts";
import { processFaults } from "./process-faults.ts";

export const DEADLINE_SECONDS = 2;

/** The deadlines are short, so that a pause outlives them; everything else is as operators have it. */
const ENVIRONMENT = {
  RATE_LIMIT_PER_SECOND: "1000000",
  LOG_LEVEL: "warn",
  DATABASE_POOL_SIZE: "5",
  DELIVERY_TIMEOUT_SECONDS: String(DEADLINE_SECONDS),
  DELIVERY_RETRY_SECONDS: "0.3,1,2",
  DELIVERY_BLOCKED_SECONDS: "20",
};
const ENGINE_ENVIRONMENT = {
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: "1s",
  RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: "4s",
};
const CONNECTIONS_MAX = 80;

/** One PostgreSQL and one engine, which come back after every fault. */
export async function openSingleParts(onEnded: OnEnded): Promise<Ground> {
  await using opening = new AsyncDisposableStack();
  const directory = opening.use(await openBedDirectory());
  const disks = makeDisks();
  const clocks = makeClocks(directory.path);
  const bed = opening.use(
    await openBed({
      environment: {
        ...ENVIRONMENT,
        ...clocks.serviceEnvironment,
      },
      proxied: true,
      engineEnvironment: ENGINE_ENVIRONMENT,
      receiver: { onEnded },
      ownCluster: {
        settings: { max_connections: CONNECTIONS_MAX },
        environment: clocks.clusterEnvironment,
        ...("lacks" in disks ? {} : { dataDirectory: `${disks.postgres.path}/data` }),
      },
      ...("lacks" in disks ? {} : { engineDataDirectory: `${disks.engine.path}/data` }),
    }),
  );
  const choices = [
    { faults: [...processFaults(bed), ...databaseFaults(bed), ...cutFaults(bed)], notRun: [] },
    networkFaults(bed),
    diskFaults(bed, disks),
    clockFaults(bed, clocks),
  ];
  const open = opening.move();
  return {
    bed,
    load: DENSE,
    isDeveloperTroublesome: true,
    choices: () => choices,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
