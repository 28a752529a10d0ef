/** Whether this process still takes work. Handlers that loop look at it; nothing else needs to know of signals. */
export interface Lifecycle {
  readonly stopping: AbortSignal;
  stop(): void;
}

export function createLifecycle(): Lifecycle {
  const controller = new AbortController();
  return { stopping: controller.signal, stop: () => controller.abort() };
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
