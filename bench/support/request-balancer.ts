import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startProcess } from "@signalbox/tests/support/processes.ts";

/**
 * HAProxy before the workers: Restate keeps few HTTP/2 connections, so a balancer that shares out connections leaves most
 * workers idle. It shares out requests, each to the worker with the fewest.
 */
export async function startRequestBalancer(
  directory: string,
  port: number,
  workerPorts: number[],
): Promise<AsyncDisposable & { pid: number }> {
  const file = join(directory, "haproxy.cfg");
  const servers = workerPorts.map(
    (workerPort, index) =>
      `  server worker-${index + 1} 127.0.0.1:${workerPort} proto h2 check inter 200 fall 1 rise 1\n`,
  );
  await writeFile(
    file,
    `global
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 1h
  timeout server 1h
  option redispatch
  retries 3
listen workers
  bind 127.0.0.1:${port} proto h2
  balance leastconn
${servers.join("")}`,
  );
  const started = startProcess({
    name: "haproxy",
    command: "haproxy",
    args: ["-f", file],
    env: { PATH: process.env["PATH"] ?? "" },
    cwd: directory,
    logFile: join(directory, "haproxy.log"),
  });
  return { pid: started.pid, [Symbol.asyncDispose]: () => started.end("SIGTERM", 2_000) };
}
