import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { openBedDirectory } from "./bed-directory.ts";
import { openDatabaseProxy, type DatabaseProxy } from "./database-proxy.ts";
import { cloneDatabase, migratedTemplate } from "./databases.ts";
import type { ClonedDatabase } from "./databases.ts";
import { startEngine } from "./engine.ts";
import type { Engine, ReachableEngine } from "./engine.ts";
import { openEngineProxy, type EngineProxy } from "./engine-proxy.ts";
import { startPgBouncer, type PoolMode } from "./pgbouncer.ts";
import { startCluster, withClient } from "./postgres.ts";
import type { ClusterOptions, PostgresCluster, ReachableCluster } from "./postgres.ts";
import { freePorts, lastLines } from "./processes.ts";
import { startReceiver } from "./receiver.ts";
import type { Receiver, ReceiverOptions } from "./receiver.ts";
import { startService } from "./service.ts";
import type { Service } from "./service.ts";
import { borrowCluster } from "./shared-cluster.ts";

export type BedDatabase = ClonedDatabase & {
  /** As superuser, whom no policy binds: for checks only. */
  query<Row extends pg.QueryResultRow = pg.QueryResultRow>(
    sql: string,
    parameters?: unknown[],
  ): Promise<Row[]>;
  /** In one transaction as the role, bound to the agent if one is given, as the service itself works. */
  as<T>(role: string, agentId: string | undefined, use: (client: pg.Client) => Promise<T>): Promise<T>;
};

export type OpenCluster = (directory: string) => Promise<ReachableCluster & AsyncDisposable>;

/** With an engine of one process, which can be killed. */
export type Bed = BedOf<Engine>;

export type BedOf<SomeEngine extends ReachableEngine> = AsyncDisposable & {
  directory: string;
  cluster: ReachableCluster;
  /** Only with `ownCluster`: a cluster shared with other test files is not there to be killed. */
  ownCluster(): PostgresCluster;
  database: BedDatabase;
  engine: SomeEngine;
  apis: Service[];
  workers: Service[];
  api(index?: number): Service;
  worker(index?: number): Service;
  /** The address of the first api process. */
  baseUrl: string;
  receiver: Receiver;
  operatorToken: string;
  environment: Record<string, string>;
  /** Where Restate's calls arrive in the end, with or without a proxy before it. */
  engineServicePort: number;
  /** Only with `proxied`. */
  proxies(): Proxies;
  logs(): string;
};

/** Every connection of the service to PostgreSQL, and those between it and Restate in both directions, lead through these. */
export type Proxies = { database: DatabaseProxy; engine: EngineProxy };

export type BedOptions = {
  apis?: number;
  workers?: number;
  /** PostgreSQL of its own, as it is or as told, or opened by the caller. */
  ownCluster?: boolean | Omit<ClusterOptions, "directory"> | OpenCluster;
  /** Added to what every service process gets. */
  environment?: Record<string, string>;
  /** Added to what the engine gets. */
  engineEnvironment?: Record<string, string>;
  engineDataDirectory?: string;
  receiver?: ReceiverOptions;
  program?: string;
  /** Connections of the service can be cut one by one. */
  proxied?: boolean;
  /** PgBouncer stands between the service and PostgreSQL, in this mode. */
  pooler?: PoolMode | undefined;
};

/** In session mode a connection of the service holds one of PostgreSQL as long as it lives; in transaction mode few are enough. */
const POOL_SIZE = { session: { default_pool_size: 200 }, transaction: { default_pool_size: 5 } };
/** With this every bed of a run has a pooler. */
const POOLER = process.env["SIGNALBOX_TEST_POOLER"] as PoolMode | undefined;

/** Every real part in its place: PostgreSQL, engine, receiver, and the service in its roles, spoken to over sockets. */
export async function openBed(options: BedOptions = {}): Promise<Bed> {
  return openBedWith(
    (directory) =>
      startEngine({
        directory,
        environment: options.engineEnvironment ?? {},
        ...(options.engineDataDirectory === undefined ? {} : { dataDirectory: options.engineDataDirectory }),
      }),
    options,
  );
}

