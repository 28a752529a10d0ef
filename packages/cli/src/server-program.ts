import { execFile } from "node:child_process";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { findCompanion, VERSION } from "./companions.ts";

/** The service's own program, undefined where the service is not installed beside this command. */
function findServerProgram(): string | undefined {
  return findCompanion("@signalbox/server/program");
}

export const NO_SERVER = `This command needs the service, but @signalbox/server is not installed. Run: npm install --global @signalbox/server@${VERSION} (without --global if signalbox is installed in a project).`;

/**
 * Becomes the service: its program runs in this process, with its signals and its exit code. A child would outlive a parent
 * that was killed, and keep the port. Resolves when it has stopped; false where there is none to run.
 */
export async function becomeServerProgram(words: readonly string[]): Promise<boolean> {
  const program = findServerProgram();
  if (program === undefined) return false;
  process.argv.splice(1, Infinity, program, ...words);
  await import(pathToFileURL(program).href);
  return true;
}

/** One run of it to its end; undefined where there is none. */
export function runServerProgram(
  words: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ lines: string[] } | { failure: string } | undefined> {
  const program = findServerProgram();
  if (program === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], { env: environment }, (failed, said, complained) =>
      resolve(
        failed === null
          ? { lines: said.split("\n").filter((line) => line !== "") }
          : { failure: `${said}${complained}`.trim() },
      ),
    );
  });
}

/** NAME=value, or NAME="value" with \\n for a line break, as `secrets` prints them. */
export function readEnvironmentLines(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", value = ""] = line.split(/=(.*)/s, 2);
      return [name, value.startsWith('"') ? (JSON.parse(value) as string) : value];
    }),
  );
}
