import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import type { Home } from "./home.ts";
import { commandOf, PartFailed } from "./part.ts";
import type { RunningStack } from "./running-stack.ts";

interface Holder {
  pid: number;
  /** As `ps` shows it: a number is given to another process some day. */
  command: string;
  /** Once everything runs. */
  stack?: RunningStack;
}

/** The directory is ours until this is disposed of. */
export interface Held extends AsyncDisposable {
  tell(stack: RunningStack): Promise<void>;
}

/** One `signalbox dev` has a directory at a time: gives what runs there already, or holds it. */
export async function holdHome(home: Home): Promise<Held | RunningStack> {
  const file = join(home.path, "holder.json");
  const other = await readHolder(file);
  if (other !== undefined && (await commandOf(other.pid)) === other.command) {
    if (other.stack !== undefined) return other.stack;
    throw new PartFailed(
      `signalbox dev is starting in ${home.path} already (process ${other.pid}): wait for it`,
    );
  }
  const holder: Holder = { pid: process.pid, command: (await commandOf(process.pid)) ?? "" };
  const save = (found: Holder) => writeFile(file, JSON.stringify(found), { mode: 0o600 });
  await save(holder);
  return {
    tell: (stack) => save({ ...holder, stack }),
    [Symbol.asyncDispose]: () => rm(file, { force: true }),
  };
}

/** One that was cut off in the middle of a write holds nothing. */
async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Holder;
  } catch {
    return undefined;
  }
}
