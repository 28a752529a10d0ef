import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { appendFile, chmod, chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { openBedDirectory } from "./bed-directory.ts";
import { eventually, freePort, lastLines, startProcess } from "./processes.ts";
import type { StartedProcess } from "./processes.ts";

const run = promisify(execFile);

/** All that another process needs to use a cluster it did not start. */
export type ClusterAddress = {
  port: number;
  dataDirectory: string;
  superuserPassword: string;
  ownerPassword: string;
  servicePassword: string;
};

export type ReachableCluster = {
  address: ClusterAddress;
  port: number;
  dataDirectory: string;
  superuserUrl(database: string): string;
  /** For `migrate`. */
  ownerUrl(database: string): string;
  /** As the service logs in: it owns nothing. */
  serviceUrl(database: string): string;
  startedAt(): Promise<string>;
};

export type PostgresCluster = ReachableCluster &
  AsyncDisposable & {
    pid(): number;
    start(): Promise<void>;
    /** Kills the postmaster itself and fails unless it died of that. Start again with start(). */
    kill9(): Promise<void>;
    stop(): Promise<void>;
    restart(): Promise<void>;
    logs(): string;
  };

export const OWNER = "signalbox_owner";
export const SERVICE = "signalbox_login";

export function reachCluster(address: ClusterAddress): ReachableCluster {
  const url = (user: string, password: string, database: string) =>
    `postgres://${user}:${password}@127.0.0.1:${address.port}/${database}`;
  const superuserUrl = (database: string) => url("postgres", address.superuserPassword, database);
  return {
    address,
    port: address.port,
    dataDirectory: address.dataDirectory,
    superuserUrl,
    ownerUrl: (database) => url(OWNER, address.ownerPassword, database),
    serviceUrl: (database) => url(SERVICE, address.servicePassword, database),
    async startedAt() {
      return withClient(superuserUrl("postgres"), async (client) => {
        const { rows } = await client.query("select pg_postmaster_start_time()::text as started");
        return rows[0].started as string;
      });
    },
  };
}

export type ClusterOptions = {
  directory?: string;
  /** Where its files lie, if not in the directory: a disk of its own, that can be full. */
  dataDirectory?: string;
  port?: number;
  settings?: Record<string, string | number>;
  environment?: Record<string, string>;
  /** A standby of this cluster, which streams from it under this name. */
  standbyOf?: { primary: ReachableCluster; name: string };
};

/** A private cluster with password logins and fsync on. A directory given is the caller's to remove. */
export async function startCluster(options: ClusterOptions = {}): Promise<PostgresCluster> {
  await using opening = new AsyncDisposableStack();
  const directory = options.directory ?? opening.use(await openBedDirectory()).path;
  const port = options.port ?? (await freePort());
  const bin = findPostgres();
  const user = process.getuid?.() === 0 ? "postgres" : undefined;
  const { standbyOf } = options;
  const address: ClusterAddress = {
    superuserPassword: randomBytes(18).toString("hex"),
    ownerPassword: randomBytes(18).toString("hex"),
    servicePassword: randomBytes(18).toString("hex"),
    // A copy has the logins of what it copies.
    ...standbyOf?.primary.address,
    port,
    dataDirectory: options.dataDirectory ?? join(directory, "postgres"),
  };
  const reach = reachCluster(address);
  const logFile = join(directory, "postgres.log");
  await initialise({ bin, directory, user, address, settings: options.settings ?? {}, standbyOf });

  let postmaster: StartedProcess | undefined;
  opening.defer(async () => postmaster?.end("SIGQUIT", 10_000));
  const running = () => {
    if (postmaster === undefined) throw new Error("PostgreSQL was never started");
    return postmaster;
  };

  // By env, so that a library to be preloaded meets PostgreSQL alone and not what comes before it as another user.
  const variables = Object.entries(options.environment ?? {}).map(([name, value]) => `${name}=${value}`);
  const launch = () =>
    startProcess({
      name: "postgres",
      command: "env",
      args: [...variables, join(bin, "postgres"), "-D", address.dataDirectory],
      env: { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" },
      cwd: address.dataDirectory,
      logFile,
      user,
    });

  let isReady = false;
  const start = async () => {
    const isUp = postmaster !== undefined && postmaster.exit() === undefined;
    if (isUp && isReady) throw new Error("PostgreSQL is already running");
    // One that recovers for longer than the last start waited for is not started twice.
    if (!isUp) postmaster = launch();
    isReady = false;
    const ready = async () => {
      // After a kill -9 old backends hold the shared memory for a moment, and a new postmaster gives up: try again.
      if (running().exit() !== undefined) postmaster = launch();
      await reach.startedAt();
      return true;
    };
    await eventually("PostgreSQL accepts connections", ready, { timeoutMs: 60_000, everyMs: 20 }).catch(
      (error: unknown) => {
        throw new Error(`PostgreSQL did not start\n${lastLines(running().logs())}`, { cause: error });
      },
    );
    isReady = true;
  };
  const stop = async () => {
    running().kill("SIGINT");
    await running().exitWithin(30_000);
  };

  await start();
  if (standbyOf === undefined) await createLogins(reach);
  const open = opening.move();
  return {
    ...reach,
    pid: () => running().pid,
    start,
    kill9: () => running().kill9(),
    stop,
    async restart() {
      await stop();
      await start();
    },
    logs: () => running().logs(),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function createLogins(cluster: ReachableCluster): Promise<void> {
  const { ownerPassword, servicePassword } = cluster.address;
  await withClient(cluster.superuserUrl("postgres"), (client) =>
    client.query(`create role ${OWNER} login createrole password '${ownerPassword}';
      create role ${SERVICE} login noinherit password '${servicePassword}'`),
  );
}

type ClusterToInitialise = {
  bin: string;
  directory: string;
  user: string | undefined;
  address: ClusterAddress;
  settings: Record<string, string | number>;
  standbyOf: ClusterOptions["standbyOf"];
};

async function initialise({
  bin,
  directory,
  user,
  address,
  settings: more,
  standbyOf,
}: ClusterToInitialise): Promise<void> {
  const { dataDirectory } = address;
  const socketDirectory = join(directory, "socket");
  const passwordFile = join(directory, "superuser-password");
  await mkdir(dataDirectory, { recursive: true });
  await mkdir(socketDirectory, { recursive: true });
  await writeFile(passwordFile, address.superuserPassword);
  await chmod(dataDirectory, 0o700);
  if (user !== undefined) {
    const [uid, gid] = await Promise.all(
      ["-u", "-g"].map(async (flag) => Number((await run("id", [flag, user])).stdout)),
    );
    for (const path of [dataDirectory, socketDirectory, passwordFile]) await chown(path, uid ?? 0, gid ?? 0);
  }
  const initdb = ["initdb", "-D", dataDirectory, "-U", "postgres", "--locale=C.UTF-8", "--encoding=UTF8"];
  const logins = ["--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  const [program = "", ...args] =
    standbyOf === undefined ? [...initdb, ...logins] : copyOf(standbyOf, dataDirectory);
  const asUser =
    user === undefined ? [] : ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--"];
  const [command = "", ...rest] = [...asUser, join(bin, program), ...args];
  await run(command, rest, { cwd: directory });
  const settings = {
    listen_addresses: "127.0.0.1",
    port: address.port,
    unix_socket_directories: socketDirectory,
    max_connections: 400,
    timezone: "UTC",
    log_line_prefix: "%m [%p] %u@%d ",
    ...more,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await appendFile(join(dataDirectory, "postgresql.conf"), lines.join(""));
}

/** With what makes it a standby: the signal file, and how to reach the primary. */
function copyOf(
  { primary, name }: NonNullable<ClusterOptions["standbyOf"]>,
  dataDirectory: string,
): string[] {
  const source = `${primary.superuserUrl("")}?application_name=${name}`;
  return [
    "pg_basebackup",
    "-d",
    source,
    "-D",
    dataDirectory,
    "-R",
    "-X",
    "stream",
    "--checkpoint=fast",
    "--no-sync",
  ];
}

/** The newest installed version, as Debian lays them out; elsewhere the folder is named by SIGNALBOX_TEST_POSTGRES_BIN. */
export function findPostgres(): string {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root)
    ? readdirSync(root).filter((name) => existsSync(join(root, name, "bin", "initdb")))
    : [];
  const newest = versions.toSorted((a, b) => Number(b) - Number(a))[0];
  const bin =
    process.env["SIGNALBOX_TEST_POSTGRES_BIN"] ??
    (newest === undefined ? undefined : join(root, newest, "bin"));
  if (bin === undefined) throw new Error("PostgreSQL 15 or newer is not installed: run .ci/install-postgres");
  return bin;
}

export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  // Without a listener the death of the server would end the test process too; the query in flight fails anyway.
  client.on("error", () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
