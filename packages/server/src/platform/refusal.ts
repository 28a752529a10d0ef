import type { FailureName } from "@signalbox/contract";

/** Every limit a caller can run into; each counts its refusals in `signalbox_limit_refusals_total`. */
export const LIMIT_NAMES = [
  "address",
  "address_connections",
  "connections",
  "api_key",
  "account",
  "operator_token",
  "desk_address",
  "webhook_checks",
  "sign_in",
  "visitor",
  "visitor_messages_minute",
  "visitor_messages_day",
  "visitor_streams",
  "agent_streams",
  "operator_streams",
  "account_streams",
  "agent_operator_streams",
  "account_transactions",
  "agent_transactions",
  "agent_searches",
  "agent_document_writes",
  "agent_waiting_files",
  "agent_model_calls",
  "agent_model_tokens_day",
  "visitor_model_tokens_day",
  "body_values",
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];

/** The limit that stood in the way, for the RateLimit headers and the count of refusals. */
export interface ReachedLimit {
  name: LimitName;
  most: number;
}

/** An ordinary failure a caller may see. It is returned, never thrown: whatever is thrown is a bug and answers 50000. */
export class Refusal {
  readonly failure: FailureName;
  readonly advice: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly limit: ReachedLimit | undefined;

  constructor(failure: FailureName, advice?: string, retryAfterSeconds?: number, limit?: ReachedLimit) {
    this.failure = failure;
    this.advice = advice;
    this.retryAfterSeconds = retryAfterSeconds;
    this.limit = limit;
  }
}

export function refuse(failure: FailureName, advice?: string): Refusal {
  return new Refusal(failure, advice);
}

/** What follows a change, unless it was refused. */
export async function unlessRefused<Result>(
  change: Promise<Result | Refusal>,
  follow: () => Promise<unknown>,
): Promise<Result | Refusal> {
  const result = await change;
  if (!(result instanceof Refusal)) await follow();
  return result;
}

/** 429, with the limit in its headers. */
export function refuseBeyond(limit: ReachedLimit, advice: string, retryAfterSeconds: number): Refusal {
  return new Refusal("tooManyRequests", advice, retryAfterSeconds, limit);
}
