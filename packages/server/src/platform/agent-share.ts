import { createFairSemaphore } from "./fair-semaphore.ts";
import { refuseBeyond, type LimitName, type Refusal } from "./refusal.ts";

/** Thrown by work between the limit and the handler that answers the caller; answered as its refusal. */
export class LimitReached extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.advice);
    this.refusal = refusal;
  }
}

/** Runs work of one agent within its share of something this node has little of; agents take turns. */
export type AgentShare = <Result>(agentId: string, work: () => Promise<Result>) => Promise<Result>;

/** Takes a place of the holder's share; gives the function that leaves it. */
export type TakePlace = (holder: string) => Promise<() => void>;

export interface ShareOptions {
  name: LimitName;
  total: number;
  perHolder: number;
  waitMs: number;
  /** After work that took a while the holder's place stays taken for this share of that time. */
  restShare?: number;
  /** For the message of the refusal. */
  holderIs: string;
}

export interface AgentShareOptions extends Omit<ShareOptions, "perHolder" | "holderIs"> {
  perAgent: number;
}

/** Shorter work is over before anybody has waited for it. */
const REST_FROM_MS = 50;
/** One holder's requests beyond these would only wait longer than their callers do. */
const WAITING_PER_HOLDER = 200;
const RETRY_AFTER_SECONDS = 2;

/** Places that holders share: each has its own most, and they take turns. */
export function createPlaces({
  name,
  total,
  perHolder,
  waitMs,
  restShare = 0,
  holderIs,
}: ShareOptions): TakePlace {
  const most = Math.min(perHolder, total);
  const semaphore = createFairSemaphore({
    permits: total,
    permitsPerKey: most,
    waitingPerKey: WAITING_PER_HOLDER,
  });
  return async (holder) => {
    const release = await semaphore.acquire(holder, waitMs);
    if (release === undefined)
      throw new LimitReached(
        refuseBeyond(
          { name, most },
          `this ${holderIs} has reached its limit of ${most} concurrent operations; try again shortly`,
          RETRY_AFTER_SECONDS,
        ),
      );
    const beganAt = performance.now();
    return () => {
      const tookMs = performance.now() - beganAt;
      if (tookMs < REST_FROM_MS || restShare === 0) release();
      else setTimeout(release, tookMs * restShare).unref();
    };
  };
}

export function createAgentShare({ perAgent, ...options }: AgentShareOptions): AgentShare {
  const takePlace = createPlaces({ ...options, perHolder: perAgent, holderIs: "agent" });
  return async (agentId, work) => {
    const leave = await takePlace(agentId);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
