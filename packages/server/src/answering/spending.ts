import { NO_USAGE, sumUsage, type ModelUsage } from "../platform/index.ts";

/** What an answer is made of, each with its time and its tokens. */
export type AnswerPart = "search" | "rewrite" | "model" | "speech";

export interface Spent {
  part: AnswerPart;
  seconds: number;
  promptTokens: number;
  completionTokens: number;
}

export type OnSpent = (spent: Spent) => void;

/** Runs one part of an answer and says what it took. */
export async function measure<Result>(
  onSpent: OnSpent | undefined,
  part: AnswerPart,
  work: () => Promise<Result>,
  usageOf: (result: Result) => Partial<ModelUsage> | undefined = () => undefined,
): Promise<Result> {
  const begun = performance.now();
  const result = await work();
  const { promptTokens, completionTokens } = { ...NO_USAGE, ...usageOf(result) };
  onSpent?.({ part, seconds: (performance.now() - begun) / 1_000, promptTokens, completionTokens });
  return result;
}

export function addUsage(one: ModelUsage | undefined, other: ModelUsage | undefined): ModelUsage | undefined {
  return one === undefined || other === undefined ? (one ?? other) : sumUsage(one, other);
}
