import { parseArgs } from "node:util";
import { cloneDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import { huntMutants, playHistories, shrink, type Figures } from "./campaign.ts";
import { openSimulatedDatabase } from "./simulated-database.ts";
import { settle } from "./settle.ts";

// npm run histories -- --count 10000 --json: its last line is one JSON object.
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "1000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 1e9)) },
    mutants: { type: "string", default: "400" },
    json: { type: "boolean", default: false },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);

await using borrowed = await borrowCluster();
const clone = await cloneDatabase(borrowed.cluster);
const database = await openSimulatedDatabase(clone.superuserUrl);
const settled = await settle(database);
console.log(`seed ${seed}`);
const begun = performance.now();
const violations = await playHistories(database, settled, { count, seed }, (played, found) => {
  if (found !== undefined)
    console.log(`after ${played} histories: ${found.problems.join("; ")}\n${JSON.stringify(found)}`);
  if (played % 500 === 0)
    console.log(`${played} histories in ${Math.round((performance.now() - begun) / 1000)} s`);
  return true;
});
const [first] = violations;
if (first !== undefined)
  console.log(`as small as it gets: ${JSON.stringify(await shrink(database, settled, first))}`);
const perMutant = Number(values.mutants);
const mutants = perMutant === 0 ? [] : await huntMutants(database, settled, { count: perMutant, seed });
for (const { name, caught } of mutants)
  console.log(`${caught === undefined ? "MISSED" : "caught"}  ${name}: ${caught ?? ""}`);
await database[Symbol.asyncDispose]();
await clone.drop();

const figures: Figures = {
  histories: count,
  violations: violations.length,
  mutants: mutants.length,
  mutants_caught: mutants.filter(({ caught }) => caught !== undefined).length,
};
if (values.json) console.log(JSON.stringify(figures));
else console.log(figures);
if (figures.violations > 0 || figures.mutants_caught < figures.mutants) process.exitCode = 1;
