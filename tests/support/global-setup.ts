import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { openBedDirectory } from "./bed-directory.ts";
import { migratedTemplate } from "./databases.ts";
import { startCluster } from "./postgres.ts";
import { bundleProgram } from "./bundled-program.ts";
import { COMPILE_CACHE_VARIABLE, PROGRAM_VARIABLE, SOURCE_PROGRAM } from "./service.ts";
import { CLUSTER_VARIABLE } from "./shared-cluster.ts";

/** For two files a core, with four processes of the service each. */
const CONNECTIONS_OF_ALL_FILES = 1_000;

let open: AsyncDisposableStack | undefined;

/** For node --test-global-setup: one cluster for the whole run, found by the test files through the environment. */
export async function globalSetup(): Promise<void> {
  // A run that a test started borrows the cluster of the run it belongs to.
  if (process.env[CLUSTER_VARIABLE] !== undefined) return;
  await using opening = new AsyncDisposableStack();
  const { path: directory } = opening.use(await openBedDirectory());
  const compileCache = join(directory, "compile-cache");
  await mkdir(compileCache);
  const program = opening.use(await bundleProgram(SOURCE_PROGRAM));
  const cluster = opening.use(
    await startCluster({ directory, settings: { max_connections: CONNECTIONS_OF_ALL_FILES } }),
  );
  await migratedTemplate(cluster, {
    program: program.path,
    environment: { NODE_COMPILE_CACHE: compileCache },
  });
  process.env[CLUSTER_VARIABLE] = JSON.stringify(cluster.address);
  process.env[COMPILE_CACHE_VARIABLE] = compileCache;
  process.env[PROGRAM_VARIABLE] = program.path;
  open = opening.move();
}

export async function globalTeardown(): Promise<void> {
  await open?.disposeAsync();
}
