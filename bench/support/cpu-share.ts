import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { eventually } from "@signalbox/tests/support/processes.ts";

const ROOT = "/sys/fs/cgroup";
const PERIOD_US = 50_000;
/** The kernel grants no less than 1 ms a period. */
const LEAST_SHARE = 1_000 / PERIOD_US;
/** To that of one process of ordinary priority: other work on the machine must not take what a share promises. */
const WEIGHT = 64;

/** Processes that may each use a share of one core and no more, by a quota of the kernel (cgroup v2, or v1). */
export interface CpuShares extends AsyncDisposable {
  hold(name: string, pid: number): void;
  /** Ends the limit, so that a process can start or stop at full speed. */
  release(pid: number): void;
}

/** From now on, this process and those it starts are in a group of their own. */
export function openCpuShares(share: number): CpuShares {
  if (share < LEAST_SHARE) throw new Error(`--share is at least ${LEAST_SHARE} of a core`);
  const { root, isVersion2 } = cpuController();
  const parent = join(root, `signalbox-bench-${process.pid}`);
  const groups = new Set<string>();
  const write = (group: string, file: string, value: string | number) =>
    writeFileSync(join(group, file), String(value));
  const move = (pid: number, group: string) => write(group, "cgroup.procs", pid);

  function groupOf(name: string, prepare: (group: string) => void): string {
    const group = join(parent, name);
    if (groups.has(group)) return group;
    mkdirSync(group);
    groups.add(group);
    prepare(group);
    return group;
  }
  function limit(group: string): void {
    const quota = Math.round(share * PERIOD_US);
    if (isVersion2) return write(group, "cpu.max", `${quota} ${PERIOD_US}`);
    write(group, "cpu.cfs_period_us", PERIOD_US);
    write(group, "cpu.cfs_quota_us", quota);
  }

  mkdirSync(parent);
  if (isVersion2) {
    write(parent, "cgroup.subtree_control", "+cpu");
    write(parent, "cpu.weight", 100 * WEIGHT);
  } else write(parent, "cpu.shares", 1024 * WEIGHT);
  const unlimited = groupOf("unlimited", () => undefined);
  move(process.pid, unlimited);
  return {
    hold: (name, pid) => move(pid, groupOf(name, limit)),
    release: (pid) => move(pid, unlimited),
    async [Symbol.asyncDispose]() {
      move(process.pid, root);
      for (const group of [...groups, parent])
        await eventually(`${group} is empty`, () => (rmdirSync(group), true));
    },
  };
}

function cpuController(): { root: string; isVersion2: boolean } {
  const controllers = join(ROOT, "cgroup.controllers");
  if (existsSync(controllers) && readFileSync(controllers, "utf8").split(/\s/).includes("cpu")) {
    writeFileSync(join(ROOT, "cgroup.subtree_control"), "+cpu");
    return { root: ROOT, isVersion2: true };
  }
  const root = ["cpu", "cpu,cpuacct"]
    .map((name) => join(ROOT, name))
    .find((path) => existsSync(join(path, "cgroup.procs")));
  if (root === undefined) throw new Error(`no cpu controller in ${ROOT}: needs Linux with cgroups, as root`);
  return { root, isVersion2: false };
}

/** All threads of these processes, and what they start from now on. */
export function pinTo(core: number, pids: number[]): void {
  for (const pid of pids)
    execFileSync("taskset", ["--all-tasks", "--cpu-list", "--pid", String(core), String(pid)], {
      stdio: "ignore",
    });
}
