/** What one or several calls of chat models used, and what they cost at the prices of the models that replied. */
export interface ModelUsage {
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
  inputCredits: number;
  outputCredits: number;
}

export const NO_USAGE: ModelUsage = {
  promptTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
  inputCredits: 0,
  outputCredits: 0,
};

export function sumUsage(one: ModelUsage, other: ModelUsage): ModelUsage {
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    completionTokens: one.completionTokens + other.completionTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    inputCredits: one.inputCredits + other.inputCredits,
    outputCredits: one.outputCredits + other.outputCredits,
  };
}

export function perMillion(count: number, credits = 0): number {
  return (count * credits) / 1_000_000;
}
