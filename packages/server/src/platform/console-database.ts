import { AsyncLocalStorage } from "node:async_hooks";
import { createPlaces } from "./agent-share.ts";
import { openWorkDatabase, type DatabaseOptions, type WorkDatabase } from "./database.ts";

/** Where operators read and write: connections of their own, so that nobody else waits for what they ask. */
export interface ConsoleDatabase extends WorkDatabase {
  /** Runs work whose connections are this holder's: an account's or a token's. */
  onBehalfOf<Result>(holder: string, work: () => Result): Result;
}

export interface ConsoleDatabaseOptions extends Omit<DatabaseOptions, "role"> {
  /** Connections that one holder has at once: below `poolSize`, so that one cannot hold all. */
  perHolder: number;
  waitMs?: number;
}

/** As long as a connection is waited for. */
const WAIT_MS = 5_000;
/** A caller of one long read after another leaves half of the time to others. */
const REST_SHARE = 1;
/** Work that nobody asked for in person, such as looks for streams. */
const NOBODY = "";

/**
 * The holder goes with the asynchronous work and not with each call: which connection a statement takes is decided far below
 * those who know who asks (ADR 0042).
 */
export function openConsoleDatabase({
  perHolder,
  waitMs = WAIT_MS,
  ...options
}: ConsoleDatabaseOptions): ConsoleDatabase {
  const holders = new AsyncLocalStorage<string>();
  const takePlace = createPlaces({
    name: "account_transactions",
    total: options.poolSize,
    perHolder,
    waitMs,
    restShare: REST_SHARE,
    holderIs: "account",
  });
  const database = openWorkDatabase({
    ...options,
    takePlace: () => takePlace(holders.getStore() ?? NOBODY),
  });
  return { ...database, onBehalfOf: (holder, work) => holders.run(holder, work) };
}

/** Reads each piece as the holder, even if somebody else asks for it. */
export async function* readOnBehalf<Piece>(
  onBehalf: <Result>(work: () => Result) => Result,
  pieces: AsyncIterable<Piece>,
): AsyncGenerator<Piece> {
  const iterator = onBehalf(() => pieces[Symbol.asyncIterator]());
  let isOver = false;
  try {
    for (;;) {
      const next = await onBehalf(() => iterator.next());
      isOver = next.done === true;
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    if (!isOver) await onBehalf(() => iterator.return?.());
  }
}
