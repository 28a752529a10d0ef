import { spawn, type ChildProcess } from "node:child_process";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";

/** The service's own program, undefined where the service is not installed beside this command. */
export function findServerProgram(): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve("@signalbox/server/program"));
  } catch {
    return undefined;
  }
}

/** Undefined where there is none to start. */
export function startServerProgram(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  output: "inherit" | "pipe",
): ChildProcess | undefined {
  const program = findServerProgram();
  if (program === undefined) return undefined;
  return spawn(process.execPath, [program, ...words], {
    env: environment,
    stdio: ["ignore", output, output],
  });
}

export const NO_SERVER =
  "@signalbox/server is not installed beside this command: npm install @signalbox/server";

/** Null when a signal ended it. */
export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
}

/** One run of it to its end; undefined where there is none. */
export async function runServerProgram(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ lines: string[] } | { failure: string } | undefined> {
  const child = startServerProgram(words, environment, "pipe");
  if (!child?.stdout || !child.stderr) return undefined;
  const [said, complained, code] = await Promise.all([text(child.stdout), text(child.stderr), exitOf(child)]);
  return code === 0
    ? { lines: said.split("\n").filter((line) => line !== "") }
    : { failure: `${said}${complained}`.trim() };
}
