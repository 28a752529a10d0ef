import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { flameGraph } from "./flame-graph.ts";
import { profileTable } from "./profile-table.ts";

export interface Profiled {
  pid: () => number;
  stop: () => Promise<unknown>;
}

/** Ends a process that was started with `--cpu-prof`: prints whose code ran, and draws a flame graph into results/. */
export async function drawProfile(
  service: Profiled,
  profiles: string,
  of: string,
  part: string,
): Promise<void> {
  const pid = service.pid();
  // A process writes its profile when it ends.
  await service.stop();
  const file = readdirSync(profiles).find((candidate) => candidate.includes(`.${pid}.`));
  if (file === undefined) throw new Error(`the ${part} left no profile`);
  const path = join(profiles, file);
  console.log(`\n${part}\n\n${profileTable(path)}`);
  const day = new Date().toISOString().slice(0, 10);
  const picture = flameGraph(path, `${of}, ${part}, ${day}`);
  writeFileSync(new URL(`../results/${day}-${of}-${part}.svg`, import.meta.url), picture);
}
