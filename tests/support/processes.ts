import { spawn } from "node:child_process";
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";
import { sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { givenMs } from "./machine.ts";

export type Exit = { code: number | null; signal: NodeJS.Signals | null };

export type StartedProcess = {
  name: string;
  pid: number;
  /** Clock ticks since boot: with the pid it names one process for good, also after the pid is used again. */
  startTime(): string;
  exited: Promise<Exit>;
  exit(): Exit | undefined;
  exitWithin(timeoutMs: number): Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
  /** Fails unless this very process was alive before and died of this very signal: a fault that hit nothing is no fault. */
  kill9(): Promise<void>;
  /** The quiet end for tear-down: asks with the signal, insists with SIGKILL, and does not mind a process already gone. */
  end(signal: NodeJS.Signals, timeoutMs: number): Promise<void>;
  logs(): string;
};

export type ProcessToStart = {
  name: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  cwd: string;
  logFile: string;
  /** Run as this user instead; needs root. */
  user?: string | undefined;
};

export function startProcess(wanted: ProcessToStart): StartedProcess {
  const { name } = wanted;
  const log = openSync(wanted.logFile, "a");
  const [command, args] = dyingWithItsParent(wanted);
  const child = spawn(command, args, { cwd: wanted.cwd, env: wanted.env, stdio: ["ignore", log, log] });
  closeSync(log);

  let exit: Exit | undefined;
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (code, signal) => resolve((exit = { code, signal })));
    child.once("error", () => resolve((exit ??= { code: null, signal: null })));
  });
  const { pid } = child;
  if (pid === undefined)
    throw new Error(`${name} could not be started: is ${command} (util-linux) installed?`);
  const startTime = readStat(pid)?.startTime;
  if (startTime === undefined)
    throw new Error(`no start time of ${name}: the test bed needs Linux (/proc and setpriv)`);
  // A test that forgets to end a process must not keep the runner alive: on exit the kernel ends the child.
  child.unref();

  const logs = () => readFileSync(wanted.logFile, "utf8");
  const exitWithin = async (timeoutMs: number) => {
    await eventually(`${name} (pid ${pid}) ends`, () => exit !== undefined && !isAlive(pid, startTime), {
      timeoutMs,
      everyMs: 5,
    });
    return exited;
  };
  return {
    name,
    pid,
    startTime: () => startTime,
    exited,
    exit: () => exit,
    exitWithin,
    kill: (signal) => void child.kill(signal),
    async kill9() {
      if (exit !== undefined || !isAlive(pid, startTime)) {
        throw new Error(`${name} (pid ${pid}) was already gone before kill -9\n${lastLines(logs())}`);
      }
      process.kill(pid, "SIGKILL");
      const { signal } = await exitWithin(10_000);
      if (signal !== "SIGKILL")
        throw new Error(`${name} (pid ${pid}) ended by itself (${signal}), not of kill -9`);
    },
    async end(signal, timeoutMs) {
      if (exit !== undefined) return;
      child.kill("SIGCONT");
      child.kill(signal);
      await exitWithin(timeoutMs).catch(async () => {
        child.kill("SIGKILL");
        await exitWithin(10_000);
      });
    },
    logs,
  };
}

/** setpriv execs, so the pid is the program's own. Changing the user clears the parent-death signal: hence twice. */
function dyingWithItsParent({ command, args, user }: ProcessToStart): [string, string[]] {
  const asUser =
    user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--"];
  const [first, ...rest] = [...asUser, "setpriv", "--pdeathsig", "KILL", "--", command, ...args];
  return [first ?? command, rest];
}

export function readStat(pid: number): { state: string; startTime: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name stands in brackets and may hold anything, so count from the last bracket: field 3 is the state.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "", startTime: fields[19] ?? "" };
  } catch {
    return undefined;
  }
}

/** An orphan that init has not collected yet, a zombie, is dead. */
export function isAlive(pid: number, startTime: string): boolean {
  const stat = readStat(pid);
  return stat?.startTime === startTime && stat.state !== "Z";
}

/** Every process that works in the directory or logs into it, also children that our own processes made. */
export function processesUsing(directory: string): { pid: number; command: string }[] {
  const inside = (link: string) => {
    try {
      return readlinkSync(link).startsWith(directory + sep) || readlinkSync(link) === directory;
    } catch {
      return false;
    }
  };
  return readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)
    .filter((entry) => inside(`/proc/${entry}/cwd`) || inside(`/proc/${entry}/fd/1`))
    .map((entry) => ({ pid: Number(entry), command: readCommand(entry) }));
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

const FIRST_PORT = 15_000;
const PORTS_PER_PROCESS = 40;
/** A database's own port, of which the service thinks that no developer listens there. */
const NO_WEBHOOK_PORT = 27_017;
let portsTaken = 0;

/**
 * Below the range from which outgoing connections take theirs, so that nobody takes the port of a part that is down for a
 * moment; a block of its own for each process, so that test files running side by side do not meet.
 */
export async function freePorts(count: number): Promise<number[]> {
  const block = FIRST_PORT + (process.pid % 400) * PORTS_PER_PROCESS;
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries > 4 * PORTS_PER_PROCESS) throw new Error(`no ${count} free ports from ${block} on`);
    const port = block + (portsTaken++ % PORTS_PER_PROCESS);
    if (port !== NO_WEBHOOK_PORT && !ports.includes(port) && (await canListen(port))) ports.push(port);
  }
  return ports;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("no free port");
  return port;
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Asks until the probe gives something other than undefined or false; then fails, naming what was awaited and last seen. */
export async function eventually<T>(
  what: string,
  probe: () => T | Promise<T>,
  { timeoutMs = 30_000, everyMs = 50 }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, undefined | false>> {
  const deadline = givenMs() + timeoutMs;
  for (;;) {
    let seen: unknown;
    try {
      const value = await probe();
      if (value !== undefined && value !== false) return value as Exclude<T, undefined | false>;
      seen = value;
    } catch (error) {
      seen = error;
    }
    if (givenMs() >= deadline) {
      const last = seen instanceof Error ? seen.message : String(seen);
      throw new Error(`did not happen within ${timeoutMs} ms: ${what}; last seen: ${last}`, { cause: seen });
    }
    await sleep(everyMs);
  }
}

export function lastLines(text: string, count = 40): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
