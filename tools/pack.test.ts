import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { packPackages } from "./pack.ts";

const run = promisify(execFile);
const root = dirname(import.meta.dirname);

/** What a developer writes who has installed the SDK: every door of the package once, with its types. */
const PROGRAM = `
import { createServer } from "node:http";
import { createClient, isFailure } from "@signalbox/sdk";
import { conform } from "@signalbox/sdk/conform";
import { expressReceiver } from "@signalbox/sdk/express";
import { fastifyReceiver } from "@signalbox/sdk/fastify";
import { honoReceiver } from "@signalbox/sdk/hono";
import { nextReceiver } from "@signalbox/sdk/next";
import { nodeReceiver } from "@signalbox/sdk/node";
import { createReceiver } from "@signalbox/sdk/receiver";
import { prepareCall, sampleBody, sendCall } from "@signalbox/sdk/testing";

const heard: string[] = [];
const credentials = { username: "signalbox", secret: "s3cret" };
const receiver = createReceiver({
  ...credentials,
  onMessage: ({ output }) => void heard.push(output[0]?.content.text ?? ""),
});
for (const mount of [expressReceiver, fastifyReceiver, honoReceiver, nextReceiver]) mount(receiver);
const server = createServer(nodeReceiver(receiver)).listen(0, "127.0.0.1", async () => {
  const { port } = server.address() as { port: number };
  const url = \`http://127.0.0.1:\${port}/hooks\`;
  const body = sampleBody("message");
  const sent = await sendCall(await prepareCall({ url, kind: "message", body, ...credentials }));
  const report = await conform({ url, ...credentials, rules: ["answers-200", "no-credentials"] });
  const client = createClient({ baseUrl: \`http://127.0.0.1:\${port}\`, apiKey: "sbx_", retries: 0 });
  const failure = await client.verifyApiKey().catch((error: unknown) => error);
  server.close();
  server.closeAllConnections();
  console.log(JSON.stringify({ sent: sent.kind, heard: heard[0], passed: report.passed, isOther: isFailure(failure, "notFound") }));
});
`;

describe("the packed SDK", () => {
  let directory = "";
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "signalbox-pack-"));
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it("runs and has its types outside the repository, with nothing but zod beside it", async () => {
    const home = join(directory, "home");
    const modules = join(home, "node_modules");
    for (const tarball of packPackages(directory)) {
      const name = tarball.includes("contract") ? "contract" : "sdk";
      const place = join(modules, "@signalbox", name);
      await mkdir(place, { recursive: true });
      await run("tar", ["-xzf", tarball, "-C", place, "--strip-components=1"]);
      const { dependencies } = JSON.parse(await readFile(join(place, "package.json"), "utf8")) as {
        dependencies: Record<string, string>;
      };
      assert.deepEqual(Object.keys(dependencies), [name === "contract" ? "zod" : "@signalbox/contract"]);
    }
    await cp(join(root, "node_modules/zod"), join(modules, "zod"), { recursive: true });
    await mkdir(join(modules, "@types"));
    for (const types of ["@types/node", "undici-types"])
      await symlink(join(root, "node_modules", types), join(modules, types));
    await writeFile(join(home, "package.json"), '{ "type": "module" }');
    await writeFile(join(home, "program.ts"), PROGRAM);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023", "--types", "node"];
    await run(join(root, "node_modules/.bin/tsc"), [...options, "program.ts"], { cwd: home }).catch(
      ({ stdout }: { stdout: string }) => assert.fail(stdout),
    );
    const { stdout } = await run(process.execPath, ["program.ts"], { cwd: home });
    assert.deepEqual(JSON.parse(stdout), {
      sent: "answered",
      heard: "We open at nine, every day but Sunday.",
      passed: 2,
      isOther: false,
    });
  });
});
