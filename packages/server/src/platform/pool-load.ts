import type pg from "pg";

/** What a pool of connections has to do, for the metrics. */
export interface PoolLoad {
  /** Connections it may open. */
  size: number;
  /** Connections that are at work. */
  used: number;
  /** For a connection, now. */
  waiting: number;
  /** For connections, in all. */
  waitedSeconds: number;
  /** Prepared statements on the connection that has most of them. */
  statements: number;
}

/** As much of a pool as Kysely asks for. */
export interface WatchedPool {
  options: pg.Pool["options"];
  connect(): Promise<pg.PoolClient>;
  end(): Promise<void>;
  load(): PoolLoad;
}

export interface WatchOptions {
  /** Counts the prepared statements of one connection. */
  preparedOn?: (client: pg.PoolClient) => number;
  /** Waits until the caller may have a connection; returns the function that gives it back. */
  takePlace?: (() => Promise<() => void>) | undefined;
}

/** A pool that reports its load, and gives a connection only to a caller with a place. */
export function watchPool(pool: pg.Pool, { preparedOn = () => 0, takePlace }: WatchOptions): WatchedPool {
  const open = new Set<pg.PoolClient>();
  let waitedMs = 0;
  pool.on("connect", (client) => open.add(client));
  pool.on("remove", (client) => open.delete(client));
  async function connectInPlace(take: () => Promise<() => void>): Promise<pg.PoolClient> {
    const leave = await take();
    try {
      const client = await pool.connect();
      const release = client.release.bind(client);
      client.release = (error) => {
        release(error);
        leave();
      };
      return client;
    } catch (error) {
      leave();
      throw error;
    }
  }

  return {
    options: pool.options,
    async connect() {
      if (takePlace !== undefined) return connectInPlace(takePlace);
      const isFree = pool.idleCount > 0 || pool.totalCount < pool.options.max;
      if (isFree) return pool.connect();
      const beganAt = performance.now();
      try {
        return await pool.connect();
      } finally {
        waitedMs += performance.now() - beganAt;
      }
    },
    end: () => pool.end(),
    load: () => ({
      size: pool.options.max,
      used: pool.totalCount - pool.idleCount,
      waiting: pool.waitingCount,
      waitedSeconds: waitedMs / 1000,
      statements: [...open].reduce((most, client) => Math.max(most, preparedOn(client)), 0),
    }),
  };
}
