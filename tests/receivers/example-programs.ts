import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { conform, type ConformReport } from "@signalbox/sdk/conform";
import { freePort } from "../support/processes.ts";
import { SECRET, SIGNING_SECRET, USERNAME } from "./handwritten-receiver.ts";

const root = join(import.meta.dirname, "../..");
export const examples = join(root, "examples/receivers");
const READY_MS = 60_000;

export const EXAMPLES: Record<string, { file: string; command: (port: string) => string[] }> = {
  express: { file: "express/server.ts", command: () => ["express/server.ts"] },
  fastify: { file: "fastify/server.ts", command: () => ["fastify/server.ts"] },
  hono: { file: "hono/server.ts", command: () => ["hono/server.ts"] },
  next: {
    file: "next/app/hooks/[[...path]]/route.js",
    command: (port) => [join(root, "node_modules/next/dist/bin/next"), "dev", "next", "-p", port],
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
  const giveUpAt = Date.now() + READY_MS;
  while (!(await isUp())) {
    assert.ok(Date.now() < giveUpAt && child.exitCode === null, `it did not start:\n${printed}`);
    await sleep(100);
  }
  return {
    url,
    printed: () => Promise.resolve(printed),
    async [Symbol.asyncDispose]() {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      await ended;
    },
  };
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
