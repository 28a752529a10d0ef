import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

const folder = import.meta.dirname;
export const root = join(folder, "../..");
export const description = join(root, "packages/contract/openapi.json");

/** They have a lockfile of their own: nobody needs them but these tests. */
const COMMAND = "npm ci --ignore-scripts --prefix tests/clients";

/** Why a test is left out here; CI installs everything, and fails instead. */
export function without(...paths: string[]): string | false {
  const missing = paths.filter((path) => !existsSync(join(folder, "node_modules", path)));
  return (
    missing.length > 0 && process.env["CI"] !== "true" && `${missing.join(", ")} is not installed: ${COMMAND}`
  );
}

export const installed = (path: string): string => join(folder, "node_modules", path);

/** Its types are given by hand: the compiler looks at the tests before all of this is installed. */
export const importInstalled = async <Module>(path: string): Promise<Module> =>
  (await import(pathToFileURL(installed(path)).href)) as Module;

const QUIET = {
  REDOCLY_TELEMETRY: "off",
  REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  DENO_NO_UPDATE_CHECK: "1",
  NO_COLOR: "1",
};

/** What a program prints; one that fails throws with all it said. */
export async function print(command: string, argv: string[], cwd = folder): Promise<string> {
  const { stdout } = await promisify(execFile)(command, argv, {
    cwd,
    env: { ...process.env, ...QUIET },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: Error & { stdout?: string; stderr?: string }) => {
    throw new Error(`${error.message}\n${error.stdout ?? ""}\n${error.stderr ?? ""}`);
  });
  return stdout;
}

/** As a project of its own, which knows nothing of this one. */
export async function compileAlone(project: string, file: string): Promise<void> {
  const strict = { strict: true, noEmit: true, allowImportingTsExtensions: true, skipLibCheck: true };
  const compilerOptions = {
    ...strict,
    target: "esnext",
    module: "esnext",
    moduleResolution: "bundler",
    lib: ["esnext", "dom", "dom.iterable"],
    types: [],
  };
  await writeFile(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  await print(process.execPath, [installed("typescript/bin/tsc"), "-p", project]);
}
