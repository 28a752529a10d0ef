import { createHash } from "node:crypto";
import { chown, mkdir, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import process from "node:process";

/** A user that is not root. */
export interface Owner {
  uid: number;
  gid: number;
}

/** The one directory in which everything lies that `signalbox dev` keeps. */
export interface Home {
  path: string;
  /** Under root: whose files PostgreSQL's are, and who runs it, as it refuses to run as root. */
  owner: Owner | undefined;
}

const NOBODY: Owner = { uid: 65_534, gid: 65_534 };
const ENTERED_BY_ALL = 0o001;

export async function openHome(
  wanted: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Home> {
  const owner = process.getuid?.() === 0 ? unprivileged(environment) : undefined;
  const path = resolve(wanted);
  const home = { path: owner === undefined || (await isEntered(path)) ? path : elsewhere(path), owner };
  // Logs and settings hold what opens the installation. PostgreSQL's own user passes through.
  await mkdir(home.path, { recursive: true, mode: owner === undefined ? 0o700 : 0o711 });
  // It holds tokens and keys, and often lies in a repository.
  await writeFile(join(home.path, ".gitignore"), "*\n");
  return home;
}

/** A user who became root by sudo has an unprivileged account already. */
function unprivileged(environment: Readonly<Record<string, string | undefined>>): Owner {
  const [uid, gid] = [Number(environment["SUDO_UID"]), Number(environment["SUDO_GID"])];
  return uid > 0 && gid > 0 ? { uid, gid } : NOBODY;
}

/** Whether everybody may go through all directories above, which under /root nobody may. */
async function isEntered(path: string): Promise<boolean> {
  for (let at = dirname(path); ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined);
    if (found !== undefined && (found.mode & ENTERED_BY_ALL) === 0) return false;
    if (at === dirname(at)) return true;
  }
}

/** A place that outlives a restart of the machine, the same for the same project. */
function elsewhere(path: string): string {
  return join("/var/tmp", `signalbox-${createHash("sha256").update(path).digest("hex").slice(0, 12)}`);
}

export async function makeOwned({ path, owner }: Home, name: string): Promise<string> {
  const directory = join(path, name);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (owner !== undefined) await chown(directory, owner.uid, owner.gid);
  return directory;
}
