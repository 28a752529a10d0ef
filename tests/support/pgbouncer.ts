import { mkdirSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { SERVICE, withClient, type ReachableCluster } from "./postgres.ts";
import { eventually, freePort, startProcess } from "./processes.ts";

export type PoolMode = "session" | "transaction";

export type PgBouncer = AsyncDisposable & { port: number };

const SETTINGS = {
  listen_addr: "127.0.0.1",
  auth_type: "scram-sha-256",
  max_client_conn: 1000,
  unix_socket_dir: "",
};

/** PgBouncer of this machine before the cluster, for the login of the service. */
export async function startPgBouncer(
  directory: string,
  cluster: ReachableCluster,
  settings: { pool_mode: PoolMode; default_pool_size: number; ignore_startup_parameters?: string },
): Promise<PgBouncer> {
  const port = await freePort();
  const home = join(directory, `pgbouncer-${port}`);
  mkdirSync(home);
  const [config, users] = [join(home, "pgbouncer.ini"), join(home, "users")];
  const lines = Object.entries({ ...SETTINGS, ...settings, listen_port: port, auth_file: users });
  writeFileSync(
    config,
    `[databases]\n* = host=127.0.0.1 port=${cluster.port}\n[pgbouncer]\n${lines.map(([name, value]) => `${name} = ${value}\n`).join("")}`,
  );
  writeFileSync(users, `"${SERVICE}" "${cluster.address.servicePassword}"\n`);
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? "postgres" : undefined;
  for (const path of [home, config, users]) await chmod(path, path === home ? 0o711 : 0o644);
  const started = startProcess({
    name: "pgbouncer",
    command: "pgbouncer",
    args: [config],
    env: { PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` },
    cwd: "/",
    logFile: join(directory, `pgbouncer-${port}.log`),
    user,
  });
  const url = new URL(cluster.serviceUrl("postgres"));
  url.port = String(port);
  await eventually("PgBouncer answers", () => {
    if (started.exit() !== undefined)
      throw new Error(`is PgBouncer installed (.ci/install-pgbouncer)?\n${started.logs()}`);
    return withClient(url.href, async (client) => (await client.query("select 1 as one")).rows.length === 1);
  });
  return { port, [Symbol.asyncDispose]: () => started.end("SIGINT", 5_000) };
}
