import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bed } from "../../support/bed.ts";
import { eventually, readStat } from "../../support/processes.ts";
import type { Service } from "../../support/service.ts";
import { proven } from "./fault.ts";
import type { Evidence, Fault } from "./fault.ts";

const HEAL_MS = 90_000;

/** Longer than an attempt may take, and than a batch may be old. */
const PAUSE_MS = 3_500;
/** Longer than the engine waits for a sign of life, too: another worker takes over. */
const TAKEOVER_MS = 6_500;

/** As a supervisor would: a process that cannot start, because PostgreSQL is away too, is started again. */
export async function startAgain(start: () => Promise<void>, what: string): Promise<void> {
  await eventually(`${what} is back`, async () => (await start(), true), {
    timeoutMs: HEAL_MS,
    everyMs: 200,
  });
}

export function processFaults(bed: Bed): Fault[] {
  const cluster = bed.ownCluster();
  const { engine } = bed;
  return [
    ...bed.workers.flatMap((worker) => [
      killOf("kill_worker", worker, 5),
      pauseOf("pause_worker", worker.name, 3, () => [worker.pid()], TAKEOVER_MS),
    ]),
    ...bed.apis.flatMap((api) => [
      killOf("kill_api", api, 5),
      pauseOf("pause_api", api.name, 1, () => [api.pid()]),
    ]),
    killOf("kill_engine", { ...engine, name: "engine" }, 10),
    pauseOf("pause_engine", "engine", 6, () => [engine.pid()]),
    {
      kind: "wipe_engine",
      part: "engine",
      weight: 6,
      async strike() {
        const before = engine.startTime();
        const entries = readdirSync(engine.dataDirectory).length;
        proven(entries > 0, "the engine had something to lose");
        await engine.wipe();
        await startAgain(() => engine.start(), "the engine");
        proven(engine.startTime() !== before, "the engine is another process");
        return { entries };
      },
    },
    killOf(
      "kill_postgres",
      {
        name: "postgres",
        pid: () => cluster.pid(),
        startTime: () => String(cluster.pid()),
        kill9: () => cluster.kill9(),
        start: () => cluster.start(),
      },
      10,
    ),
    // The postmaster first, so that it has no new children while the others are stopped.
    pauseOf("pause_postgres", "postgres", 5, () => [cluster.pid(), ...childrenOf(cluster.pid())]),
  ];
}

/** Gives the pid that it killed. */
export async function kill({ name, pid, kill9 }: Pick<Killable, "name" | "pid" | "kill9">): Promise<number> {
  const killed = pid();
  await kill9();
  proven(readStat(killed)?.state === undefined || readStat(killed)?.state === "Z", `${name} is gone`);
  return killed;
}

type Killable = Pick<Service, "name" | "pid" | "startTime" | "kill9" | "start">;

function killOf(kind: string, { name, pid, startTime, kill9, start }: Killable, weight: number): Fault {
  return {
    kind,
    part: name,
    weight,
    async strike() {
      const before = startTime();
      const killed = await kill({ name, pid, kill9 });
      const begun = performance.now();
      await startAgain(start, name);
      proven(startTime() !== before, `${name} is another process`);
      return { name, killed, started: pid(), backMs: Math.round(performance.now() - begun) };
    },
  };
}

function pauseOf(
  kind: string,
  name: string,
  weight: number,
  pidsOf: () => number[],
  pauseMs = PAUSE_MS,
): Fault {
  return {
    kind,
    part: name,
    weight,
    async strike(): Promise<Evidence> {
      const pids = pidsOf();
      const states = () => pids.map((pid) => readStat(pid)?.state).filter((state) => state !== undefined);
      const isPaused = () => states().length > 0 && states().every((state) => state === "T" || state === "Z");
      try {
        for (const pid of pids) signal(pid, "SIGSTOP");
        await eventually(`${name} is paused`, isPaused);
        const begun = performance.now();
        await sleep(pauseMs);
        proven(isPaused(), `${name} was paused to the end`);
        return { name, processes: states().length, pausedMs: Math.round(performance.now() - begun) };
      } finally {
        for (const pid of pids) signal(pid, "SIGCONT");
      }
    },
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Ended by itself in the meantime, as backends of PostgreSQL do.
  }
}

function childrenOf(parent: number): number[] {
  return readdirSync("/proc").flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    try {
      const text = readFileSync(`/proc/${entry}/stat`, "utf8");
      const [, ppid] = text.slice(text.lastIndexOf(")") + 2).split(" ");
      return Number(ppid) === parent ? [Number(entry)] : [];
    } catch {
      return [];
    }
  });
}
