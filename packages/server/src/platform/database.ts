import { CompiledQuery, Kysely, PostgresDialect, sql, type RawBuilder } from "kysely";
import pg from "pg";
import { createAgentShare } from "./agent-share.ts";
import { throughPooler } from "./pooled-client.ts";
import {
  BEGIN_AS_AGENT,
  ONLY_ONE,
  PLAN_FOR_VALUES,
  PREPARED_MAX,
  PreparingClient,
  WAIT_FOR_COMMIT,
} from "./preparing-client.ts";
import { watchPool, type PoolLoad, type WatchedPool } from "./pool-load.ts";
import { Refusal } from "./refusal.ts";
import type { Tables } from "./tables.generated.ts";
import { noteUndone } from "./work-outcome.ts";

export type Database = Kysely<Tables>;

export interface DatabaseOptions {
  url: string;
  /** `url` leads to a connection pooler, so nothing is left on a connection between two transactions. */
  pooled?: boolean;
  role: "signalbox_api" | "signalbox_work";
  poolSize: number;
  onError: (error: Error) => void;
  /** Waits until the caller may have a connection. */
  takePlace?: () => Promise<() => void>;
}

const INT8 = 20;

/** A sequence number stays far below 2^53, so int8 is read as a number. */
export const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") => {
    if (oid === INT8) return Number;
    return pg.types.getTypeParser(oid, format);
  },
};

const BEGIN_AS_AGENTS = "begin; set local signalbox.agent_ids = ";

/**
 * A new connection plans every statement anew: a message that comes after a quiet hour should not pay for it. PostgreSQL
 * gives what a connection has taken back with its end, so none lives for ever.
 */
export const KEPT_OPEN = { min: 2, idleTimeoutMillis: 600_000, maxLifetimeSeconds: 3_600, keepAlive: true };

const SETTINGS = {
  statement_timeout: "30s",
  idle_in_transaction_session_timeout: "30s",
  lock_timeout: "10s",
  jit: "off",
};
/**
 * A plan is made once and outlives the size that tables had then: read in full while they are small, they would be for good (ADR 0032). What
 * has to be read in full still is; it seems dear then, and is not worth compiling.
 */
const PLANNED_ONCE = { plan_cache_mode: "force_generic_plan", enable_seqscan: "off" };

function openPool(
  { url, pooled = false, role, poolSize, onError, takePlace }: DatabaseOptions,
  pipeline: boolean,
): WatchedPool {
  // The role is the connection's own setting, so RESET ROLE leads back to it and not to the owner.
  const settings = { role, ...SETTINGS };
  const pool = new pg.Pool({
    connectionString: url,
    ...(pooled
      ? throughPooler(settings)
      : { Client: PreparingClient, pipeline, options: startupOptions({ ...settings, ...PLANNED_ONCE }) }),
    max: poolSize,
    connectionTimeoutMillis: 5_000,
    ...KEPT_OPEN,
    types: typeParsers,
    application_name: role,
  });
  // Without a listener on each client a PostgreSQL that dies while one is checked out ends our process.
  pool.on("connect", (client) => client.on("error", onError));
  pool.on("error", onError);
  // Nobody gets a connection whose last transaction did not end: a ROLLBACK can be cancelled like any statement.
  pool.on("release", (_error, client) => {
    if (client.getTransactionStatus() !== "I" || preparedOn(client) >= PREPARED_MAX)
      void client.end().catch(onError);
  });
  return watchPool(pool, { preparedOn, takePlace });
}

/** Settings that a connection has from its beginning to its end. */
export function startupOptions(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
}

function preparedOn(client: pg.PoolClient): number {
  return client instanceof PreparingClient ? client.prepared : 0;
}

function openKysely(pool: WatchedPool): Database {
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
}

/** The work role: crosses agents. */
export interface WorkDatabase {
  db: Database;
  load(): PoolLoad;
  close(): Promise<void>;
}

export function openWorkDatabase(options: Omit<DatabaseOptions, "role">): WorkDatabase {
  const pool = openPool({ ...options, role: "signalbox_work" }, false);
  const db = openKysely(pool);
  return { db, load: () => pool.load(), close: () => db.destroy() };
}

