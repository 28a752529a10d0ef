import { existsSync } from "node:fs";
import { generateKeyPairSync } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { openBedDirectory } from "./bed-directory.ts";
import { eventually, freePorts, lastLines, startProcess } from "./processes.ts";
import type { StartedProcess } from "./processes.ts";

/** What the service needs of an engine, be it one process or several behind one address. */
export type ReachableEngine = AsyncDisposable & {
  ingressUrl: string;
  adminUrl: string;
  /** The key that it signs its calls with, as workers know it. */
  identityKey: string;
  isHealthy(): Promise<boolean>;
};

export type Engine = ReachableEngine & {
  dataDirectory: string;
  pid(): number;
  startTime(): string;
  start(): Promise<void>;
  /** Fails unless the engine died of it. Start again with start(), on the same ports and data. */
  kill9(): Promise<void>;
  /** kill -9, then all that the engine knew is deleted. start() begins with an empty engine. */
  wipe(): Promise<void>;
  stop(): Promise<void>;
  restart(): Promise<void>;
  logs(): string;
};

export type EnginePorts = { node: number; ingress: number; admin: number };

export const PARTITIONS = 4;

/** A private engine, the program itself and not its npm wrapper. A directory given is the caller's to remove. */
export async function startEngine(
  options: {
    directory?: string;
    /** Where its files lie, if not in the directory: a disk of its own, that can be full. */
    dataDirectory?: string;
    ports?: EnginePorts;
    nodeName?: string;
    /** The key that several nodes share, by default one of its own. */
    identityFile?: string;
    environment?: Record<string, string>;
  } = {},
): Promise<Engine> {
  await using opening = new AsyncDisposableStack();
  const directory = options.directory ?? opening.use(await openBedDirectory()).path;
  const ports = options.ports ?? (await choosePorts());
  const dataDirectory = options.dataDirectory ?? join(directory, "engine");
  const ingressUrl = `http://127.0.0.1:${ports.ingress}`;
  const adminUrl = `http://127.0.0.1:${ports.admin}`;
  const command = findProgram("restate-server");
  const identityFile = options.identityFile ?? (await writeIdentity(directory));

  let server: StartedProcess | undefined;
  opening.defer(async () => server?.end("SIGKILL", 10_000));
  const running = () => {
    if (server === undefined) throw new Error("the engine was never started");
    return server;
  };
  const isHealthy = async () =>
    (await answers(`${adminUrl}/health`)) && (await answers(`${ingressUrl}/restate/health`));

  const start = async () => {
    if (server !== undefined && server.exit() === undefined) throw new Error("the engine is already running");
    await mkdir(dataDirectory, { recursive: true });
    const started = startProcess({
      name: "engine",
      command,
      args: ["--node-name", options.nodeName ?? "n1", "--base-dir", dataDirectory],
      env: {
        PATH: process.env["PATH"] ?? "",
        // Its invoker leaves a directory behind each time it is killed.
        TMPDIR: directory,
        RESTATE_LISTEN_MODE: "tcp",
        RESTATE_BIND_IP: "127.0.0.1",
        RESTATE_BIND_PORT: String(ports.node),
        RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
        RESTATE_ADMIN__BIND_PORT: String(ports.admin),
        RESTATE_DISABLE_TELEMETRY: "true",
        RESTATE_DEFAULT_NUM_PARTITIONS: String(PARTITIONS),
        RESTATE_WORKER__STORAGE__ROCKSDB_MEMORY_BUDGET: "64 MB",
        RESTATE_LOG_DISABLE_ANSI_CODES: "true",
        RESTATE_WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: identityFile,
        ...options.environment,
      },
      cwd: directory,
      logFile: join(directory, "engine.log"),
    });
    server = started;
    const died = () => started.exit() !== undefined;
    await eventually("the engine is healthy", async () => died() || (await isHealthy()), {
      timeoutMs: 60_000,
      everyMs: 20,
    });
    if (died()) throw new Error(`the engine ended while starting\n${lastLines(started.logs())}`);
  };
  const stop = async () => {
    running().kill("SIGTERM");
    await running().exitWithin(30_000);
  };

  await start();
  const identityKey = /publickeyv1_\w+/.exec(running().logs())?.[0] ?? "";
  const open = opening.move();
  return {
    ingressUrl,
    adminUrl,
    identityKey,
    dataDirectory,
    pid: () => running().pid,
    startTime: () => running().startTime(),
    isHealthy,
    start,
    kill9: () => running().kill9(),
    async wipe() {
      await running().kill9();
      if (!existsSync(dataDirectory)) throw new Error(`there was no ${dataDirectory} to wipe`);
      await rm(dataDirectory, { recursive: true });
      if (existsSync(dataDirectory)) throw new Error(`${dataDirectory} is still there`);
    },
    stop,
    async restart() {
      await stop();
      await start();
    },
    logs: () => running().logs(),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** The key with which an engine signs its calls. */
export async function writeIdentity(directory: string): Promise<string> {
  const file = join(directory, "engine-identity.pem");
  const { privateKey } = generateKeyPairSync("ed25519");
  await writeFile(file, privateKey.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 });
  return file;
}

export async function choosePorts(): Promise<EnginePorts> {
  const [node = 0, ingress = 0, admin = 0] = await freePorts(3);
  return { node, ingress, admin };
}

/** The npm bin is a wrapper that a kill would hit in place of the engine, so resolve what the wrapper would start. */
export function findProgram(name: "restate-server" | "restatectl"): string {
  const wrapper = createRequire(import.meta.url).resolve(`@restatedev/${name}/package.json`);
  const platform = `@restatedev/${name}-${process.platform}-${process.arch}`;
  return createRequire(wrapper).resolve(`${platform}/bin/${name}`);
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
}
