import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually, freePort, type StartedProcess, startProcess } from "./processes.ts";

export type RunningExample = AsyncDisposable & {
  url: string;
  /** Its human service's address, as it is configured at the service. */
  hooksUrl: string;
  /** Where it keeps everything. */
  file: string;
  start(environment: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
  kill9(): Promise<void>;
};

/** An example as its reader runs it: a program with a file, on the same port at every start. */
export async function prepareExample(name: string, fileSetting: string): Promise<RunningExample> {
  const program = join(import.meta.dirname, "../../examples", name, "src/main.ts");
  const folder = mkdtempSync(join(tmpdir(), `signalbox-${name}-`));
  const file = join(folder, `${name}.sqlite`);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let running: StartedProcess | undefined;
  const stop = async () => {
    await running?.end("SIGTERM", 10_000);
    running = undefined;
  };
  return {
    url,
    hooksUrl: `${url}/hooks`,
    file,
    async start(environment) {
      const started = startProcess({
        name,
        command: process.execPath,
        args: [program],
        env: { PATH: process.env["PATH"] ?? "", PORT: String(port), [fileSetting]: file, ...environment },
        cwd: folder,
        logFile: join(folder, `${name}.log`),
      });
      running = started;
      await eventually(`${name} answers`, async () => {
        if (started.exit() !== undefined) throw new Error(started.logs());
        return (await fetch(url).catch(() => undefined)) !== undefined;
      });
    },
    stop,
    async kill9() {
      await running?.kill9();
      running = undefined;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
