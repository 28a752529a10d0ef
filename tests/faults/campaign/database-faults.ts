import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Bed } from "../../support/bed.ts";
import { readMetrics, sumOf } from "../../support/metrics.ts";
import { withClient } from "../../support/postgres.ts";
import { eventually } from "../../support/processes.ts";
import { proven } from "./fault.ts";
import type { Fault } from "./fault.ts";

/** While a backlog drains few messages are sent, and pools fill slowly. */
const POOLS_FULL_WITHIN_MS = 30_000;
const HOLD_MS = 1_500;
const TOO_MANY_CONNECTIONS = "53300";

export function databaseFaults(bed: Bed): Fault[] {
  return [
    { kind: "pool_exhausted", part: "postgres", weight: 5, strike: () => exhaustPools(bed) },
    { kind: "connections_exhausted", part: "postgres", weight: 5, strike: () => exhaustConnections(bed) },
  ];
}

/** Every connection of a pool waits for a lock, and further callers wait for a connection. */
async function exhaustPools(bed: Bed) {
  return withClient(bed.database.superuserUrl, async (holder) => {
    await holder.query("begin");
    await holder.query("lock table conversation, lane in access exclusive mode");
    const waiting = await eventually(
      "requests wait for a connection",
      async () => {
        const nodes = [...bed.apis, ...bed.workers];
        const counts = await Promise.all(nodes.map(({ baseUrl }) => waitingAt(bed, baseUrl)));
        return Math.max(...counts) || undefined;
      },
      { timeoutMs: POOLS_FULL_WITHIN_MS },
    );
    await sleep(HOLD_MS);
    await holder.query("rollback");
    return { waiting };
  });
}

/** 0 for a node that does not answer: it is being started, perhaps. */
async function waitingAt(bed: Bed, baseUrl: string): Promise<number> {
  return sumOf((await readMetrics(bed, baseUrl))("signalbox_database_waiting"));
}

/** Strangers take every connection that PostgreSQL gives out, also those that the service loses meanwhile. */
async function exhaustConnections(bed: Bed) {
  const strangers: pg.Client[] = [];
  let refusals = 0;
  const takeAll = async () => {
    for (;;) {
      const stranger = new pg.Client({ connectionString: bed.database.url, connectionTimeoutMillis: 5_000 });
      stranger.on("error", () => undefined);
      try {
        await stranger.connect();
        strangers.push(stranger);
      } catch (error) {
        if ((error as { code?: string }).code !== TOO_MANY_CONNECTIONS) throw error;
        refusals += 1;
        return;
      }
    }
  };
  // Opened before there are none left.
  const superuser = new pg.Client({ connectionString: bed.database.superuserUrl });
  superuser.on("error", () => undefined);
  await superuser.connect();
  try {
    await takeAll();
    const { rows: ended } = await superuser.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name in ('signalbox_api', 'signalbox_work') and datname = current_database()`,
    );
    const until = performance.now() + HOLD_MS;
    while (performance.now() < until) {
      await takeAll();
      await sleep(50);
    }
    proven(refusals > 1 && ended.length > 0, "nobody was refused a connection");
    return { strangers: strangers.length, ended: ended.length, refusals };
  } finally {
    await Promise.all([superuser, ...strangers].map((client) => client.end().catch(() => undefined)));
  }
}
