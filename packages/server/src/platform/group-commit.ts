import { LimitReached } from "./agent-share.ts";
import { isDatabaseUnreachable } from "./database.ts";
import type { Log } from "./log.ts";

/** Writes what many ask for at the same moment in one statement, and gives each their own result. */
export type GroupCommit<Item, Result> = (item: Item) => Promise<Result>;

export interface GroupCommitOptions<Item, Result> {
  /** Items of different groups never share a statement. */
  groupOf: (item: Item) => string;
  /** One result for each item, in the order of the items. */
  write: (group: string, items: Item[]) => Promise<Result[]>;
  /** Told of batches that failed; not needed where none can. */
  log?: Log;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const BATCH_MAX = 200;

/**
 * What arrives while a group's commit is under way goes into its next one: batches grow with the load, and nobody
 * waits for a timer. A batch that fails is written one by one, so that a bad item fails alone.
 */
export function createGroupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { groupOf, write, log } = options;
  const queues = new Map<string, Waiting<Item, Result>[]>();

  async function drain(group: string, queue: Waiting<Item, Result>[]): Promise<void> {
    while (queue.length > 0) await writeBatch(group, queue.splice(0, BATCH_MAX));
    queues.delete(group);
  }

  async function writeBatch(group: string, batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await write(
        group,
        batch.map(({ item }) => item),
      );
      // Safe because write gives one result for each item.
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      // What stands in the way of all of them, a limit or a database that is away, each would run into again.
      if (batch.length === 1 || error instanceof LimitReached || isDatabaseUnreachable(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      log?.warn("batch_write_failed", { err: error, size: batch.length });
      for (const one of batch) await writeBatch(group, [one]);
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const group = groupOf(item);
      const queue = queues.get(group);
      if (queue !== undefined) {
        queue.push({ item, resolve, reject });
        return;
      }
      const opened = [{ item, resolve, reject }];
      queues.set(group, opened);
      // The event loop's turn ends first, so that what came with the same packet shares its commit.
      setImmediate(() => void drain(group, opened));
    });
}