/** The same around another engine, and around another PostgreSQL if one is given. */
export async function openBedWith<SomeEngine extends ReachableEngine>(
  openEngine: (directory: string) => Promise<SomeEngine>,
  options: Omit<BedOptions, "engineEnvironment" | "engineDataDirectory">,
): Promise<BedOf<SomeEngine>> {
  const { apis: apiCount = 2, workers: workerCount = 2, program } = options;
  await using opening = new AsyncDisposableStack();
  const { path: directory } = opening.use(await openBedDirectory());
  const programChoice = program === undefined ? {} : { program };

  const [{ cluster, own, database }, engine, receiver] = await allOpened([
    openDatabase(opening, directory, options.ownCluster ?? false, programChoice),
    kept(opening, openEngine(directory)),
    kept(opening, startReceiver(options.receiver)),
  ]);

  const operatorToken = randomBytes(36).toString("base64url");
  const [enginePort = 0, ...ports] = await freePorts(1 + apiCount + workerCount);
  const proxies =
    options.proxied === true
      ? {
          database: opening.use(await openDatabaseProxy(cluster.port)),
          engine: opening.use(await openEngineProxy(Number(new URL(engine.ingressUrl).port), enginePort)),
        }
      : undefined;
  const { pooler = POOLER } = options;
  const pool =
    pooler === undefined
      ? undefined
      : opening.use(await startPgBouncer(directory, cluster, { pool_mode: pooler, ...POOL_SIZE[pooler] }));
  const environment: Record<string, string> = {
    DATABASE_URL: throughPort(database.url, proxies?.database.port ?? pool?.port),
    ...(pool !== undefined && { DATABASE_POOLER: "true", DATABASE_DIRECT_URL: database.url }),
    OPERATOR_TOKEN: operatorToken,
    SEALING_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    HOST: "127.0.0.1",
    ...(apiCount > 0 && { INBOX_URL: `http://127.0.0.1:${ports[0]}` }),
    ENGINE_INGRESS_URL: throughPort(engine.ingressUrl, proxies?.engine.ingressPort),
    ENGINE_ADMIN_URL: engine.adminUrl,
    ENGINE_IDENTITY_KEYS: engine.identityKey,
    WEBHOOK_ALLOWED_IPS: "127.0.0.0/8:*",
    MODEL_ALLOWED_IPS: "127.0.0.0/8:*",
    IMPORT_ALLOWED_IPS: "127.0.0.0/8:*",
    LOG_LEVEL: "debug",
    RECONCILE_INTERVAL_SECONDS: "1",
    RECONCILE_GRACE_SECONDS: "3",
    // No balancer stands before it: what is told to stop need not wait for one.
    SHUTDOWN_DRAIN_SECONDS: "0",
    // Vectors that appear in the background would make scores depend on the moment: tests of the encoder switch it on.
    BUILT_IN_ENCODER: "false",
    // Tests set up agents by the hundred, all with one token.
    OPERATOR_RATE_LIMIT_PER_SECOND: "100000",
    CONSOLE_POOL_SIZE: "10",
    ACCOUNT_TRANSACTIONS_AT_ONCE: "10",
    ...options.environment,
  };
  const workerEnvironment = {
    ...environment,
    ENGINE_SERVICE_HOST: "127.0.0.1",
    ENGINE_SERVICE_PORT: String(enginePort),
    ENGINE_SERVICE_URI: `http://127.0.0.1:${proxies?.engine.servicePort ?? enginePort}`,
    ...options.environment,
  };
  const started: Service[] = [];
  opening.defer(
    async () => void (await Promise.all(started.map((service) => service[Symbol.asyncDispose]()))),
  );
  const services = await allOpened(
    ports.map(async (port, index) => {
      const role = index < apiCount ? "api" : "worker";
      const name = `${role}-${index < apiCount ? index + 1 : index - apiCount + 1}`;
      const processEnvironment = role === "api" ? environment : workerEnvironment;
      const service = await startService({
        role,
        port,
        environment: processEnvironment,
        name,
        directory,
        ...programChoice,
      });
      started.push(service);
      return service;
    }),
  );
  const apis = services.slice(0, apiCount);
  const workers = services.slice(apiCount);
  const pick =
    (list: Service[], role: string) =>
    (index = 0) => {
      const service = list[index];
      if (service === undefined)
        throw new Error(`this bed has ${list.length} ${role} processes, not ${index + 1}`);
      return service;
    };
  const logs = () => logsIn(directory, Number.POSITIVE_INFINITY);
  opening.defer(async () => {
    if (process.env["SIGNALBOX_TEST_LOGS"] === "1") console.error(logsIn(directory, 60));
  });

  const open = opening.move();
  return {
    directory,
    cluster,
    ownCluster() {
      if (own === undefined)
        throw new Error("this bed shares its cluster: open it with ownCluster to stop or kill PostgreSQL");
      return own;
    },
    database,
    engine,
    apis,
    workers,
    api: pick(apis, "api"),
    worker: pick(workers, "worker"),
    baseUrl: apis[0]?.baseUrl ?? "",
    receiver,
    operatorToken,
    environment,
    engineServicePort: enginePort,
    proxies() {
      if (proxies === undefined)
        throw new Error("nothing stands between the parts of this bed: open it proxied");
      return proxies;
    },
    logs,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** The same address at another port, if there is one. */
function throughPort(address: string, port: number | undefined): string {
  if (port === undefined) return address;
  const url = new URL(address);
  url.port = String(port);
  return url.href.replace(/\/$/, address.endsWith("/") ? "/" : "");
}

async function openDatabase(
  opening: AsyncDisposableStack,
  directory: string,
  ownCluster: boolean | Omit<ClusterOptions, "directory"> | OpenCluster,
  migration: { program?: string },
): Promise<{ cluster: ReachableCluster; own: PostgresCluster | undefined; database: BedDatabase }> {
  const chosen = ownCluster === true ? {} : ownCluster;
  const given = typeof chosen === "function" ? opening.use(await chosen(directory)) : undefined;
  const own =
    chosen === false || typeof chosen === "function"
      ? undefined
      : opening.use(await startCluster({ ...chosen, directory }));
  const whole = own ?? given;
  if (whole !== undefined) await migratedTemplate(whole, migration);
  const cluster = whole ?? opening.use(await borrowCluster(migration)).cluster;
  const clone = await cloneDatabase(cluster);
  // A cluster of our own goes whole, and a test may have left it dead.
  if (whole === undefined) opening.defer(() => clone.drop());

  const pool = new pg.Pool({ connectionString: clone.superuserUrl, max: 4 });
  // Without these the death of the server would end the test process too.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  opening.defer(() => pool.end());
  return { cluster, own, database: { ...clone, ...queriesOn(pool, clone) } };
}

function queriesOn(pool: pg.Pool, clone: ClonedDatabase): Pick<BedDatabase, "query" | "as"> {
  return {
    async query<Row extends pg.QueryResultRow>(sql: string, parameters: unknown[] = []) {
      return (await pool.query<Row>(sql, parameters)).rows;
    },
    as: (role, agentId, use) =>
      withClient(clone.url, async (client) => {
        await client.query("begin");
        await client.query(`set local role ${client.escapeIdentifier(role)}`);
        if (agentId !== undefined)
          await client.query("select set_config('signalbox.agent_id', $1, true)", [agentId]);
        // A failure needs no rollback: the connection ends with it.
        const result = await use(client);
        await client.query("commit");
        return result;
      }),
  };
}

async function kept<T extends AsyncDisposable>(opening: AsyncDisposableStack, part: Promise<T>): Promise<T> {
  return opening.use(await part);
}

/** Like Promise.all, but waits for the slow ones too, so that all that did open is on the stack before it unwinds. */
async function allOpened<const T extends readonly Promise<unknown>[]>(
  openings: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  const settled = await Promise.allSettled(openings);
  const failures = settled.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, failures.map(String).join("\n"));
  // safe because every promise was just seen to be fulfilled, in this order
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as never;
}

function logsIn(directory: string, lines: number): string {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".log"))
    .map((name) => `==> ${name} <==\n${lastLines(readFileSync(join(directory, name), "utf8"), lines)}\n`)
    .join("\n");
}
