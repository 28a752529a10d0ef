import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import fc from "fast-check";
import { history, play } from "./history.ts";
import { Schedule } from "./schedule.ts";
import { openSimulatedDatabase } from "./simulated-database.ts";
import { ORIGINALS, settle } from "./world.ts";
const t: Record<string, [number, number]> = {};
const add = (k: string, ms: number) => {
  const e = (t[k] ??= [0, 0]);
  e[0] += ms;
  e[1] += 1;
};
const run = Schedule.prototype.run;
Schedule.prototype.run = async function (ops) {
  const b = performance.now();
  const r = await run.call(this, ops);
  add(ops.length > 1 ? "together" : `alone ${ops[0]?.name}`, performance.now() - b);
  return r;
};
const step = Schedule.prototype.step;
Schedule.prototype.step = async function <R>(w: () => Promise<R>) {
  const b = performance.now();
  try {
    return (await step.call(this, w)) as R;
  } finally {
    add("step", performance.now() - b);
  }
};
await using borrowed = await borrowCluster();
const clone = await cloneDatabase(borrowed.cluster);
const database = await openSimulatedDatabase(clone.superuserUrl);
const q = database.query;
(database as { query: unknown }).query = async (s: string, v?: unknown[]) => {
  const b = performance.now();
  const r = await q(s, v);
  add("beside " + s.slice(0, 30), performance.now() - b);
  return r;
};
const settled = await settle(database);
const b = performance.now();
for (const one of fc.sample(history, { numRuns: 40, seed: 5 })) {
  const s = performance.now();
  const p = await play(database, settled, one, ORIGINALS);
  add("history", performance.now() - s);
  if (p.length) console.log(p);
}
console.log(performance.now() - b);
for (const [k, [ms, n]] of Object.entries(t)
  .toSorted((a, b) => b[1][0] - a[1][0])
  .slice(0, 25))
  console.log(k.padEnd(40), Math.round(ms), n, (ms / n).toFixed(2));
await database[Symbol.asyncDispose]();
await clone.drop();
