import { readdirSync, readFileSync } from "node:fs";

const TICK_MS = 10;

/** CPU time of a process and all its descendants, in milliseconds: what other work on the machine cannot distort. */
export function cpuMsOf(pids: number[]): number {
  const { used, under } = readProcesses();
  return pids.flatMap(under).reduce((sum, pid) => sum + (used.get(pid) ?? 0), 0);
}

/** A process and all its descendants. */
export function pidsUnder(pid: number): number[] {
  return readProcesses().under(pid);
}

function readProcesses(): { used: Map<number, number>; under(this: void, pid: number): number[] } {
  const children = new Map<number, number[]>();
  const used = new Map<number, number>();
  for (const entry of readdirSync("/proc")) {
    const pid = Number(entry);
    if (!Number.isInteger(pid)) continue;
    const stat = statOf(pid);
    if (stat === undefined) continue;
    used.set(pid, stat.cpuMs);
    children.set(stat.parent, [...(children.get(stat.parent) ?? []), pid]);
  }
  const under = (pid: number): number[] => [pid, ...(children.get(pid) ?? []).flatMap(under)];
  return { used, under };
}

function statOf(pid: number): { parent: number; cpuMs: number } | undefined {
  try {
    // The name in parentheses may hold blanks; what follows it does not. Children that ended count with their parent.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { parent: Number(fields[1]), cpuMs: ticks * TICK_MS };
  } catch {
    return undefined;
  }
}
