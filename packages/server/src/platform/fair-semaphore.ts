/**
 * Semaphore that is fair by key: a free permit goes to the waiting key that holds the fewest, and among equals to the one
 * served longest ago. Within a key it is first come, first served.
 */
export interface FairSemaphore {
  /** Gives the function that releases the permit, or undefined when none came free in time or `signal` ended the wait. */
  acquire(key: string, waitMs: number, signal?: AbortSignal): Promise<(() => void) | undefined>;
  /** The key holds as many permits as one key may. */
  isAtShare(key: string): boolean;
}

export interface FairSemaphoreOptions {
  permits: number;
  /** What one key may hold, also while nobody else waits. */
  permitsPerKey?: number;
  /** How many of one key may wait; one more is turned away at once. */
  waitingPerKey?: number;
}

type Waiter = () => void;

export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const { permits, permitsPerKey = permits, waitingPerKey = Infinity } = options;
  let free = permits;
  const held = new Map<string, number>();
  /** In the order in which keys are served. */
  const queues = new Map<string, Waiter[]>();

  const heldBy = (key: string) => held.get(key) ?? 0;
  const isAtShare = (key: string) => heldBy(key) >= permitsPerKey;

  function take(key: string): () => void {
    free -= 1;
    held.set(key, heldBy(key) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      free += 1;
      if (heldBy(key) === 1) held.delete(key);
      else held.set(key, heldBy(key) - 1);
      serveNext();
    };
  }

  function nextKey(): string | undefined {
    let next: string | undefined;
    for (const key of queues.keys()) {
      if (isAtShare(key)) continue;
      if (next === undefined || heldBy(key) < heldBy(next)) next = key;
    }
    return next;
  }

  function serveNext(): void {
    const key = free > 0 ? nextKey() : undefined;
    if (key === undefined) return;
    const queue = queues.get(key) ?? [];
    const waiter = queue.shift();
    queues.delete(key);
    if (queue.length > 0) queues.set(key, queue);
    waiter?.();
  }

  function leave(key: string, waiter: Waiter): void {
    const queue = queues.get(key)?.filter((other) => other !== waiter) ?? [];
    if (queue.length === 0) queues.delete(key);
    else queues.set(key, queue);
  }

  return {
    isAtShare,
    acquire(key, waitMs, signal) {
      const queue = queues.get(key) ?? [];
      if (free > 0 && !isAtShare(key) && queue.length === 0) return Promise.resolve(take(key));
      if (queue.length >= waitingPerKey) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const settle = (release: (() => void) | undefined) => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", giveUp);
          resolve(release);
        };
        const waiter = () => settle(take(key));
        const giveUp = () => {
          leave(key, waiter);
          settle(undefined);
        };
        const timer = setTimeout(giveUp, waitMs);
        queues.set(key, [...queue, waiter]);
        signal?.addEventListener("abort", giveUp);
        if (signal?.aborted === true) giveUp();
      });
    },
  };
}
