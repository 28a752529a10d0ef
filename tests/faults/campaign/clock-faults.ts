import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Bed } from "../../support/bed.ts";
import { eventually } from "../../support/processes.ts";
import type { Service } from "../../support/service.ts";
import { followLog, proven } from "./fault.ts";
import type { Fault, FaultChoice } from "./fault.ts";

const JUMPS_SECONDS = [-3_600, -600, -30, 30, 600, 3_600] as const;
const HOLD_MS = 1_500;

export type Clocks = {
  directory: string;
  serviceEnvironment: Record<string, string>;
  clusterEnvironment: Record<string, string>;
  /** Why PostgreSQL's clock cannot be set; undefined when it can. */
  lacks: string | undefined;
};

/** Clocks that can be set while their processes run: those of the service by a module, PostgreSQL's by libfaketime. */
export function makeClocks(directory: string): Clocks {
  const clocks = join(directory, "clocks");
  mkdirSync(clocks, { mode: 0o755 });
  const library = findLibrary();
  const postgres = join(clocks, "postgres");
  writeFileSync(postgres, "+0");
  return {
    directory: clocks,
    serviceEnvironment: {
      NODE_OPTIONS: `--import=${new URL("../../support/skewed-clock.ts", import.meta.url).href}`,
      SIGNALBOX_TEST_CLOCKS: clocks,
      // Signatures of the engine are dated: a worker whose clock is an hour off takes none of its calls.
      ENGINE_IDENTITY_KEYS: "",
    },
    clusterEnvironment:
      library === undefined
        ? {}
        : {
            LD_PRELOAD: library,
            FAKETIME_TIMESTAMP_FILE: postgres,
            FAKETIME_CACHE_DURATION: "1",
            FAKETIME_DONT_FAKE_MONOTONIC: "1",
            DONT_FAKE_MONOTONIC: "1",
          },
    lacks: library === undefined ? "needs libfaketime" : undefined,
  };
}

function findLibrary(): string | undefined {
  const root = "/usr/lib";
  return readdirSync(root)
    .map((name) => join(root, name, "faketime", "libfaketimeMT.so.1"))
    .find((path) => existsSync(path));
}

export function clockFaults(bed: Bed, clocks: Clocks): FaultChoice {
  const services = [
    ...bed.workers.map((worker) => jumpOf("clock_worker", worker, bed, clocks)),
    ...bed.apis.map((api) => jumpOf("clock_api", api, bed, clocks)),
  ];
  if (clocks.lacks !== undefined)
    return { faults: services, notRun: [{ kind: "clock_postgres", lacks: clocks.lacks }] };
  return { faults: [...services, postgresJump(bed, clocks)], notRun: [] };
}

function jumpOf(kind: string, { name, baseUrl }: Service, bed: Bed, { directory }: Clocks): Fault {
  const file = join(directory, new URL(baseUrl).port);
  return {
    kind,
    part: name,
    weight: 1,
    async strike(random) {
      const seconds = random.pick(JUMPS_SECONDS);
      const newLines = await followLog(join(bed.directory, `${name}.log`));
      const jumpedTo = async () => {
        const said = [...(await newLines()).matchAll(/^the clock jumped: (\S+)$/gm)].at(-1)?.[1];
        return said === undefined ? undefined : Math.round((Date.parse(said) - Date.now()) / 1000);
      };
      try {
        writeFileSync(file, String(seconds * 1000));
        const seen = await eventually("its clock jumps", jumpedTo);
        proven(Math.abs(seen - seconds) <= 10, `it jumped by ${seen} s`);
        await sleep(HOLD_MS);
        return { name, seconds: seen };
      } finally {
        writeFileSync(file, "0");
      }
    },
  };
}

function postgresJump(bed: Bed, { directory }: Clocks): Fault {
  const file = join(directory, "postgres");
  const isOffBy = async () => {
    const [row] = await bed.database.query<{ at: Date }>("select clock_timestamp() as at");
    return Math.round(((row?.at.getTime() ?? 0) - Date.now()) / 1000);
  };
  return {
    kind: "clock_postgres",
    part: "postgres",
    weight: 4,
    async strike(random) {
      const seconds = random.pick(JUMPS_SECONDS);
      const becomes = (wanted: number) =>
        eventually(`its clock is off by ${wanted} s`, async () => Math.abs((await isOffBy()) - wanted) <= 5);
      try {
        writeFileSync(file, `${seconds < 0 ? "" : "+"}${seconds}`);
        await becomes(seconds);
        await sleep(HOLD_MS);
        return { seconds: await isOffBy() };
      } finally {
        writeFileSync(file, "+0");
        await becomes(0);
      }
    },
  };
}
