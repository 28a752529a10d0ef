import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { openBedDirectory } from "../../support/bed-directory.ts";
import { environmentInside } from "../../support/private-network.ts";

const INSIDE = "SIGNALBOX_FAULTS_DIRECTORY";

/** Firewall rules, mounted disks and shared memory are all the run's own, and gone with its last process, however it ends. */
const ENTER = `set -e
ip link set lo up
mount -t tmpfs none /dev/shm
exec "$@"`;
const UNSHARE = ["unshare", "--net", "--mount", "--"];

/** Where the run keeps its disks, when it runs on a machine of its own; undefined when it shares the outer one. */
export function privateDirectory(): string | undefined {
  return process.env[INSIDE];
}

/** Why there can be no such machine here; undefined when there can. */
export function whyNoPrivateMachine(): string | undefined {
  const [command = "", ...args] = UNSHARE;
  const { status } = spawnSync(command, [...args, "sh", "-c", ENTER, "sh", "true"]);
  return status === 0 ? undefined : "needs root, unshare (util-linux) and ip (iproute2)";
}

/**
 * Runs a program of ours on a network and with mounts of its own. Its directory belongs to the outer process, whose janitor
 * sees no mounts in it and can remove it also when both were killed.
 */
export async function runOnPrivateMachine(
  file: string,
  args: string[],
  onLine: (line: string) => void,
): Promise<number> {
  await using directory = await openBedDirectory();
  const program = [process.execPath, file, ...args];
  const asChild = ["setpriv", "--pdeathsig", "KILL", "--"];
  const [command = "", ...rest] = [...asChild, ...UNSHARE, "sh", "-c", ENTER, "sh", ...program];
  const child = spawn(command, rest, {
    env: environmentInside({ [INSIDE]: directory.path }),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let unfinished = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (unfinished + text).split("\n");
    unfinished = lines.pop() ?? "";
    for (const line of lines) onLine(line);
  });
  const end = () => void child.kill("SIGTERM");
  process.once("SIGINT", end).once("SIGTERM", end);
  const [code] = (await once(child, "close")) as [number | null];
  process.off("SIGINT", end).off("SIGTERM", end);
  return code ?? 1;
}
