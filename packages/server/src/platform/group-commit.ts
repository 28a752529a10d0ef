import { LimitReached } from "./agent-share.ts";
import type { Log } from "./log.ts";
import { isUniqueViolation, outcomeOf } from "./work-outcome.ts";

/** Writes what many ask for at the same moment in one statement, and gives each their own result. */
export type GroupCommit<Item, Result> = (item: Item) => Promise<Result>;

export interface GroupCommitOptions<Item, Result> {
  /** Items of different groups never share a statement. */
  groupOf: (item: Item) => string;
  /** Each share has its place in the next batch, however many items of another share wait. One share when left out. */
  shareOf?: (item: Item) => string;
  /** One result for each item, in the order of the items. */
  write: (group: string, items: Item[]) => Promise<Result[]>;
  /**
   * Asked before a batch is written again whose commit was not answered (ADR 0044): the result of each item that is written, undefined for the
   * others. `repeatable`: what is written twice counts once, and has a result that is right the second time too.
   */
  readBack: "repeatable" | ((group: string, items: Item[]) => Promise<(Result | undefined)[]>);
  /** Told of batches that failed; not needed where none can. */
  log?: Log;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

const BATCH_MAX = 200;

/** Round robin over shares: the first item of each, then the second of each. */
class FairQueue<Item> {
  readonly #shares = new Map<string, Item[]>();

  add(share: string, item: Item): void {
    const items = this.#shares.get(share);
    if (items === undefined) this.#shares.set(share, [item]);
    else items.push(item);
  }

  take(most: number): Item[] {
    if (this.#shares.size === 1) return this.#takeOfOne(most);
    const taken: Item[] = [];
    // A share that is set again comes last, in this very loop: rounds go on until the batch is full.
    for (const [share, items] of this.#shares) {
      if (taken.length === most) break;
      taken.push(...items.splice(0, 1));
      this.#shares.delete(share);
      if (items.length > 0) this.#shares.set(share, items);
    }
    return taken;
  }

  #takeOfOne(most: number): Item[] {
    const [[share, items] = ["", []]] = this.#shares;
    const taken = items.splice(0, most);
    if (items.length === 0) this.#shares.delete(share);
    return taken;
  }
}

/**
 * What arrives while a group's commit is under way goes into its next one: batches grow with the load, and nobody
 * waits for a timer. A batch that fails is halved until the bad item fails alone, so that the others wait for few statements.
 * Items that may have been committed are read back first, so that nothing is written twice.
 */
export function createGroupCommit<Item, Result>(
  options: GroupCommitOptions<Item, Result>,
): GroupCommit<Item, Result> {
  const { groupOf, shareOf = () => "", write, readBack, log } = options;
  const queues = new Map<string, FairQueue<Waiting<Item, Result>>>();

  async function drain(group: string, queue: FairQueue<Waiting<Item, Result>>): Promise<void> {
    for (let batch = queue.take(BATCH_MAX); batch.length > 0; batch = queue.take(BATCH_MAX))
      await writeBatch(group, batch);
    queues.delete(group);
  }

  async function writeBatch(group: string, batch: Waiting<Item, Result>[], isRepeat = false): Promise<void> {
    try {
      const results = await write(
        group,
        batch.map(({ item }) => item),
      );
      // Safe because write gives one result for each item.
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      const outcome = outcomeOf(error);
      // A limit that is reached, or a database that is away, would stop each item by itself too.
      if (error instanceof LimitReached || outcome === "never_sent") return rejectAll(batch, error);
      const mayBeWritten = outcome === "unknown" || isUniqueViolation(error);
      if (batch.length > 1 || mayBeWritten)
        log?.warn("batch_write_failed", { err: error, size: batch.length, outcome });
      const left = mayBeWritten ? await settleWritten(group, batch, error) : batch;
      // One that was looked for and not found is written once more; one that fails for certain fails again.
      const isLooked = outcome === "unknown" && readBack !== "repeatable";
      if (batch.length === 1 && (isRepeat || !isLooked)) return rejectAll(left, error);
      const half = Math.ceil(left.length / 2);
      if (half > 0) await writeBatch(group, left.slice(0, half), isLooked);
      if (half < left.length) await writeBatch(group, left.slice(half), isLooked);
    }
  }

  /** Gives those that are written their results, and returns the others. Where nobody can say, all of them have failed. */
  async function settleWritten(
    group: string,
    batch: Waiting<Item, Result>[],
    error: unknown,
  ): Promise<Waiting<Item, Result>[]> {
    if (readBack === "repeatable") return batch;
    try {
      const results = await readBack(
        group,
        batch.map(({ item }) => item),
      );
      return batch.filter(({ resolve }, index) => {
        const result = results[index];
        if (result !== undefined) resolve(result);
        return result === undefined;
      });
    } catch (cause) {
      log?.warn("batch_not_read_back", { err: cause, size: batch.length });
      rejectAll(batch, error);
      return [];
    }
  }

  function rejectAll(batch: Waiting<Item, Result>[], error: unknown): void {
    for (const { reject } of batch) reject(error);
  }

  return (item) =>
    new Promise((resolve, reject) => {
      const group = groupOf(item);
      const queue = queues.get(group);
      if (queue !== undefined) {
        queue.add(shareOf(item), { item, resolve, reject });
        return;
      }
      const opened = new FairQueue<Waiting<Item, Result>>();
      opened.add(shareOf(item), { item, resolve, reject });
      queues.set(group, opened);
      // The event loop's turn ends first, so that what came with the same packet shares its commit.
      setImmediate(() => void drain(group, opened));
    });
}
