import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Bed } from "./bed.ts";
import { eventually, freePort } from "./processes.ts";

/** `signalbox serve api`, as an operator starts it, once it is ready. */
export async function startServe(bed: Bed, programPath: string) {
  const port = await freePort();
  const serve = spawn(process.execPath, [programPath, "serve", "api"], {
    env: { PATH: process.env["PATH"], ...bed.environment, PORT: String(port) },
    stdio: "ignore",
  });
  const ended = once(serve, "exit");
  const isReady = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
    return response?.status === 200;
  };
  await eventually("it is ready", isReady, { timeoutMs: 60_000 });
  return { serve, ended, port };
}
