import { createRequire } from "node:module";
import { mkdir, writeFile } from "node:fs/promises";
import { arch, platform } from "node:os";
import { dirname, join } from "node:path";
import type { Home } from "./home.ts";
import { type Part, PartFailed, startPart } from "./part.ts";

export interface EnginePorts {
  node: number;
  ingress: number;
  admin: number;
}

export async function startEngine(home: Home, ports: EnginePorts, privateKey: string): Promise<Part> {
  const directory = join(home.path, "engine");
  await mkdir(directory, { recursive: true });
  const identityFile = join(home.path, "engine-identity.pem");
  await writeFile(identityFile, privateKey, { mode: 0o600 });
  return startPart({
    name: "Restate",
    command: findEngine(),
    words: ["--node-name", "dev", "--base-dir", directory],
    environment: {
      TMPDIR: directory,
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_BIND_PORT: String(ports.node),
      RESTATE_INGRESS__BIND_PORT: String(ports.ingress),
      RESTATE_ADMIN__BIND_PORT: String(ports.admin),
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_DEFAULT_NUM_PARTITIONS: "4",
      RESTATE_WORKER__STORAGE__ROCKSDB_MEMORY_BUDGET: "64 MB",
      RESTATE_LOG_DISABLE_ANSI_CODES: "true",
      RESTATE_WORKER__INVOKER__REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: identityFile,
    },
    directory,
    files: join(home.path, "engine"),
    stopSignal: "SIGTERM",
    isReady: async () =>
      (await answers(`http://127.0.0.1:${ports.admin}/health`)) &&
      answers(`http://127.0.0.1:${ports.ingress}/restate/health`),
  });
}

/** The program itself: its npm wrapper does not pass signals on. */
function findEngine(): string {
  const name = `@restatedev/restate-server-${platform()}-${arch()}`;
  try {
    const own = createRequire(import.meta.url);
    const wrapper = createRequire(own.resolve("@restatedev/restate-server/package.json"));
    return join(dirname(wrapper.resolve(`${name}/package.json`)), "bin/restate-server");
  } catch {
    throw new PartFailed(`There is no Restate for this machine: ${name} is not installed.`);
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}
