import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { openBedDirectory } from "../../support/bed-directory.ts";
import { startEngine } from "../../support/engine.ts";
import { findPostgres, startCluster } from "../../support/postgres.ts";
import { eventually, freePorts, startProcess } from "../../support/processes.ts";
import { startService } from "../../support/service.ts";
import type { Service } from "../../support/service.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../../..");

/** A PostgreSQL server, as its superuser reaches it. */
export type Server = { port: number; superuserPassword: string };

export type Served = AsyncDisposable & { api: Service; worker: Service };

/** What an operator has beside the database: one environment file, and a directory for the files of backups. */
export type Installation = AsyncDisposable & {
  files: string;
  secrets: Record<string, string>;
  environmentOf(server: Server): Record<string, string>;
  /** Commands of a page, run in `files`, beside what the repository has for operators. */
  type: (commands: string, server?: Server, more?: Record<string, string>) => Promise<string>;
  newServer(): Promise<Server & AsyncDisposable & { restart(): Promise<void> }>;
  /** What an operator's init system does: the directory belongs to the server's user, who starts it. */
  startServer(directory: string, superuserPassword: string): Promise<Server & AsyncDisposable>;
  /** The service on a server, with an engine that knows nothing. */
  serve(server: Server, name: string): Promise<Served>;
};

export async function openInstallation(): Promise<Installation> {
  await using opening = new AsyncDisposableStack();
  const files = opening.use(await openBedDirectory()).path;
  await run("cp", ["-R", join(root, "deploy"), files]);
  const ports = await freePorts(3);
  const secrets = {
    OPERATOR_TOKEN: randomBytes(36).toString("base64url"),
    SEALING_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    DATABASE_PASSWORD: randomBytes(24).toString("base64url"),
    MIGRATION_DATABASE_PASSWORD: randomBytes(24).toString("base64url"),
  };

  const environmentOf = ({ port, superuserPassword }: Server): Record<string, string> => {
    const urlOf = (login: string, password: string) =>
      `postgres://${login}:${password}@127.0.0.1:${port}/signalbox`;
    return {
      ...secrets,
      PATH: `${findPostgres()}:${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
      PGHOST: "127.0.0.1",
      PGPORT: String(port),
      PGUSER: "postgres",
      PGPASSWORD: superuserPassword,
      DATABASE_URL: urlOf("signalbox_service", secrets.DATABASE_PASSWORD),
      MIGRATION_DATABASE_URL: urlOf("signalbox", secrets.MIGRATION_DATABASE_PASSWORD),
    };
  };
  const type = async (commands: string, server?: Server, more: Record<string, string> = {}) => {
    const env = { ...(server === undefined ? process.env : environmentOf(server)), ...more };
    return (await run("bash", ["-euc", commands], { cwd: files, env })).stdout;
  };

  async function startServer(directory: string, superuserPassword: string) {
    const [port = 0] = await freePorts(1);
    const user = process.getuid?.() === 0 ? "postgres" : undefined;
    const [data, sockets] = [join(files, directory), join(files, `${directory}-sockets`)];
    await mkdir(sockets, { recursive: true });
    if (user !== undefined) await run("chown", ["-R", user, data, sockets]);
    const postgres = startProcess({
      name: directory,
      command: join(findPostgres(), "postgres"),
      args: ["-D", data, "-p", String(port), "-k", sockets],
      env: { LC_ALL: "C.UTF-8", PATH: process.env["PATH"] ?? "" },
      cwd: data,
      logFile: join(files, `${directory}.log`),
      user,
    });
    const server = { port, superuserPassword };
    const isWritable = async () =>
      (await type("psql --tuples-only --no-align --command 'select pg_is_in_recovery()'", server)) === "f\n";
    await eventually(`${directory} has recovered`, isWritable, { timeoutMs: 60_000, everyMs: 200 });
    return { ...server, [Symbol.asyncDispose]: () => postgres.end("SIGQUIT", 10_000) };
  }

  async function serve(server: Server, name: string): Promise<Served> {
    await using starting = new AsyncDisposableStack();
    const engine = starting.use(await startEngine());
    const [port = 0, workerPort = 0, enginePort = 0] = ports;
    const { MIGRATION_DATABASE_URL: _, ...environment } = environmentOf(server);
    const start = async (role: "api" | "worker", on: number) =>
      starting.use(
        await startService({
          role,
          name: `${name}-${role}`,
          port: on,
          directory: files,
          environment: {
            ...environment,
            HOST: "127.0.0.1",
            ENGINE_INGRESS_URL: engine.ingressUrl,
            ENGINE_ADMIN_URL: engine.adminUrl,
            ENGINE_SERVICE_PORT: String(enginePort),
            ENGINE_SERVICE_URI: `http://127.0.0.1:${enginePort}`,
            ENGINE_IDENTITY_KEYS: engine.identityKey,
            WEBHOOK_ALLOWED_IPS: "127.0.0.0/8:*",
            SHUTDOWN_DRAIN_SECONDS: "0",
            RECONCILE_INTERVAL_SECONDS: "1",
            RECONCILE_GRACE_SECONDS: "1",
          },
        }),
      );
    const [api, worker] = await Promise.all([start("api", port), start("worker", workerPort)]);
    const open = starting.move();
    return { api, worker, [Symbol.asyncDispose]: () => open.disposeAsync() };
  }

  const open = opening.move();
  return {
    files,
    secrets,
    environmentOf,
    type,
    async newServer() {
      const cluster = await startCluster();
      const { superuserPassword } = cluster.address;
      return {
        port: cluster.port,
        superuserPassword,
        restart: () => cluster.restart(),
        [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
      };
    },
    startServer,
    serve,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
