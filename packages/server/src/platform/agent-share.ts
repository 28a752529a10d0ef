import { createFairSemaphore } from "./fair-semaphore.ts";
import { refuseBeyond, type LimitName, type Refusal } from "./refusal.ts";

/** Thrown where work stands between the limit and whoever answers the caller, and answered as its refusal. */
export class LimitReached extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.advice);
    this.refusal = refusal;
  }
}

/** Runs work of one agent within its share of something this node has little of; agents take turns. */
export type AgentShare = <Result>(agentId: string, work: () => Promise<Result>) => Promise<Result>;

export interface AgentShareOptions {
  name: LimitName;
  total: number;
  perAgent: number;
  waitMs: number;
  /** After work that took a while the agent's place stays taken for this share of that time. */
  restShare?: number;
}

/** Shorter work is over before anybody has waited for it. */
const REST_FROM_MS = 50;
/** One agent's requests beyond these would only wait longer than their callers do. */
const WAITING_PER_AGENT = 200;
const RETRY_AFTER_SECONDS = 2;

export function createAgentShare({
  name,
  total,
  perAgent,
  waitMs,
  restShare = 0,
}: AgentShareOptions): AgentShare {
  const most = Math.min(perAgent, total);
  const semaphore = createFairSemaphore({
    permits: total,
    permitsPerKey: most,
    waitingPerKey: WAITING_PER_AGENT,
  });
  return async (agentId, work) => {
    const release = await semaphore.acquire(agentId, waitMs);
    if (release === undefined)
      throw new LimitReached(
        refuseBeyond(
          { name, most },
          `this agent has reached its limit of ${most} concurrent operations; try again shortly`,
          RETRY_AFTER_SECONDS,
        ),
      );
    const beganAt = performance.now();
    try {
      return await work();
    } finally {
      const tookMs = performance.now() - beganAt;
      if (tookMs < REST_FROM_MS || restShare === 0) release();
      else setTimeout(release, tookMs * restShare).unref();
    }
  };
}
