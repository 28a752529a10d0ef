import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { build } from "esbuild";
import { type MadeAgent, makeAgent } from "../support/agents.ts";
import { type Bed, openBed } from "../support/bed.ts";
import { installed, print, root, without } from "./installed.ts";

const ANSWER = "At nine.";
const RUNTIMES: { name: string; path: string; argv: string[] }[] = [
  { name: "Node 22", path: "node22/bin/node", argv: [] },
  { name: "Bun", path: "@oven/bun-linux-x64/bin/bun", argv: ["run"] },
  { name: "Deno", path: "@deno/linux-x64-glibc/deno", argv: ["run", "--no-remote", "--allow-net=127.0.0.1"] },
];

describe("SDK in other runtimes", () => {
  let bed: Bed;
  let agent: MadeAgent;
  let folder: string;
  let program: string;

  before(async () => {
    bed = await openBed();
    agent = await makeAgent(bed, { qaList: [{ question: "When do you open?", answer: ANSWER }] });
    folder = await mkdtemp(join(tmpdir(), "signalbox-runtimes-"));
    program = join(folder, "program.mjs");
    await build({
      entryPoints: [join(import.meta.dirname, "runtime-program.ts")],
      outfile: program,
      bundle: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      define: { BASE_URL: JSON.stringify(bed.baseUrl), API_KEY: JSON.stringify(agent.apiKey) },
    });
  });
  after(async () => {
    await bed?.[Symbol.asyncDispose]();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  for (const { name, path, argv } of RUNTIMES)
    it(`the SDK asks, streams, lists and tells failures in ${name}`, { skip: without(path) }, async () => {
      const said = await print(installed(path), [...argv, program], folder);
      assert.deepEqual(JSON.parse(said), {
        answered: ANSWER,
        streamed: ANSWER,
        roles: "user,assistant,user,assistant",
        refused: true,
        userAgent: "signalbox-sdk/0.1.0",
      });
    });

  it(
    "the client and the receiver kit compile with the types of Cloudflare Workers, without Node's or a browser's",
    { skip: without("@cloudflare/workers-types") },
    async () => {
      const project = join(import.meta.dirname, "workers");
      await print(join(root, "node_modules/.bin/tsc"), ["-p", project, "--pretty", "false"]);
    },
  );
});
