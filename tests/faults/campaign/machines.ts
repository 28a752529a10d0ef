import { openBedWith } from "../../support/bed.ts";
import { startEngineCluster } from "../../support/engine-cluster.ts";
import { startPostgresPair } from "../../support/postgres-pair.ts";
import type { PostgresPair } from "../../support/postgres-pair.ts";
import type { LoadShape } from "./endless-load.ts";
import type { Ground, OnEnded } from "./ground.ts";
import { machineFaults } from "./machine-faults.ts";

/** The bed looks for stalled work more often than operators do: here it is as they have it, because seconds are measured. */
const ENVIRONMENT = {
  RATE_LIMIT_PER_SECOND: "1000000",
  LOG_LEVEL: "warn",
  RECONCILE_INTERVAL_SECONDS: "5",
  RECONCILE_GRACE_SECONDS: "20",
};

/** Less than the machine can do, or the backlog would be measured and not the fault. */
const LIGHT: LoadShape = {
  senders: 16,
  waitingSenders: 4,
  underWayMax: 60,
  underWayAgain: 30,
  poisonShare: 0,
};

/** Three engine nodes, a primary with a synchronous standby, two api nodes and two workers; one address before each. */
export async function openMachines(onEnded: OnEnded): Promise<Ground> {
  let pair: PostgresPair | undefined;
  const bed = await openBedWith(startEngineCluster, {
    environment: ENVIRONMENT,
    receiver: { onEnded },
    ownCluster: async (directory) => (pair = await startPostgresPair(directory)),
  });
  const opened = () => {
    if (pair === undefined) throw new Error("the bed opened without PostgreSQL");
    return pair;
  };
  await opened().keepInStep();
  return {
    bed,
    load: LIGHT,
    isDeveloperTroublesome: false,
    choices: (load) => [{ faults: machineFaults(bed, opened(), load), notRun: [] }],
    [Symbol.asyncDispose]: () => bed[Symbol.asyncDispose](),
  };
}
