import { parentPort } from "node:worker_threads";

export type ToMain<Note, Result> = { kind: "note"; note: Note } | { kind: "done"; result: Result };
export type ToWorker = { kind: "more" };

/** A worker may be this many notes ahead of their reader: enough to keep both busy, too few to fill memory. */
const NOTES_AHEAD = 2;

/** What a worker sends: notes on the way, with the reader setting the pace, then its result. */
export function openWorkerSide<Note, Result>() {
  const port = parentPort;
  if (port === null) throw new Error("this file runs as a worker thread only");
  let credit = NOTES_AHEAD;
  let wake: (() => void) | undefined;
  port.on("message", () => {
    credit += 1;
    wake?.();
  });
  return {
    async note(note: Note): Promise<void> {
      port.postMessage({ kind: "note", note } satisfies ToMain<Note, Result>);
      credit -= 1;
      while (credit <= 0) await new Promise<void>((resolve) => (wake = resolve));
    },
    done(result: Result): void {
      port.postMessage({ kind: "done", result } satisfies ToMain<Note, Result>);
    },
  };
}
