import { readFileSync } from "node:fs";
import type { Bed } from "../support/bed.ts";

const KILOBYTES = 1024;

/** Memory of its own that each connection of the service has taken from PostgreSQL's machine, in MB. */
export async function backendMegabytes({ database }: Bed): Promise<number[]> {
  const rows = await database.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and application_name like 'signalbox\\_%'",
  );
  return rows.map(({ pid }) => megabytesOf(`/proc/${pid}/smaps_rollup`, /^Anonymous:\s+(\d+) kB$/m));
}

export function processMegabytes(pid: number): number {
  return megabytesOf(`/proc/${pid}/status`, /^VmRSS:\s+(\d+) kB$/m);
}

/** 0 of a process that has ended meanwhile. */
function megabytesOf(file: string, line: RegExp): number {
  try {
    return Number(line.exec(readFileSync(file, "utf8"))?.[1] ?? 0) / KILOBYTES;
  } catch {
    return 0;
  }
}
