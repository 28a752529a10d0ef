import { Worker } from "node:worker_threads";
import { threadEntry } from "../thread-entry.ts";
import { failed, type FileFailure } from "./outcome.ts";
import type { ToMain, ToWorker } from "./worker-side.ts";

export interface WorkerRun<Note> {
  entry: URL;
  job: unknown;
  /** How long the worker may think without a word; time spent in `onNote` does not count. */
  silenceMs: number;
  /** Processor time of the thread: unlike a clock it does not run faster on a busy machine. */
  cpuMs: number;
  memoryMb: number;
  /** Awaited before the worker may go far ahead. */
  onNote?: (note: Note) => Promise<void>;
}

const WATCH_EVERY_MS = 25;
const MEGABYTE = 1_048_576;

/** The rest is for buffers, and for what is taken between two looks. */
const HEAP_SHARE = 0.75;

/**
 * Runs one job on one file in a thread of its own, which is ended when it takes too long or too much. Parsers of files
 * from strangers run nowhere else.
 */
export async function runWorker<Result, Note = never>(run: WorkerRun<Note>): Promise<Result | FileFailure> {
  const worker = new Worker(threadEntry(run.entry), {
    workerData: run.job,
    // A parser needs nothing of the environment, so it finds nothing there.
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: {
      maxOldGenerationSizeMb: run.memoryMb * HEAP_SHARE,
      maxYoungGenerationSizeMb: 32,
      stackSizeMb: 4,
    },
  });
  worker.stdout.resume();
  worker.stderr.resume();
  const ended = Promise.withResolvers<Result | FileFailure>();
  const silence = watchSilence(run.silenceMs, () =>
    ended.resolve(failed("too_slow", `reading the file timed out after ${run.silenceMs / 1000} s`)),
  );
  const watch = watchUse(worker, run, ended.resolve);
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
    watch.stop();
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

/** `resourceLimits` counts the heap alone; what parsers unpack into buffers lies outside it, and time it does not count. */
function watchUse(
  worker: Worker,
  { memoryMb, cpuMs }: Pick<WorkerRun<never>, "memoryMb" | "cpuMs">,
  onExcess: (failure: FileFailure) => void,
) {
  let isStopped = false;
  const look = async () => {
    const [{ used_heap_size, external_memory }, { user, system }] = await Promise.all([
      worker.getHeapStatistics(),
      worker.cpuUsage(),
    ]);
    if (isStopped) return;
    if (used_heap_size + external_memory > memoryMb * MEGABYTE)
      onExcess(failed("too_complex", `reading the file took more than ${memoryMb} MB of memory`));
    else if ((user + system) / 1000 > cpuMs)
      onExcess(failed("too_slow", `reading the file took more than ${cpuMs / 1000} s of CPU time`));
  };
  // A worker that has just ended cannot be asked any more.
  const timer = setInterval(() => void look().catch(() => {}), WATCH_EVERY_MS);
  return {
    stop() {
      isStopped = true;
      clearInterval(timer);
    },
  };
}
