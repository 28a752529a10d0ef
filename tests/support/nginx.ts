import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually, freePort, startProcess } from "./processes.ts";

export type Nginx = AsyncDisposable & { baseUrl: string; errors(): string };

const DOCUMENTED = join(import.meta.dirname, "../../deploy/nginx.conf");

/** nginx of this machine with the documented configuration: only addresses differ, and nobody ends TLS. */
export async function startNginx(directory: string, nodes: readonly string[]): Promise<Nginx> {
  const home = join(directory, "nginx");
  mkdirSync(join(home, "temporary"), { recursive: true });
  const port = await freePort();
  writeFileSync(join(home, "signalbox.conf"), onLoopback(readFileSync(DOCUMENTED, "utf8"), port, nodes));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${home}/temporary/${name};`)
    .join(" ");
  writeFileSync(
    join(home, "nginx.conf"),
    `daemon off; pid ${home}/nginx.pid; error_log ${home}/error.log; worker_processes 1;
events { worker_connections 512; }
http { access_log off; ${temporary} include ${home}/signalbox.conf; }
`,
  );
  const errors = () => readFileSync(join(home, "error.log"), "utf8");
  const started = startProcess({
    name: "nginx",
    command: "nginx",
    args: ["-p", home, "-c", join(home, "nginx.conf"), "-e", join(home, "error.log")],
    env: { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` },
    cwd: home,
    logFile: join(directory, "nginx.log"),
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  await eventually("nginx answers", async () => (await fetch(`${baseUrl}/livez`)).status === 200);
  return { baseUrl, errors, [Symbol.asyncDispose]: () => started.end("SIGQUIT", 5_000) };
}

function onLoopback(documented: string, port: number, nodes: readonly string[]): string {
  let node = 0;
  return documented
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_.*\n/gm, "")
    .replaceAll(
      /^( *server )[\d.:]+/gm,
      (_line, server: string) => `${server}${new URL(nodes[node++] ?? "").host}`,
    );
}
