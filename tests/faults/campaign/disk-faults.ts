import { execFileSync, spawnSync } from "node:child_process";
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  truncateSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bed } from "../../support/bed.ts";
import { eventually } from "../../support/processes.ts";
import { followLog, proven } from "./fault.ts";
import type { Evidence, FaultChoice } from "./fault.ts";
import { privateDirectory } from "../../support/private-machine.ts";
import { startAgain } from "./process-faults.ts";

/** Sparse: what nobody writes takes no room on the machine's own disk. */
const DISK_BYTES = 16 * 2 ** 30;
const NOTICE_MS = 20_000;
const SILENT_MS = 4_000;
const HOLD_MS = 1_000;
const NO_SPACE = /No space left on device|os error 28|StorageFull/;

export type Disk = { path: string; fill(): number; free(): void };
export type Disks = { postgres: Disk; engine: Disk };

/** Two small disks of the run's own, or the reason why there are none. */
export function makeDisks(): Disks | { lacks: string } {
  const directory = privateDirectory();
  if (directory === undefined) return { lacks: "needs mounts of its own" };
  if (spawnSync("mkfs.ext4", ["-V"]).status !== 0) return { lacks: "needs mkfs.ext4 (e2fsprogs)" };
  try {
    return { postgres: makeDisk(directory, "postgres"), engine: makeDisk(directory, "engine") };
  } catch (error) {
    return { lacks: `needs loop devices: ${String(error)}` };
  }
}

function makeDisk(directory: string, name: string): Disk {
  const image = join(directory, `${name}.img`);
  const path = join(directory, `${name}-disk`);
  const filler = join(path, "filler");
  closeSync(openSync(image, "w"));
  truncateSync(image, DISK_BYTES);
  execFileSync("mkfs.ext4", ["-q", "-F", "-m", "0", image]);
  mkdirSync(path);
  execFileSync("mount", ["-o", "loop", image, path]);
  rmdirSync(join(path, "lost+found"));
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    /** Gives how much is left for others, which is nothing. Again, it takes what they have given back since. */
    fill() {
      // Not all at once: the file system needs some of it to remember what it gave away.
      const before = statSync(filler, { throwIfNoEntry: false })?.size ?? 0;
      for (let size = before, free = freeBytes(); free > 2 ** 20; free = freeBytes()) {
        size += Math.floor(free * 0.9);
        execFileSync("fallocate", ["-l", String(size), filler], { stdio: "pipe" });
      }
      const rest = Buffer.alloc(4096);
      try {
        for (;;) appendFileSync(filler, rest);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
      return freeBytes();
    },
    free: () => rmSync(filler, { force: true }),
  };
}

export function diskFaults(bed: Bed, disks: Disks | { lacks: string }): FaultChoice {
  const kinds = ["disk_full_postgres", "disk_full_engine"] as const;
  if ("lacks" in disks) return { faults: [], notRun: kinds.map((kind) => ({ kind, lacks: disks.lacks })) };
  return {
    faults: [
      {
        kind: "disk_full_postgres",
        part: "postgres",
        weight: 3,
        strike: () => fillPostgres(bed, disks.postgres),
      },
      { kind: "disk_full_engine", part: "engine", weight: 3, strike: () => fillEngine(bed, disks.engine) },
    ],
    notRun: [],
  };
}

async function fillPostgres(bed: Bed, disk: Disk): Promise<Evidence> {
  const cluster = bed.ownCluster();
  const refusals = await refusalsIn(join(bed.directory, "postgres.log"));
  try {
    const leftBytes = fill(disk);
    await eventually("PostgreSQL misses the room", async () => (await refusals()) > 0, {
      timeoutMs: NOTICE_MS,
    });
    await sleep(HOLD_MS);
    return { leftBytes, refusals: await refusals() };
  } finally {
    disk.free();
    // It ends itself when it cannot write its log, and comes back by itself unless it has no room to.
    const isBack = async () => (await cluster.startedAt()) !== "";
    await eventually("PostgreSQL is back", isBack, { timeoutMs: 10_000 }).catch(() =>
      startAgain(() => cluster.start(), "PostgreSQL"),
    );
  }
}

/** It has reserves, and could go on for a while: so it is killed, and has no room to start in. */
async function fillEngine({ engine, directory }: Bed, disk: Disk): Promise<Evidence> {
  const refusals = await refusalsIn(join(directory, "engine.log"));
  let starting: Promise<unknown> = Promise.resolve();
  try {
    const leftBytes = fill(disk);
    await sleep(HOLD_MS);
    const refusedRunning = await refusals();
    await engine.kill9();
    let startedAt = 0;
    const start = () => {
      startedAt = performance.now();
      starting = engine.start().catch(() => undefined);
    };
    start();
    const misses = async () => {
      // When it starts, it frees space that it held before its end.
      fill(disk);
      if ((await refusals()) > 0) return true;
      if (performance.now() - startedAt < SILENT_MS) return false;
      // It lives on what it gave back, or waits without a word: it has to start once more.
      await engine.kill9().catch(() => undefined);
      await starting;
      start();
      return false;
    };
    await eventually("the engine misses the room", misses, { timeoutMs: 3 * NOTICE_MS });
    return { leftBytes, refusedRunning, refusals: await refusals() };
  } finally {
    disk.free();
    // One that could not write does not write again by itself.
    await engine.kill9().catch(() => undefined);
    await starting;
    await startAgain(() => engine.start(), "the engine");
  }
}

function fill(disk: Disk): number {
  const leftBytes = disk.fill();
  proven(leftBytes < 4096, `${leftBytes} bytes were left`);
  return leftBytes;
}

/** Counts how often a part complained since now. */
async function refusalsIn(logFile: string): Promise<() => Promise<number>> {
  const newLines = await followLog(logFile);
  return async () => (await newLines()).split("\n").filter((line) => NO_SPACE.test(line)).length;
}
