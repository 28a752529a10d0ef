import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openBedDirectory } from "./bed-directory.ts";
import { environmentInside } from "./private-network.ts";

const INSIDE = "SIGNALBOX_PRIVATE_DIRECTORY";

export type PrivateMachine = {
  /** What it does not share with the outer one, in the words of unshare. */
  unshare: string[];
  /** Prepares it, as a shell script. */
  enter: string;
  /** Ends its first process. */
  endWith: NodeJS.Signals;
};

/** Firewall rules, mounted disks and shared memory are all the run's own, and gone with its last process, however it ends. */
export const FAULTS_MACHINE: PrivateMachine = {
  unshare: ["--net", "--mount"],
  enter: `ip link set lo up
mount -t tmpfs none /dev/shm`,
  endWith: "SIGTERM",
};

/** Where the run keeps its disks, when it runs on a machine of its own; undefined when it shares the outer one. */
export function privateDirectory(): string | undefined {
  return process.env[INSIDE];
}

/** Why there can be no such machine here; undefined when there can. */
export function whyNoPrivateMachine(machine = FAULTS_MACHINE): string | undefined {
  const { status } = spawnSync("unshare", wordsOf(machine, ["true"]));
  return status === 0 ? undefined : "needs root, unshare (util-linux) and ip (iproute2)";
}

function wordsOf({ unshare, enter }: PrivateMachine, program: string[]): string[] {
  return [...unshare, "--", "sh", "-c", `set -e\n${enter}\nexec "$@"`, "sh", ...program];
}

/**
 * Runs a program of ours on a network and with mounts of its own. Its directory belongs to the outer process, whose janitor
 * sees no mounts in it and can remove it also when both were killed.
 */
export async function runOnPrivateMachine(
  file: string,
  args: string[],
  onLine: (line: string) => void,
  machine = FAULTS_MACHINE,
): Promise<number> {
  await using directory = await openBedDirectory();
  const words = wordsOf(machine, [process.execPath, file, ...args]);
  const child = spawn("setpriv", ["--pdeathsig", "KILL", "--", "unshare", ...words], {
    env: environmentInside({ [INSIDE]: directory.path }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let unfinished = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (unfinished + text).split("\n");
    unfinished = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  const end = () => void child.kill(machine.endWith);
  process.once("SIGINT", end).once("SIGTERM", end);
  const [code] = (await once(child, "close")) as [number | null];
  process.off("SIGINT", end).off("SIGTERM", end);
  return code ?? 1;
}
