import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What `signalbox login` keeps for later commands. */
export interface StoredLogin {
  url: string;
  operatorToken: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Undefined where the environment names no home. */
export function loginFileOf(environment: Environment): string | undefined {
  const home = environment["HOME"] ?? environment["USERPROFILE"];
  const directory =
    environment["XDG_CONFIG_HOME"] ??
    environment["APPDATA"] ??
    (home === undefined ? undefined : join(home, ".config"));
  return directory === undefined ? undefined : join(directory, "signalbox", "login.json");
}

/** A file that is not there or not ours counts as none: a command that needs a token then asks for one. */
export async function readLogin(environment: Environment): Promise<StoredLogin | undefined> {
  const file = loginFileOf(environment);
  const text = file === undefined ? undefined : await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { url, operator_token: operatorToken } = JSON.parse(text) as Record<string, unknown>;
    return typeof url === "string" && typeof operatorToken === "string" ? { url, operatorToken } : undefined;
  } catch {
    return undefined;
  }
}

/** For this user of the machine alone, also where the file was there before. */
export async function writeLogin(file: string, { url, operatorToken }: StoredLogin): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, "", { mode: 0o600 });
  await chmod(file, 0o600);
  await writeFile(file, `${JSON.stringify({ url, operator_token: operatorToken }, undefined, 2)}\n`);
}

export async function forgetLogin(file: string): Promise<void> {
  await rm(file, { force: true });
}
