import type { FailureName } from "@signalbox/contract";

/** An ordinary failure a caller may see. It is returned, never thrown: whatever is thrown is a bug and answers 50000. */
export class Refusal {
  readonly failure: FailureName;
  readonly advice: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(failure: FailureName, advice?: string, retryAfterSeconds?: number) {
    this.failure = failure;
    this.advice = advice;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function refuse(failure: FailureName, advice?: string): Refusal {
  return new Refusal(failure, advice);
}
