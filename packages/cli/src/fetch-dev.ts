import { execFile } from "node:child_process";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { fetchedDirectory, findCompanion, findFetched, VERSION } from "./companions.ts";

const NAME = "@signalbox/dev";
/** Measured on Linux; docs/adr/0020 says how. */
const SIZE = "510 MB";
const NPM_LINES_MAX = 8;

/** The local stack could not be fetched; the message says what to do. */
export class DevNotFetched extends Error {
  override readonly name = "DevNotFetched";
}

/** The local stack: PostgreSQL, Restate and the service. Too large to come with every command, so npm fetches it once. */
export async function loadDev(
  environment: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<typeof import("@signalbox/dev")> {
  const file = findCompanion(NAME) ?? (await fetchDev(environment, say));
  return (await import(pathToFileURL(file).href)) as typeof import("@signalbox/dev");
}

async function fetchDev(
  environment: Readonly<Record<string, string | undefined>>,
  say: (line: string) => void,
): Promise<string> {
  const directory = fetchedDirectory();
  const wanted = `${NAME}@${VERSION}`;
  say(`Downloading ${wanted} with npm (${SIZE}, only once) to ${directory}…`);
  const unfinished = `${directory}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  try {
    await writeFile(`${unfinished}/package.json`, '{ "private": true }\n');
    await install(wanted, unfinished, environment);
    await rm(directory, { recursive: true, force: true });
    await rename(unfinished, directory);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  const file = findFetched(NAME);
  if (file === undefined) throw new DevNotFetched(`npm did not install ${wanted} in ${dirname(directory)}.`);
  return file;
}

async function install(
  wanted: string,
  directory: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  // Install scripts stay off: nothing here needs one, and one package of Restate's would report the installation.
  const words = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", wanted];
  try {
    await promisify(execFile)("npm", words, {
      cwd: directory,
      env: environment,
      shell: process.platform === "win32",
    });
  } catch (error) {
    const { code, stderr = "" } = error as { code?: unknown; stderr?: string };
    const said = stderr.trim().split("\n").slice(0, NPM_LINES_MAX).join("\n");
    throw new DevNotFetched(
      `${code === "ENOENT" ? "npm was not found" : `npm could not install ${wanted}`}, which signalbox dev needs.${said === "" ? "" : `\n\n${said}\n`}
Check that npm is installed and reaches its registry (npm ping), then run signalbox dev again. To install it yourself: npm install --global ${wanted}`,
    );
  }
}
