import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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
  file: string;
  command: (port: string) => string[];
  /** Why it cannot run here; CI installs everything. */
  missing?: string;
}

export const EXAMPLES: Record<string, Example> = {
  express: { file: "express/server.ts", command: () => ["express/server.ts"] },
  fastify: { file: "fastify/server.ts", command: () => ["fastify/server.ts"] },
  hono: { file: "hono/server.ts", command: () => ["hono/server.ts"] },
  next: {
    file: "next/app/hooks/[[...path]]/route.js",
    command: (port) => [NEXT, "dev", "next", "-p", port],
    ...(!existsSync(NEXT) && process.env["CI"] !== "true" && { missing: WITHOUT_NEXT }),
  },
};

/** Runs an example as its reader would, and collects what it prints. */
async function start(argv: string[], port: number) {
  const child = spawn(process.execPath, argv, {
    cwd: examples,
    // Next starts a server of its own below the command: both end with their group.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      NEXT_TELEMETRY_DISABLED: "1",
      PORT: String(port),
      SIGNALBOX_WEBHOOK_USERNAME: USERNAME,
      SIGNALBOX_WEBHOOK_SECRET: SECRET,
      SIGNALBOX_SIGNING_SECRET: SIGNING_SECRET,
    },
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
export async function judgeExample(command: (port: string) => string[]): Promise<ConformReport> {
  const port = await freePort();
  await using example = await start(command(String(port)), port);
  return await conform({
    url: example.url,
    as: "both",
    username: USERNAME,
    secret: SECRET,
    signingSecret: SIGNING_SECRET,
    effects: () => example.printed(),
  });
}
