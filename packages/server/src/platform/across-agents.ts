import { sql, type RawBuilder } from "kysely";
import { createGroupCommit, type GroupCommit } from "./group-commit.ts";
import type { Log } from "./log.ts";

/** `skip`: rows that somebody else has locked are left out. `wait`: the statement waits for them. */
export type LockedRows = "skip" | "wait";

/** The result of an item whose row another transaction had locked. */
export const LOCKED = Symbol("locked");

export interface AcrossAgentsOptions<Item, Result> {
  agentOf: (item: Item) => string;
  /** One result for each item, in their order; `LOCKED` only where locked rows are skipped. */
  write: (items: Item[], lockedRows: LockedRows) => Promise<(Result | typeof LOCKED)[]>;
  /** As of any group commit. */
  readBack: "repeatable" | ((items: Item[]) => Promise<(Result | undefined)[]>);
  log: Log;
}

/** Most locks on a row last for one short statement. */
const TRIES_TOGETHER = 3;

/**
 * A group commit of all agents. No agent waits for another: each has its place in the next batch, and a batch waits for no lock. An item whose
 * row stays locked is written by a statement of its own, which waits while it holds nothing else.
 */
export function createCommitAcrossAgents<Item, Result>(
  options: AcrossAgentsOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { agentOf, write, log } = options;
  const readBack = options.readBack === "repeatable" ? options.readBack : readBackOf(options.readBack);
  const together = createGroupCommit<Item, Result | typeof LOCKED>({
    groupOf: () => "",
    shareOf: agentOf,
    write: (_, items) => write(items, "skip"),
    readBack,
    log,
  });
  let waiting = 0;
  const alone = createGroupCommit<Item, Result | typeof LOCKED>({
    // No two share a group, so each is written by itself.
    groupOf: () => String((waiting += 1)),
    write: (_, items) => write(items, "wait"),
    readBack,
    log,
  });
  return async (item) => {
    for (let tries = 0; tries < TRIES_TOGETHER; tries += 1) {
      const result = await together(item);
      if (result !== LOCKED) return result;
    }
    const result = await alone(item);
    if (result === LOCKED) throw new Error("a statement that waits skipped a row");
    return result;
  };
}

function readBackOf<Item, Result>(read: (items: Item[]) => Promise<(Result | undefined)[]>) {
  return (_: string, items: Item[]) => read(items);
}

/** The end of a select that locks what it reads. */
export function forUpdate(lockedRows: LockedRows): RawBuilder<unknown> {
  return lockedRows === "skip" ? sql`for update skip locked` : sql`for update`;
}
