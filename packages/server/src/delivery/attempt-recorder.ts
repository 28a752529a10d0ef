import type { Database, Log } from "../platform/index.ts";
import { settle, type Settled, type Settlement } from "./lane-store.ts";

/** Writes outcomes of many lanes in one commit. */
export interface AttemptRecorder {
  record(settlement: Settlement): Promise<Settled>;
}

interface Waiting {
  settlement: Settlement;
  resolve: (settled: Settled) => void;
  reject: (error: unknown) => void;
}

const BATCH_MAX = 500;

/**
 * What arrives while a commit is under way goes into the next one, so the batch grows with the load and nobody waits
 * for a timer. Lanes never meet in a batch twice: a drain waits for its outcome before it records another.
 */
export function createAttemptRecorder(db: Database, log: Log): AttemptRecorder {
  let queue: Waiting[] = [];
  let writing = false;

  async function write(): Promise<void> {
    writing = true;
    while (queue.length > 0) {
      const batch = queue.slice(0, BATCH_MAX);
      queue = queue.slice(BATCH_MAX);
      const byAgent = Map.groupBy(batch, ({ settlement }) => settlement.agentId);
      await Promise.all([...byAgent].map(([agentId, waiting]) => writeOne(agentId, waiting)));
    }
    writing = false;
  }

  async function writeOne(agentId: string, waiting: Waiting[]): Promise<void> {
    try {
      const settled = await settle(
        db,
        agentId,
        waiting.map(({ settlement }) => settlement),
      );
      for (const { settlement, resolve } of waiting)
        resolve(settled.get(settlement.laneId) ?? { held: false });
    } catch (error) {
      if (waiting.length === 1) {
        waiting[0]?.reject(error);
        return;
      }
      log.warn({ err: error, size: waiting.length }, "a batch of outcomes failed and is written one by one");
      for (const one of waiting) await writeOne(agentId, [one]);
    }
  }

  return {
    record: (settlement) =>
      new Promise((resolve, reject) => {
        queue.push({ settlement, resolve, reject });
        // The turn of the event loop ends first, so that outcomes of the same moment share their commit.
        if (!writing) {
          writing = true;
          setImmediate(() => void write());
        }
      }),
  };
}
