import type { ModelKind } from "@signalbox/contract";
import type { DailyUse } from "./daily-use.ts";
import { createFairSemaphore } from "./fair-semaphore.ts";
import type { Metrics } from "./metrics.ts";
import type { ModelFailure } from "./model-client.ts";
import { createModelDialects, type ModelDialects } from "./model-dialects.ts";

/** What one agent may ask of its models. */
export interface ModelQuota {
  /** A trial of settings that are not stored says nothing of the stored model. */
  of(agentId: string, options?: { isTrial?: boolean }): ModelCalls;
}

/** With what a model is called on an agent's account. */
export interface ModelCalls {
  meter: MeterCall;
  dialects: ModelDialects;
}

/** Makes one call and counts its tokens, or says why it may not be made. */
export type MeterCall = <Result>(call: MeteredCall<Result>) => Promise<Result | ModelFailure>;

export interface MeteredCall<Result> {
  kind: ModelKind;
  /** As it was read with the model: its last call failed. */
  isFailing: boolean;
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
  dialects: ModelDialects;
  /** Told how each call that was made ended. */
  onEnded?: (call: EndedCall) => void;
}

/** A call of a model, with its failure unless it replied. */
export interface EndedCall {
  agentId: string;
  kind: ModelKind;
  wasFailing: boolean;
  failure: ModelFailure | undefined;
}

const OVER_QUOTA_RETRY_MS = 600_000;
const NO_PLACE_RETRY_MS = 2_000;

export function createModelQuota(options: ModelQuotaOptions): ModelQuota {
  const { callsAtOnce, tokensPerDay, use, refusals, dialects, onEnded } = options;
  const places = createFairSemaphore({ permits: Infinity, permitsPerKey: callsAtOnce });
  return {
    of(agentId, { isTrial = false } = {}) {
      const tokens = { agentId, kind: "model_tokens", subject: "" } as const;
      const meter: MeterCall = async ({ kind, isFailing, make, tokensOf, waitMs, signal }) => {
        if (tokensPerDay > 0 && (await use.usedToday(tokens)) >= tokensPerDay) {
          refusals.inc({ limit: "agent_model_tokens_day" });
          const detail = `this agent has used its ${tokensPerDay} tokens of today`;
          return refusedCall("over_quota", detail, OVER_QUOTA_RETRY_MS);
        }
        const release = await places.acquire(agentId, waitMs, signal);
        if (release === undefined) {
          if (signal?.aborted === true)
            return { kind: "failed", cause: "called_off", detail: "the call was called off" };
          refusals.inc({ limit: "agent_model_calls" });
          const detail = `this agent has ${callsAtOnce} calls of its models under way and may have no more`;
          return refusedCall("rate_limited", detail, NO_PLACE_RETRY_MS);
        }
        try {
          const result = await make();
          use.add(tokens, tokensOf(result));
          if (!isTrial) onEnded?.({ agentId, kind, wasFailing: isFailing, failure: failureIn(result) });
          return result;
        } finally {
          release();
        }
      };
      return { meter, dialects };
    },
  };
}

function refusedCall(cause: ModelFailure["cause"], detail: string, retryAfterMs: number): ModelFailure {
  return { kind: "failed", cause, detail, retryAfterMs, isOwnLimit: true };
}

function failureIn(result: unknown): ModelFailure | undefined {
  const isFailure =
    typeof result === "object" && result !== null && "kind" in result && result.kind === "failed";
  return isFailure ? (result as ModelFailure) : undefined;
}

/** For a call of a model that no quota counts. */
export function unmetered(): ModelCalls {
  return { meter: ({ make }) => make(), dialects: createModelDialects() };
}
