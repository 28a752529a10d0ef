import type { DailyUse } from "./daily-use.ts";
import { createFairSemaphore } from "./fair-semaphore.ts";
import type { Metrics } from "./metrics.ts";
import type { ModelFailure } from "./model-client.ts";

/** What one agent may ask of its models. */
export interface ModelQuota {
  of(agentId: string): MeterCall;
}

/** Makes one call and counts its tokens, or says why it may not be made. */
export type MeterCall = <Result>(call: MeteredCall<Result>) => Promise<Result | ModelFailure>;

export interface MeteredCall<Result> {
  make: () => Promise<Result>;
  tokensOf: (result: Result) => number;
  /** How long a free place is waited for. */
  waitMs: number;
  signal?: AbortSignal | undefined;
}

export interface ModelQuotaOptions {
  callsAtOnce: number;
  /** 0: as many as it likes. */
  tokensPerDay: number;
  use: Pick<DailyUse, "usedToday" | "add">;
  refusals: Metrics["limitRefusals"];
}

const OVER_QUOTA_RETRY_MS = 600_000;
const NO_PLACE_RETRY_MS = 2_000;

export function createModelQuota(options: ModelQuotaOptions): ModelQuota {
  const { callsAtOnce, tokensPerDay, use, refusals } = options;
  const places = createFairSemaphore({ permits: Infinity, permitsPerKey: callsAtOnce });
  return {
    of(agentId) {
      const tokens = { agentId, kind: "model_tokens", subject: "" } as const;
      return async ({ make, tokensOf, waitMs, signal }) => {
        if (tokensPerDay > 0 && (await use.usedToday(tokens)) >= tokensPerDay) {
          refusals.inc({ limit: "agent_model_tokens_day" });
          const detail = `this agent has used its ${tokensPerDay} tokens of today`;
          return { kind: "failed", cause: "over_quota", detail, retryAfterMs: OVER_QUOTA_RETRY_MS };
        }
        const release = await places.acquire(agentId, waitMs, signal);
        if (release === undefined) {
          if (signal?.aborted === true)
            return { kind: "failed", cause: "called_off", detail: "the call was called off" };
          refusals.inc({ limit: "agent_model_calls" });
          const detail = `this agent has ${callsAtOnce} calls of its models under way and may have no more`;
          return { kind: "failed", cause: "rate_limited", detail, retryAfterMs: NO_PLACE_RETRY_MS };
        }
        try {
          const result = await make();
          use.add(tokens, tokensOf(result));
          return result;
        } finally {
          release();
        }
      };
    },
  };
}

/** For whoever calls a model on nobody's account. */
export const UNMETERED: MeterCall = ({ make }) => make();
