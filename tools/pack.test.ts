import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createReadStream, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { makeAgent } from "@signalbox/tests/support/agents.ts";
import { openBed } from "@signalbox/tests/support/bed.ts";
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
  const failure = await client.keys.verify().catch((error: unknown) => error);
  server.close();
  server.closeAllConnections();
  console.log(JSON.stringify({ sent: sent.kind, heard: heard[0], passed: report.passed, isOther: isFailure(failure, "notFound") }));
});
`;

const serverManifest = JSON.parse(readFileSync(join(root, "packages/server/package.json"), "utf8")) as {
  dependencies: Record<string, string>;
};

/** What each may bring along. */
const DEPENDENCIES: Record<string, string[]> = {
  "@signalbox/contract": ["zod"],
  "@signalbox/sdk": ["@signalbox/contract"],
  "@signalbox/console": [],
  "@signalbox/server": Object.keys(serverManifest.dependencies),
  "@signalbox/widget": ["@signalbox/sdk"],
  "@signalbox/desk": ["@signalbox/sdk"],
  "@signalbox/dev": [
    "@restatedev/restate-server",
    "@signalbox/contract",
    "@signalbox/desk",
    "@signalbox/sdk",
    "@signalbox/server",
    "@signalbox/widget",
  ],
  signalbox: ["@signalbox/contract", "@signalbox/sdk"],
};

/** What npm shows of a package. */
const WANTED = [
  "description",
  "keywords",
  "license",
  "repository",
  "homepage",
  "bugs",
  "engines",
  "exports",
  "files",
];
type Packed = Record<string, unknown> & {
  name: string;
  dependencies?: Record<string, string>;
  repository: { directory: string };
};

/** A program in the place of the local stack: it says that it runs, and ends. */
const STAND_IN = `export class PartFailed extends Error {}
export async function runDev({ directory }, events) {
  events.running({ url: "http://127.0.0.1:4242", pages: {}, operator_token: "", agents: [], directory });
}
`;

/** An npm registry of one package. */
async function openRegistry(directory: string) {
  const name = "@signalbox/dev";
  const { version } = JSON.parse(await readFile(join(root, "packages/dev/package.json"), "utf8")) as {
    version: string;
  };
  const folder = join(directory, "stand-in");
  await mkdir(folder);
  const manifest = { name, version, type: "module", exports: "./index.js" };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "index.js"), STAND_IN);
  await run("tar", ["-czf", "stand-in.tgz", "--transform=s/^stand-in/package/", "stand-in"], {
    cwd: directory,
  });
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    if (request.url === "/stand-in.tgz")
      return createReadStream(join(directory, "stand-in.tgz")).pipe(response);
    const versions = { [version]: { ...manifest, dist: { tarball: `${url()}/stand-in.tgz` } } };
    response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
  });
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: url(),
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

describe("packages installed outside the repository", () => {
  let directory = "";
  let home = "";
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "signalbox-pack-"));
    home = join(directory, "home");
    const modules = join(home, "node_modules");
    for (const tarball of packPackages(directory)) {
      const unpacked = await mkdtemp(join(directory, "unpacked-"));
      await run("tar", ["-xzf", tarball, "-C", unpacked, "--strip-components=1"]);
      const manifest = JSON.parse(await readFile(join(unpacked, "package.json"), "utf8")) as Packed;
      const missing = WANTED.filter((field) => manifest[field] === undefined);
      assert.deepEqual(missing, [], `${manifest.name} lacks ${missing.join(", ")}`);
      assert.match(manifest.repository.directory, /^(packages|examples)\/\w+$/);
      assert.deepEqual(Object.keys(manifest.dependencies ?? {}), DEPENDENCIES[manifest.name]);
      await mkdir(dirname(join(modules, manifest.name)), { recursive: true });
      await rename(unpacked, join(modules, manifest.name));
    }
    await mkdir(join(modules, "@types"));
    const libraries = Object.keys(serverManifest.dependencies).filter(
      (name) => !name.startsWith("@signalbox/"),
    );
    for (const library of [...libraries, "@types/node", "undici-types"]) {
      await mkdir(dirname(join(modules, library)), { recursive: true });
      await symlink(join(root, "node_modules", library), join(modules, library));
    }
    await writeFile(join(home, "package.json"), '{ "type": "module" }');
  });
  after(() => rm(directory, { recursive: true, force: true }));

  const signalbox = (...words: string[]) =>
    run(process.execPath, [join(home, "node_modules/signalbox/dist/main.js"), ...words], { cwd: home });

  it("the packed CLI runs with and without the server beside it", async () => {
    assert.match((await signalbox("--version")).stdout, /^\d+\.\d+\.\d+\n$/);
    assert.match((await signalbox("conform", "--help")).stdout, /signalbox conform URL/);
    await assert.rejects(signalbox("migrate"), { code: 1, stderr: /DATABASE_URL/ });
    await writeFile(join(home, "faq.csv"), "question,answer\nWhen do you open?,At nine.\n");
    const { stdout } = await signalbox("documents", "import", "faq.csv", "--dry-run");
    assert.match(stdout, /1 of 1 rows are valid pairs/);
    const server = join(home, "node_modules/@signalbox/server");
    await rename(server, `${server}-away`);
    for (const words of [["migrate"], ["documents", "import", "faq.csv", "--dry-run"]])
      await assert.rejects(signalbox(...words), { code: 1, stderr: /@signalbox\/server is not installed/ });
    await rename(`${server}-away`, server);
  });

  describe("local stack", () => {
    const dev = () => join(home, "node_modules/@signalbox/dev");
    before(() => rename(dev(), `${dev()}-away`));
    after(() => rename(`${dev()}-away`, dev()));

    /** With an npm that has nothing but this registry. */
    const signalboxDev = (registry: string) =>
      run(process.execPath, [join(home, "node_modules/signalbox/dist/main.js"), "dev"], {
        cwd: home,
        env: {
          PATH: process.env["PATH"],
          HOME: directory,
          npm_config_registry: registry,
          npm_config_fetch_retries: "0",
          npm_config_cache: join(directory, "npm-cache"),
        },
      });

    it("signalbox dev says what to do when the local stack cannot be fetched, and leaves nothing behind", async () => {
      await assert.rejects(signalboxDev("http://127.0.0.1:1"), {
        code: 1,
        stderr: /npm could not install @signalbox\/dev@[\d.]+, [^]+npm install --global @signalbox\/dev@/,
      });
      assert.deepEqual(await readdir(join(directory, ".cache/signalbox")), []);
    });

    it("signalbox dev fetches the local stack through npm once and prints its size", async () => {
      await using registry = await openRegistry(directory);
      const first = await signalboxDev(registry.url);
      assert.match(first.stderr, /Downloading @signalbox\/dev@[\d.]+ with npm \(\d+ MB, only once\) to /);
      assert.match(first.stdout, /Signalbox is running at http:\/\/127\.0\.0\.1:4242/);
      const asked = registry.requests();
      const second = await signalboxDev(registry.url);
      assert.doesNotMatch(second.stderr, /Downloading/);
      assert.match(second.stdout, /Signalbox is running at/);
      assert.equal(registry.requests(), asked);
    });
  });

  it("the packed server migrates, reads a file in a worker thread and answers from it", async () => {
    const program = join(home, "node_modules/@signalbox/server/dist/main.js");
    await using bed = await openBed({ apis: 1, workers: 1, program });
    const agent = await makeAgent(bed);
    const { pathname: path } = new URL(`${bed.receiver.url}/hours.csv`);
    bed.receiver.respond((request) =>
      request.path === path ? { body: "question,answer\nWhen do you open?,At nine.\n" } : undefined,
    );
    const { doc, failed } = await agent.client.knowledge.add({
      purpose: "QA_FILE",
      files: [{ file_url: `${bed.receiver.url}/hours.csv`, file_name: "hours.csv" }],
    });
    assert.deepEqual([doc.length, failed], [1, []]);
    await agent.ask(await agent.converse(), "When do you open?");
    const [arrived] = await agent.arrivals(1);
    assert.match(JSON.stringify(arrived?.body), /At nine\./);
    const page = await fetch(`${bed.baseUrl}/console/`);
    assert.match(await page.text(), /<div id="console">/);
    const widget = await fetch(`${bed.baseUrl}/signalbox-chat.js`);
    assert.match(await widget.text(), /customElements\.define/);
  });

  it("the packed desk serves its page, and the pages of signalbox dev and the widget are included", async () => {
    const program = `import { createServer } from "node:http";
      import { readFileSync } from "node:fs";
      import { openDesk } from "@signalbox/desk";
      const credentials = { username: "signalbox" };
      const desk = openDesk({ file: ":memory:", credentials, clientFor: () => undefined });
      const server = createServer(desk.handle).listen(0, "127.0.0.1", async () => {
        const page = await fetch("http://127.0.0.1:" + server.address().port + "/page/desk.js");
        const widget = readFileSync(new URL(import.meta.resolve("@signalbox/widget/signalbox-chat.js")), "utf8");
        console.log(page.status, widget.includes("signalbox-chat"));
        await desk.close();
        server.close();
        server.closeAllConnections();
      });`;
    await writeFile(join(home, "desk.js"), program);
    assert.equal((await run(process.execPath, ["desk.js"], { cwd: home })).stdout, "200 true\n");
    const chat = await readFile(join(home, "node_modules/@signalbox/dev/pages/chat.html"), "utf8");
    assert.match(chat, /<main/);
  });

  it("the packed SDK runs and has its types", async () => {
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
