import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, realpathSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAlive, processesUsing, readStat } from "./processes.ts";

export type BedDirectory = AsyncDisposable & { path: string };

/** A temporary directory that is gone after disposal, and also when its owner was killed before it could dispose of it. */
export async function openBedDirectory(): Promise<BedDirectory> {
  endWithTheRunner();
  await sweepDeadBeds();
  // The owner is in the name, not in a file: a directory is never seen without its owner.
  const owner = `${process.pid}-${readStat(process.pid)?.startTime ?? "0"}`;
  const path = mkdtempSync(join(realpathSync(tmpdir()), `signalbox-bed-${owner}-`));
  // PostgreSQL runs as a user of its own and must be able to pass through.
  await chmod(path, 0o711);
  const janitor = startJanitor(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
      const gone = janitor.exitCode === null ? once(janitor, "exit") : undefined;
      janitor.ref();
      janitor.stdin.end();
      await gone;
    },
  };
}

let runnerWatch: NodeJS.Timeout | undefined;

/** A killed runner would leave its test files running to their end, and with them all that they started. */
function endWithTheRunner(): void {
  if (process.env["NODE_TEST_CONTEXT"] === undefined || runnerWatch !== undefined) return;
  const runner = process.ppid;
  runnerWatch = setInterval(() => {
    if (process.ppid !== runner) process.kill(process.pid, "SIGKILL");
  }, 250).unref();
}

/** Waits, out of reach of the terminal, for the end of a pipe that only the owner holds: a kill -9 closes it too. */
function startJanitor(path: string) {
  const script =
    'read -r _; n=0; while [ -e "$1" ] && [ $n -lt 40 ]; do rm -rf -- "$1"; [ -e "$1" ] && sleep 0.25; n=$((n+1)); done';
  const janitor = spawn("sh", ["-c", script, "sh", path], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  janitor.unref();
  if ("unref" in janitor.stdin && typeof janitor.stdin.unref === "function") janitor.stdin.unref();
  return janitor;
}

/** What a killed owner left, should its janitor have been killed with it. Directories of living owners are never touched. */
export async function sweepDeadBeds(): Promise<void> {
  const root = realpathSync(tmpdir());
  for (const name of readdirSync(root)) {
    const [, pid, startTime] = /^signalbox-bed-(\d+)-(\d+)-/.exec(name) ?? [];
    if (pid === undefined || startTime === undefined || isAlive(Number(pid), startTime)) continue;
    const path = join(root, name);
    for (const left of processesUsing(path)) {
      try {
        process.kill(left.pid, "SIGKILL");
      } catch {
        // Gone in the meantime, or another user's: either way not ours to end.
      }
    }
    await rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }).catch(() => undefined);
  }
}
