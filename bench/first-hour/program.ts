import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { eventually } from "@signalbox/tests/support/processes.ts";

export const STEP_MAX_MS = 120_000;

export interface Program {
  /** Waits until it has printed this. */
  shows(what: RegExp): Promise<RegExpExecArray>;
  /** Waits until it has ended by itself, without a failure. */
  done(): Promise<void>;
  end(): Promise<void>;
}

/** A program of the developer's terminal. */
export function open(argv: string[], cwd: string, environment: Record<string, string>): Program {
  const [command = "", ...words] = argv;
  const child: ChildProcess = spawn(command, words, {
    cwd,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(child, "exit");
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return {
    shows: (what) =>
      eventually(
        `${argv.join(" ")} prints ${what}`,
        () => {
          const found = what.exec(printed) ?? undefined;
          if (found === undefined && child.exitCode !== null) throw new Error(`it ended:\n${printed}`);
          return found;
        },
        { timeoutMs: STEP_MAX_MS, everyMs: 20 },
      ),
    async done() {
      if (child.exitCode === null) await ended;
      if (child.exitCode !== 0) throw new Error(`${argv.join(" ")} failed:\n${printed}`);
    },
    async end() {
      if (child.exitCode !== null) return;
      child.kill("SIGINT");
      await ended;
    },
  };
}
