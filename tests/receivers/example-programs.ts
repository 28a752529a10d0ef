import assert from "node:assert/strict";
import { execFile, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { conform, type ConformReport } from "@signalbox/sdk/conform";
import { freePort } from "../support/processes.ts";
import { SECRET, SIGNING_SECRET, USERNAME } from "./handwritten-receiver.ts";

const root = join(import.meta.dirname, "../..");
export const examples = join(root, "examples/receivers");
const READY_MS = 60_000;

const NEXT = join(examples, "next/node_modules/next/dist/bin/next");
/** Next has a lockfile of its own, because it is larger than everything else here together. */
const WITHOUT_NEXT = "Next is not installed: npm ci --ignore-scripts --prefix examples/receivers/next";

interface Example {
  /** Where its commands are typed, below the folder of the examples. */
  folder: string;
  file: string;
  /** Which the file stays under. The kit of a language, which it imports, is not counted. */
  linesMax: number;
  argv: (port: string) => string[];
  /** Asks the agent a question, and prints its answer whole and in pieces. */
  client?: (question: string) => string[];
  /** Why it cannot run here; CI installs everything. */
  missing?: string;
}

const inCi = process.env["CI"] === "true";
const orMissing = (isThere: boolean, missing: string) => (isThere || inCi ? {} : { missing });
const succeeds = (program: string, ...argv: string[]) =>
  spawnSync(program, argv, { stdio: "ignore" }).status === 0;
const notThere = (name: string) =>
  `${name} is not installed: .ci/install-languages does it, as root on Debian 12`;

/** Debian's own has Debian's packages; another version may come first in PATH. */
const PYTHON = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";

function typescript(folder: string): Example {
  return { folder, file: "server.ts", linesMax: 40, argv: () => [process.execPath, "server.ts"] };
}

function python(file: string, module: string): Example {
  const finds = `import importlib.util as u, sys; sys.exit(u.find_spec("${module}") is None)`;
  return {
    folder: "python",
    file,
    linesMax: 40,
    argv: () => [PYTHON, file],
    client: (question) => [PYTHON, "client.py", question],
    ...orMissing(succeeds(PYTHON, "-c", finds), notThere(`${module} of ${PYTHON}`)),
  };
}

export const EXAMPLES: Record<string, Example> = {
  express: typescript("express"),
  fastify: typescript("fastify"),
  hono: typescript("hono"),
  next: {
    folder: "next",
    file: "app/hooks/[[...path]]/route.js",
    linesMax: 40,
    argv: (port) => [process.execPath, NEXT, "dev", ".", "-p", port],
    ...orMissing(existsSync(NEXT), WITHOUT_NEXT),
  },
  Python: python("standard_library.py", "http.server"),
  FastAPI: python("fastapi_server.py", "fastapi"),
  Flask: python("flask_server.py", "flask"),
  Django: python("django_server.py", "django"),
  Go: {
    folder: "go",
    file: "receiver/main.go",
    linesMax: 90,
    argv: () => ["go", "run", "./receiver"],
    client: (question) => ["go", "run", "./client", question],
    ...orMissing(succeeds("go", "version"), notThere("Go")),
  },
  PHP: {
    folder: "php",
    file: "receiver.php",
    linesMax: 50,
    argv: (port) => ["php", "-S", `127.0.0.1:${port}`, "receiver.php"],
    client: (question) => ["php", "client.php", question],
    ...orMissing(succeeds("php", "--version"), notThere("PHP")),
  },
};

/** Runs an example as its reader would, and collects what it prints. */
export async function startExample(
  { folder, argv }: Example,
  environment: Record<string, string>,
  port: number,
) {
  const [program = "", ...rest] = argv(String(port));
  const child = spawn(program, rest, {
    cwd: join(examples, folder),
    // Next and go start a program of their own below the command: both end with their group.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: "1", PORT: String(port), ...environment },
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => (printed += text));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const url = `http://127.0.0.1:${port}/hooks`;
  const isUp = async () => {
    const answer = await fetch(url, { method: "POST", signal: AbortSignal.timeout(READY_MS) }).catch(
      () => undefined,
    );
    return answer?.status === 401;
  };
  const end = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    await ended;
  };
  const giveUpAt = Date.now() + READY_MS;
  while (!(await isUp())) {
    if (Date.now() < giveUpAt && child.exitCode === null) await sleep(100);
    else {
      await end();
      assert.fail(`it did not start:\n${printed}`);
    }
  }
  return { url, printed: () => Promise.resolve(printed), [Symbol.asyncDispose]: end };
}

/** One of the examples, held against every rule. */
export async function judgeExample(example: Example): Promise<ConformReport> {
  const environment = {
    SIGNALBOX_WEBHOOK_USERNAME: USERNAME,
    SIGNALBOX_WEBHOOK_SECRET: SECRET,
    SIGNALBOX_SIGNING_SECRET: SIGNING_SECRET,
  };
  await using running = await startExample(example, environment, await freePort());
  return await conform({
    url: running.url,
    as: "both",
    username: USERNAME,
    secret: SECRET,
    signingSecret: SIGNING_SECRET,
    effects: () => running.printed(),
  });
}

/** What an example's client prints for a question. */
export async function askWithClient(
  { folder, client }: Example,
  question: string,
  environment: Record<string, string>,
): Promise<string> {
  const [program = "", ...rest] = client?.(question) ?? [];
  const { stdout } = await promisify(execFile)(program, rest, {
    cwd: join(examples, folder),
    env: { ...process.env, ...environment },
  });
  return stdout;
}
