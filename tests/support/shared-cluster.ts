import { migratedTemplate } from "./databases.ts";
import { reachCluster, startCluster } from "./postgres.ts";
import type { ClusterAddress, PostgresCluster, ReachableCluster } from "./postgres.ts";

/** How the run's one cluster reaches the test files: see global-setup.ts. */
export const CLUSTER_VARIABLE = "SIGNALBOX_TEST_CLUSTER";

export type BorrowedCluster = AsyncDisposable & { cluster: ReachableCluster };

let own: Promise<PostgresCluster> | undefined;
let borrowers = 0;

/** The cluster of the whole run or, for a test file run alone, one of its own that goes with its last borrower. */
export async function borrowCluster(
  migration: Parameters<typeof migratedTemplate>[1] = {},
): Promise<BorrowedCluster> {
  const given = process.env[CLUSTER_VARIABLE];
  if (given !== undefined) {
    const cluster = reachCluster(JSON.parse(given) as ClusterAddress);
    await migratedTemplate(cluster, migration);
    return { cluster, [Symbol.asyncDispose]: async () => undefined };
  }
  borrowers += 1;
  own ??= startCluster();
  const giveBack = async () => {
    borrowers -= 1;
    if (borrowers > 0) return;
    const last = own;
    own = undefined;
    await (await last?.catch(() => undefined))?.[Symbol.asyncDispose]();
  };
  try {
    const cluster = await own;
    await migratedTemplate(cluster, migration);
    return { cluster, [Symbol.asyncDispose]: giveBack };
  } catch (error) {
    await giveBack();
    throw error;
  }
}