/** The api role: no handle is ever given out that is not bound to the agents it was asked for. */
export interface AgentDatabase {
  asAgent<Result>(agentId: string, work: (db: Database) => Promise<Result>): Promise<Result>;
  /**
   * For work that is one statement, which stands whatever becomes of its result: begin, statement and commit are one round trip.
   * Work goes on as soon as the statement is answered; its result comes back once that is committed.
   */
  asAgentOnce<Result>(agentId: string, work: (db: Database) => Promise<Result>): Promise<Result>;
  /** The same for a statement of several agents: it may accept messages in their conversations, and nothing else (ADR 0038). */
  asAgentsOnce<Result>(agentIds: readonly string[], work: (db: Database) => Promise<Result>): Promise<Result>;
  load(): PoolLoad;
  close(): Promise<void>;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Statements of several agents have one agent's share of the connections. */
const SHARED = "";

/** As long as a connection is waited for. */
const SHARE_WAIT_MS = 5_000;

export interface AgentDatabaseOptions extends Omit<DatabaseOptions, "role"> {
  /** Transactions of one agent at once: below `poolSize`, so that one agent cannot hold every connection. */
  perAgent?: number;
  shareWaitMs?: number;
}

export function openAgentDatabase(options: AgentDatabaseOptions): AgentDatabase {
  const { poolSize, perAgent = poolSize, shareWaitMs: waitMs = SHARE_WAIT_MS } = options;
  const pool = openPool({ ...options, role: "signalbox_api" }, true);
  const database = openKysely(pool);
  const share = createAgentShare({
    name: "agent_transactions",
    total: poolSize,
    perAgent,
    waitMs,
  });
  function literal(agentIds: readonly string[]): string {
    // SET takes no parameters, hence the check.
    if (!agentIds.every((agentId) => UUID.test(agentId))) throw new Error("an agent's id is a UUID");
    return `'${agentIds.join(",")}'`;
  }
  function once<Result>(
    holder: string,
    begin: string,
    work: (db: Database) => Promise<Result>,
  ): Promise<Result> {
    const beginning = CompiledQuery.raw(`${ONLY_ONE}${begin}`);
    return share(holder, () =>
      database.connection().execute(async (db) => {
        await db.executeQuery(beginning);
        const [done] = await Promise.allSettled([work(db)]);
        const [committed] = await Promise.allSettled([db.executeQuery(WAIT_FOR_COMMIT)]);
        if (done.status === "rejected") throw done.reason;
        if (committed.status === "rejected") throw committed.reason;
        return done.value;
      }),
    );
  }
  return {
    asAgent(agentId, work) {
      const begin = sql.raw(`${BEGIN_AS_AGENT}${literal([agentId])}`);
      return share(agentId, () => database.connection().execute((db) => transact(db, begin, work)));
    },
    asAgentOnce: (agentId, work) => once(agentId, `${BEGIN_AS_AGENT}${literal([agentId])}`, work),
    asAgentsOnce: (agentIds, work) => once(SHARED, `${BEGIN_AS_AGENTS}${literal(agentIds)}`, work),
    load: () => pool.load(),
    close: () => database.destroy(),
  };
}

/** Commits what `work` did, unless it throws or returns a refusal. */
export function inTransaction<Result>(
  db: Database,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  // This BEGIN is awaited: nothing hides rows from the work role, so a statement sent along with a BEGIN that fails would stand alone.
  return db.connection().execute((db) => transact(db, sql`begin`, work));
}

async function transact<Result>(
  db: Database,
  begin: RawBuilder<unknown>,
  work: (db: Database) => Promise<Result>,
): Promise<Result> {
  let result: Result;
  try {
    await begin.execute(db);
    result = await work(db);
  } catch (error) {
    await sql`rollback`.execute(db).catch(() => undefined);
    // Its COMMIT was never sent, so PostgreSQL undoes it, whatever became of the connection.
    throw noteUndone(error);
  }
  if (result instanceof Refusal) await sql`rollback`.execute(db);
  else await sql`commit`.execute(db);
  return result;
}

/** For the rest of this transaction: right where the best plan depends on the values, as it does for the log's filters. */
export async function planForValues(db: Database): Promise<void> {
  await db.executeQuery(PLAN_FOR_VALUES);
}

const UNAVAILABLE_CODES = new Set([
  "ECONNREFUSED",
  "ENOENT",
  // The name server does not know it, or not now: a container's name goes with the container.
  "ENOTFOUND",
  "EAI_AGAIN",
  // Starting up or shutting down.
  "57P03",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "57P01",
  "57P02",
  "53100",
  "53200",
  "53300",
  "25006",
  "58030",
  // Somebody else was in the way for too long: a lock, a statement's time, a transaction's idle time, a deadlock.
  "55P03",
  "57014",
  "25P03",
  "40P01",
]);

/** True when PostgreSQL refuses work for now, so that the caller should come back and nothing of ours is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (UNAVAILABLE_CODES.has(code) || code.startsWith("08")) return true;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseUnavailable);
  // pg gives these three no code.
  return /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
    error.message,
  );
}

const QUERY_CANCELED = "57014";

/** True when a statement took longer than any may. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === QUERY_CANCELED;
}
