import { existsSync } from "node:fs";
import { after } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

const GRACE_MS = 10_000;
const CALM_MAX_MS = 600_000;

/** The file that `tools/test.ts` makes while the host gives the machine to others: nobody begins then. */
const starvedFile = process.env["TEST_STARVED_FILE"];
while (starvedFile !== undefined && existsSync(starvedFile) && performance.now() < CALM_MAX_MS)
  await sleep(1_000);

/**
 * Loaded before each test file. Tests that are over while a server, a socket or a child process still lives would hang
 * the run for ever: the file is ended and fails, naming what it left open.
 */
if (process.env["NODE_TEST_CONTEXT"] !== undefined) {
  // A deadline of fetch does not keep the process alive: without this, waiting for nothing else ends the file too early.
  const alive = setInterval(() => {}, GRACE_MS);
  after(() => {
    clearInterval(alive);
    const end = () => {
      console.error(
        `still open ${GRACE_MS / 1000} s after the last test: ${process.getActiveResourcesInfo().join(", ")}`,
      );
      process.exit(1);
    };
    setTimeout(end, GRACE_MS).unref();
  });
}
