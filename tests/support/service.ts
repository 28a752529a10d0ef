import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { MUTATIONS_VARIABLE } from "./mutant-service.ts";
import { eventually, lastLines, readStat, startProcess } from "./processes.ts";
import type { StartedProcess } from "./processes.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
export const SOURCE_PROGRAM = join(REPOSITORY, "packages/server/src/main.ts");
export const PROGRAM_VARIABLE = "SIGNALBOX_TEST_PROGRAM";
/** In one file, where the run has made one. */
export const PROGRAM = process.env[PROGRAM_VARIABLE] ?? SOURCE_PROGRAM;
export const COMPILE_CACHE_VARIABLE = "SIGNALBOX_TEST_COMPILE_CACHE";

export type Service = AsyncDisposable & {
  name: string;
  baseUrl: string;
  pid(): number;
  startTime(): string;
  start(): Promise<void>;
  /** Fails unless the process died of it. Start again with start(), on the same port and environment. */
  kill9(): Promise<void>;
  /** SIGTERM; gives the exit code. */
  stop(): Promise<number | null>;
  restart(): Promise<void>;
  pause(): Promise<void>;
  resume(): Promise<void>;
  isReady(): Promise<boolean>;
  logs(): string;
};

export type ServiceToStart = {
  role: "api" | "worker" | "all";
  port: number;
  /** All the process gets to see, beside PORT, PATH and a compile cache. */
  environment: Record<string, string>;
  name: string;
  /** Where the log goes. */
  directory: string;
  program?: string;
};

const DRAIN_LIMIT_MS = 30_000;
const STARTS_MAX = 5;

/** Runs one role of the service as the operator would, and waits until it says it is ready. */
export async function startService(wanted: ServiceToStart): Promise<Service> {
  const { name, port, role, directory, environment } = wanted;
  // Mistakes are sown into the source of one module.
  const isMutant = environment[MUTATIONS_VARIABLE] !== undefined;
  const program = wanted.program ?? (isMutant ? SOURCE_PROGRAM : PROGRAM);
  const baseUrl = `http://127.0.0.1:${port}`;
  const compileCache = process.env[COMPILE_CACHE_VARIABLE] ?? join(directory, "compile-cache");

  let current: StartedProcess | undefined;
  const running = () => {
    if (current === undefined) throw new Error(`${name} was never started`);
    return current;
  };

  /** As a supervisor would: on a starved machine PostgreSQL may take longer to answer than the service waits for it. */
  const start = async () => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await startOnce();
      } catch (error) {
        if (tries === STARTS_MAX || !/due to connection timeout/.test(String(error))) throw error;
      }
    }
  };

  const startOnce = async () => {
    if (current !== undefined && current.exit() === undefined) throw new Error(`${name} is already running`);
    const started = startProcess({
      name,
      command: process.execPath,
      args: [program, role],
      env: {
        PATH: process.env["PATH"] ?? "",
        NODE_COMPILE_CACHE: compileCache,
        ...environment,
        PORT: String(port),
      },
      cwd: REPOSITORY,
      logFile: join(directory, `${name}.log`),
    });
    current = started;
    const died = () => started.exit() !== undefined;
    try {
      await eventually(`${name} is ready`, async () => died() || (await isReady()), {
        timeoutMs: 60_000,
        everyMs: 25,
      });
    } catch (error) {
      await started.end("SIGKILL", 10_000);
      throw new Error(`${name} did not become ready\n${lastLines(started.logs())}`, { cause: error });
    }
    const exit = started.exit();
    if (exit === undefined) return;
    throw new Error(
      `${name} ended while starting (${exit.code ?? exit.signal})\n${lastLines(started.logs())}`,
    );
  };

  const isReady = async () => {
    try {
      const response = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(2_000) });
      await response.arrayBuffer();
      return response.status === 200;
    } catch {
      return false;
    }
  };

  const stop = async () => {
    running().kill("SIGTERM");
    return (await running().exitWithin(DRAIN_LIMIT_MS)).code;
  };

  const becomes = (what: string, accepts: (state: string) => boolean) =>
    eventually(`${name} is ${what}`, () => accepts(readStat(running().pid)?.state ?? "gone"), { everyMs: 5 });

  await start();
  return {
    name,
    baseUrl,
    pid: () => running().pid,
    startTime: () => running().startTime(),
    start,
    kill9: () => running().kill9(),
    stop,
    async restart() {
      await stop();
      await start();
    },
    async pause() {
      running().kill("SIGSTOP");
      await becomes("paused", (state) => state === "T");
    },
    async resume() {
      running().kill("SIGCONT");
      await becomes("resumed", (state) => state === "R" || state === "S" || state === "D");
    },
    isReady,
    logs: () => running().logs(),
    [Symbol.asyncDispose]: async () => running().end("SIGTERM", 2_000),
  };
}
