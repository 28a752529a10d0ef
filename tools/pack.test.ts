import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { makeAgent } from "@signalbox/tests/support/agents.ts";
import { openBed } from "@signalbox/tests/support/bed.ts";
import { startNpmRegistry, type NpmRegistry } from "@signalbox/tests/support/npm-registry.ts";
import { eventually } from "@signalbox/tests/support/processes.ts";
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

/** Published in the place of the local stack. */
async function publishStandIn(registry: NpmRegistry, directory: string): Promise<void> {
  const { version } = JSON.parse(await readFile(join(root, "packages/dev/package.json"), "utf8")) as {
    version: string;
  };
  const folder = join(directory, "stand-in");
  await mkdir(folder);
  const manifest = { name: "@signalbox/dev", version, type: "module", exports: "./index.js" };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  await writeFile(join(folder, "index.js"), STAND_IN);
  await npm(registry, directory, "publish", folder);
}

function npm(registry: NpmRegistry, home: string, ...words: string[]) {
  return run("npm", [...words, "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: home,
    env: { PATH: process.env["PATH"], ...registry.environment(home) },
  });
}

/** Without a manifest, npm would look for one in the folders above. */
async function makeProject(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  if (!existsSync(join(path, "package.json"))) await writeFile(join(path, "package.json"), "{}");
}

/** The oldest that each package names, and the one of the service. */
const NODES = [
  { name: "Node 22", folder: join(root, "tests/clients/node_modules/node22/bin"), runsService: false },
  { name: "Node 24", folder: dirname(process.execPath), runsService: true },
];
const INSTALLED = "npm ci --ignore-scripts --prefix tests/clients";
/** The whole local stack from the registry, to its first answer: minutes, and half a gigabyte. */
const isLong = process.env["SIGNALBOX_TEST_PACKAGES"] === "all";

describe("packages installed outside the repository", () => {
  let directory = "";
  let home = "";
  let tarballs: string[] = [];
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), "signalbox-pack-"));
    home = join(directory, "home");
    const modules = join(home, "node_modules");
    tarballs = packPackages(directory);
    for (const tarball of tarballs) {
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
      await using registry = await startNpmRegistry();
      await publishStandIn(registry, directory);
      const first = await signalboxDev(registry.url);
      assert.match(first.stderr, /Downloading @signalbox\/dev@[\d.]+ with npm \(\d+ MB, only once\) to /);
      assert.match(first.stdout, /Signalbox is running at http:\/\/127\.0\.0\.1:4242/);
      const asked = registry.requests().length;
      const second = await signalboxDev(registry.url);
      assert.doesNotMatch(second.stderr, /Downloading/);
      assert.match(second.stdout, /Signalbox is running at/);
      assert.equal(registry.requests().length, asked);
    });
  });

  describe("registry", () => {
    let registry: NpmRegistry;
    before(async () => {
      const upstream = (await run("npm", ["config", "get", "registry"])).stdout.trim();
      registry = await startNpmRegistry(isLong ? upstream : undefined);
      const library = await npm(registry, directory, "pack", join(root, "node_modules/zod"), "--json");
      const [packed] = Object.values(JSON.parse(library.stdout) as Record<string, { filename: string }>);
      for (const tarball of [join(directory, packed?.filename ?? ""), ...tarballs])
        await npm(registry, directory, "publish", tarball, "--access", "public");
    });
    after(() => registry?.[Symbol.asyncDispose]());

    for (const { name, folder, runsService } of NODES) {
      const skip = !existsSync(folder) && process.env["CI"] !== "true" && `${name} is missing: ${INSTALLED}`;
      const project = () => join(directory, name.replace(" ", "-"));
      const inProject = async (command: string, ...words: string[]) => {
        await makeProject(project());
        return run(command, words, {
          cwd: project(),
          env: { PATH: `${folder}:${process.env["PATH"]}`, ...registry.environment(project()) },
        });
      };

      it(`the SDK and the command line install from a registry and run on ${name}`, { skip }, async () => {
        const installed = await inProject("npm", "install", "@signalbox/sdk", "signalbox");
        assert.doesNotMatch(installed.stderr, /EBADENGINE/);
        const program = 'import { createClient } from "@signalbox/sdk"; console.log(typeof createClient);';
        const ran = await inProject("node", "--input-type=module", "--eval", program);
        assert.equal(ran.stdout, "function\n");
        assert.match((await inProject("npx", "signalbox", "--version")).stdout, /^\d+\.\d+\.\d+\n$/);
      });

      it(
        `a command that needs a newer Node than ${name} says so, and downloads nothing`,
        { skip: skip || runsService },
        async () => {
          const asked = registry.requests().length;
          for (const words of [
            ["dev"],
            ["serve"],
            ["migrate"],
            ["secrets", "generate"],
            ["documents", "import", "x.csv", "--dry-run"],
          ])
            await assert.rejects(inProject("npx", "signalbox", ...words), {
              code: 1,
              stderr:
                /^signalbox \w+ needs Node 24 or newer, and this is Node 22\.[\d.]+\. Install Node 24 [^\n]+\n$/,
            });
          assert.equal(registry.requests().length, asked);
        },
      );
    }

    it(
      "signalbox dev installs from a registry and answers",
      { skip: !isLong && "SIGNALBOX_TEST_PACKAGES=all runs it" },
      async () => {
        const project = join(directory, "dev");
        await makeProject(project);
        const env = { PATH: process.env["PATH"], ...registry.environment(project) };
        await run("npm", ["install", "signalbox"], { cwd: project, env });
        const dev = spawn("npx", ["signalbox", "dev"], { cwd: project, env, detached: true });
        let printed = "";
        for (const stream of [dev.stdout, dev.stderr])
          stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
        try {
          const [, settings = ""] = await eventually(
            "it runs",
            () => /export (SIGNALBOX_URL=.*)/.exec(printed) ?? undefined,
            {
              timeoutMs: 600_000,
            },
          );
          const { stdout } = await run(
            "sh",
            ["-c", `env ${settings} npx signalbox ask "When do you open?"`],
            { cwd: project, env },
          );
          assert.match(stdout, /nine|9/);
        } finally {
          process.kill(-(dev.pid ?? 0), "SIGINT");
          await once(dev, "exit");
        }
      },
    );
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
