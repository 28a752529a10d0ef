import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
export const { version: VERSION } = JSON.parse(manifest) as { version: string };

/** Where `signalbox dev` puts what it fetches; each version has a directory of its own. */
export function fetchedDirectory(): string {
  return join(homedir(), ".cache/signalbox", VERSION);
}

/** The file behind a door of a package that is no dependency: installed beside this one, or fetched; undefined without it. */
export function findCompanion(specifier: string): string | undefined {
  try {
    return fileURLToPath(import.meta.resolve(specifier));
  } catch {
    return findFetched(specifier);
  }
}

export function findFetched(specifier: string): string | undefined {
  try {
    return createRequire(join(fetchedDirectory(), "package.json")).resolve(specifier);
  } catch {
    return undefined;
  }
}
