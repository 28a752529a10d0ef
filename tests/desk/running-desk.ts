import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  eventually,
  freePort,
  type StartedProcess,
  startProcess,
} from "@signalbox/tests/support/processes.ts";

const PROGRAM = join(import.meta.dirname, "../../examples/desk/src/main.ts");

export type RunningDesk = AsyncDisposable & {
  url: string;
  /** Its human service's address, as it is configured at the service. */
  hooksUrl: string;
  start(environment: Record<string, string>): Promise<void>;
  stop(): Promise<void>;
  kill9(): Promise<void>;
  /** Everything it has stored of what was said, as text. */
  stored(): string;
};

/** The example as its reader runs it: a program with a file, on the same port at every start. */
export async function prepareDesk(): Promise<RunningDesk> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-desk-"));
  const file = join(folder, "desk.sqlite");
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
    async start(environment) {
      const started = startProcess({
        name: "desk",
        command: process.execPath,
        args: [PROGRAM],
        env: { PATH: process.env["PATH"] ?? "", PORT: String(port), DESK_FILE: file, ...environment },
        cwd: folder,
        logFile: join(folder, "desk.log"),
      });
      running = started;
      await eventually("the desk answers", async () => {
        if (started.exit() !== undefined) throw new Error(started.logs());
        return (await fetch(url).catch(() => undefined))?.ok === true;
      });
    },
    stop,
    async kill9() {
      await running?.kill9();
      running = undefined;
    },
    stored() {
      const database = new DatabaseSync(file, { readOnly: true });
      const entries = database.prepare("select * from entry order by id").all();
      database.close();
      return JSON.stringify(entries);
    },
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
