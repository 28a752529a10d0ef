import { once } from "node:events";
import { connect } from "node:net";
import { after } from "node:test";

const GRACE_MS = 10_000;

/** Where `tools/test.ts` admits test files, so that no more of them run than the machine can take. */
const admission = process.env["TEST_ADMISSION"];
if (admission !== undefined && process.env["NODE_TEST_CONTEXT"] !== undefined) {
  // A run that a test starts is part of that test.
  delete process.env["TEST_ADMISSION"];
  const asking = connect(admission);
  asking.write(process.argv[1] ?? "");
  await once(asking, "data");
  // The place is free when this process has ended, however it ends.
  asking.on("error", () => undefined).unref();
}

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
