import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { PrivateMachine } from "../support/private-machine.ts";
import { eventually, lastLines, startProcess } from "../support/processes.ts";

const run = promisify(execFile);

/** Fails with what the program said. */
export type Docker = {
  (words: string[], environment?: Record<string, string>, signal?: AbortSignal): Promise<string>;
  /** An image of one layer, from the directory of a system. */
  importImage(name: string, directory: string): Promise<void>;
};

/**
 * Containers, their network and their mounts end with the first process. Its /run hides the daemon of the outer machine, and
 * with process ids of its own no directory of the outer machine may be looked after, hence the temporary directory.
 */
export const DOCKER_MACHINE: PrivateMachine = {
  unshare: ["--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"],
  enter: `mount -t tmpfs none /run
ip link set lo up
export TMPDIR="$SIGNALBOX_PRIVATE_DIRECTORY"`,
  endWith: "SIGKILL",
};

const SOCKET = "unix:///run/docker.sock";

/** A daemon of its own. Gone with this process. */
export async function startDocker(directory: string): Promise<Docker> {
  const data = join(directory, "docker");
  await mkdir(data);
  await writeFile("/run/daemon.json", "{}");
  const daemon = startProcess({
    name: "dockerd",
    command: "dockerd",
    args: [
      "--config-file",
      "/run/daemon.json",
      "--host",
      SOCKET,
      "--pidfile",
      "/run/docker.pid",
      "--data-root",
      data,
      "--exec-root",
      "/run/docker",
      "--storage-driver",
      "overlay2",
    ],
    env: { PATH: `${process.env["PATH"]}:/usr/sbin:/sbin` },
    cwd: directory,
    logFile: join(directory, "dockerd.log"),
  });
  const docker = dockerWith({ DOCKER_HOST: SOCKET, DOCKER_CONFIG: join(directory, "docker-config") });
  await eventually(
    "Docker answers",
    async () => {
      if (daemon.exit() !== undefined) return true;
      return (await docker(["info", "--format", "{{.Driver}}"])) !== "";
    },
    { timeoutMs: 60_000 },
  );
  if (daemon.exit() !== undefined) throw new Error(`Docker ended:\n${lastLines(daemon.logs())}`);
  return docker;
}

/** The machine's own daemon unless the environment names another. */
export function dockerWith(settings: Record<string, string> = {}): Docker {
  const env = { ...process.env, ...settings };
  const docker = async (words: string[], environment: Record<string, string> = {}, signal?: AbortSignal) => {
    const { stdout } = await run("docker", words, {
      env: { ...env, ...environment },
      ...(signal !== undefined && { signal }),
      maxBuffer: 64 * 1024 * 1024,
    }).catch((error: Error & { stdout?: string; stderr?: string }) => {
      const said = lastLines(`${error.stdout ?? ""}${error.stderr ?? ""}`);
      throw new Error(`docker ${words.join(" ")} failed:\n${said}`);
    });
    return stdout.trim();
  };
  const importImage = async (name: string, directory: string) => {
    const left = ["./dev/*", "./var/cache/apt/archives/*.deb", "./var/lib/apt/lists/*"];
    const script = 'name=$1; shift; tar --create "$@" . | docker import - "$name"';
    const excluded = left.map((path) => `--exclude=${path}`);
    const words = ["-o", "pipefail", "-c", script, "bash", name, "--directory", directory, ...excluded];
    await run("bash", words, { env });
  };
  return Object.assign(docker, { importImage });
}
