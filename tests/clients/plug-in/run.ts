import { globSync } from "node:fs";
import { join } from "node:path";
import { run } from "node:test";
import { parseArgs } from "node:util";

const USAGE = `usage: npm run plug-in -- [--only NAME,NAME] [--json]
  Runs programs that others wrote against the service: MCP clients, AI SDK, AsyncAPI, CloudEvents and more.
  Needs npm ci --ignore-scripts --prefix tests/clients.
  --only  these files of tests/clients/plug-in alone, without .test.ts
  --json  the last line is the figures as one JSON object`;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

/** A client is one suite at the top of a file. A client with a skipped test has not passed. */
async function runClients(files: string[]): Promise<Map<string, boolean>> {
  const clients = new Map<string, boolean>();
  let isWhole = true;
  const events = run({ files, concurrency: 1 });
  events.on("test:fail", ({ name, nesting, details }) => {
    if (nesting > 0) console.log(`✖ ${name}\n${details.error.stack ?? details.error.message}`);
    else end(name, false);
  });
  events.on("test:pass", ({ name, nesting, skip }) => {
    if (skip !== undefined) isWhole = false;
    if (nesting === 0) end(name, true);
  });
  function end(name: string, hasPassed: boolean): void {
    clients.set(name, hasPassed && isWhole);
    console.log(`${clients.get(name) === true ? "✔" : "✖"} ${name}`);
    isWhole = true;
  }
  for await (const _ of events);
  return clients;
}

if (values.help) {
  console.log(USAGE);
} else {
  const wanted = values.only?.split(",") ?? ["*"];
  const files = globSync(wanted.map((name) => join(import.meta.dirname, `${name}.test.ts`))).toSorted();
  const clients = await runClients(files);
  const passed = [...clients.values()].filter(Boolean).length;
  if (values.json) console.log(JSON.stringify({ clients: clients.size, clients_passed: passed }));
  else console.log(`${passed} of ${clients.size} clients passed`);
  process.exitCode = clients.size > 0 && passed === clients.size ? 0 : 1;
}
