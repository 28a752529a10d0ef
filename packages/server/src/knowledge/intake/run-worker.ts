import { Worker } from "node:worker_threads";
import { failed, type FileFailure } from "./outcome.ts";
import type { ToMain, ToWorker } from "./worker-side.ts";

export interface WorkerRun<Note> {
  entry: URL;
  job: unknown;
  /** How long the worker may think without a word; time spent in `onNote` does not count. */
  silenceMs: number;
  memoryMb: number;
  /** Awaited before the worker may go far ahead. */
  onNote?: (note: Note) => Promise<void>;
}

const WATCH_EVERY_MS = 100;
const MEGABYTE = 1_048_576;

/**
 * Runs one job on one file in a thread of its own, which is ended when it takes too long or too much. Parsers of files
 * from strangers run nowhere else.
 */
export async function runWorker<Result, Note = never>(run: WorkerRun<Note>): Promise<Result | FileFailure> {
  const worker = new Worker(run.entry, {
    workerData: run.job,
    // A parser needs nothing of the environment, so it finds nothing there.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: run.memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const ended = Promise.withResolvers<Result | FileFailure>();
  const silence = watchSilence(run.silenceMs, () =>
    ended.resolve(failed("too_slow", `the file was not read within ${run.silenceMs / 1000} s`)),
  );
  const memory = watchMemory(worker, run.memoryMb, () =>
    ended.resolve(failed("too_complex", `reading the file took more than ${run.memoryMb} MB of memory`)),
  );
  // One note after the other, and the result behind them all.
  let handled = Promise.resolve();
  worker.on("message", (message: ToMain<Note, Result>) => {
    silence.pause();
    handled = handled.then(async () => {
      if (message.kind === "done") return ended.resolve(message.result);
      await run.onNote?.(message.note);
      silence.resume();
      worker.postMessage({ kind: "more" } satisfies ToWorker);
    });
    handled.catch(ended.reject);
  });
  worker.on("error", (error: unknown) => {
    if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY")
      ended.resolve(failed("too_complex", `reading the file took more than ${run.memoryMb} MB of memory`));
    else ended.reject(error instanceof Error ? error : new Error(String(error)));
  });
  worker.on("exit", () => ended.reject(new Error("the worker ended without a result")));
  try {
    return await ended.promise;
  } finally {
    silence.stop();
    memory.stop();
    await worker.terminate();
  }
}

function watchSilence(ms: number, onSilence: () => void) {
  let timer = setTimeout(onSilence, ms);
  let busy = 0;
  return {
    pause() {
      busy += 1;
      clearTimeout(timer);
    },
    resume() {
      busy -= 1;
      if (busy === 0) timer = setTimeout(onSilence, ms);
    },
    stop: () => clearTimeout(timer),
  };
}

/** `resourceLimits` counts the heap alone; what parsers unpack into buffers lies outside it. */
function watchMemory(worker: Worker, memoryMb: number, onExcess: () => void) {
  let isStopped = false;
  const timer = setInterval(() => {
    worker.getHeapStatistics().then(
      ({ used_heap_size, external_memory }) => {
        if (!isStopped && used_heap_size + external_memory > memoryMb * MEGABYTE) onExcess();
      },
      () => {},
    );
  }, WATCH_EVERY_MS);
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
