import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, fchmodSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Home, Owner } from "./home.ts";

/** A program of ours that runs beside us until it is stopped. */
export interface Part {
  name: string;
  /** Resolves when it ended, by itself or because it was stopped. */
  ended: Promise<void>;
  stop(): Promise<void>;
}

export interface PartToStart {
  name: string;
  command: string;
  words: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  directory: string;
  owner?: Owner | undefined;
  /** Where its log is, and beside it what is needed to end it without us. */
  files: string;
  stopSignal: NodeJS.Signals;
  isReady(): Promise<boolean>;
}

const LOG_MODE = 0o600;
const READY_MAX_MS = 60_000;
const LOOK_EVERY_MS = 50;
const STOP_MAX_MS = 30_000;
const LAST_LINES = 15;

/** A part that did not start says why at the end of its log. */
export class PartFailed extends Error {}

export async function startPart(wanted: PartToStart): Promise<Part> {
  const { name, command, words, environment, directory, owner, stopSignal } = wanted;
  const logFile = `${wanted.files}.log`;
  const log = openSync(logFile, "a", LOG_MODE);
  // The service logs the link that makes the first owner; a log of an earlier version was readable by everybody.
  fchmodSync(log, LOG_MODE);
  // In a group of its own: Ctrl-C in a terminal reaches us alone, and we end the parts in their order.
  const child = spawn(command, words, {
    cwd: directory,
    env: environment,
    stdio: ["ignore", log, log],
    detached: true,
    ...owner,
  });
  closeSync(log);
  const runningFile = `${wanted.files}.running`;
  writeFileSync(runningFile, JSON.stringify({ pid: child.pid ?? 0, command, stopSignal } satisfies Running));
  let hasEnded = false;
  const ended = endOf(child).finally(() => {
    hasEnded = true;
  });
  const part: Part = {
    name,
    ended,
    async stop() {
      if (hasEnded) return;
      child.kill(stopSignal);
      await Promise.race([ended, sleep(STOP_MAX_MS, undefined, { ref: false })]);
      if (!hasEnded) child.kill("SIGKILL");
      await ended;
      rmSync(runningFile, { force: true });
    },
  };
  const until = performance.now() + READY_MAX_MS;
  while (!(await wanted.isReady())) {
    if (!hasEnded && performance.now() < until) {
      await sleep(LOOK_EVERY_MS);
      continue;
    }
    await part.stop();
    throw new PartFailed(`${name} did not start; its log is ${logFile}\n${endOfLog(logFile)}`);
  }
  return part;
}

interface Running {
  pid: number;
  command: string;
  stopSignal: NodeJS.Signals;
}

/** Parts that outlived us, because we were killed, hold their ports and files: each is ended as we would have ended it. */
export async function endForgotten({ path }: Home): Promise<void> {
  for (const name of readdirSync(path).filter((entry) => entry.endsWith(".running"))) {
    const file = join(path, name);
    const running = JSON.parse(readFileSync(file, "utf8")) as Running;
    const until = performance.now() + STOP_MAX_MS;
    for (let signal: NodeJS.Signals | 0 = running.stopSignal; await isStill(running); signal = 0) {
      process.kill(running.pid, performance.now() < until ? signal : "SIGKILL");
      await sleep(LOOK_EVERY_MS);
    }
    rmSync(file);
  }
}

/** A number is given to another process some day: only one that runs the same program is ours. */
async function isStill({ pid, command }: Running): Promise<boolean> {
  return pid !== 0 && (await commandOf(pid))?.startsWith(command) === true;
}

/** What a process was started with; undefined when there is none. */
export async function commandOf(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", String(pid)]);
    return stdout.trim();
  } catch {
    return undefined;
  }
}

function endOf(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    child.once("error", () => resolve());
    child.once("exit", () => resolve());
  });
}

function endOfLog(file: string): string {
  return readFileSync(file, "utf8").trimEnd().split("\n").slice(-LAST_LINES).join("\n");
}
