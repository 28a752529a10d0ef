/** Graceful shutdown in two steps. Handlers that loop look at it; nothing else needs to know of signals. */
export interface Lifecycle {
  /** Load balancers are told to send elsewhere; requests that still arrive are served. */
  readonly draining: AbortSignal;
  /** No more work is taken. */
  readonly stopping: AbortSignal;
  drain(): void;
  stop(): void;
}

export function createLifecycle(): Lifecycle {
  const draining = new AbortController();
  const stopping = new AbortController();
  return {
    draining: draining.signal,
    stopping: stopping.signal,
    drain: () => draining.abort(),
    stop() {
      draining.abort();
      stopping.abort();
    },
  };
}

/** A wait that ends early when the process stops. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });
}
