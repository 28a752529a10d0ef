import { zeroUsage, type Usage } from "@signalbox/contract";
import type { ConfiguredModels } from "../agents/index.ts";
import { NO_USAGE, perMillion, type ModelUsage } from "../platform/index.ts";

/** Section 2.5, `usage`: what this turn consumed, of the models that spoke and of the one that read the question. */
export function usageOf(
  { embedding, speech }: ConfiguredModels,
  consumed: { chat: ModelUsage | undefined; embeddingTokens: number; spokenCharacters: number },
): Usage {
  const usage = zeroUsage();
  const { promptTokens, completionTokens, reasoningTokens, inputCredits, outputCredits } =
    consumed.chat ?? NO_USAGE;
  const { tokens, credits } = usage;
  tokens.prompt_tokens = promptTokens + consumed.embeddingTokens;
  tokens.completion_tokens = completionTokens;
  tokens.total_tokens = tokens.prompt_tokens + tokens.completion_tokens;
  tokens.prompt_tokens_details.text_tokens = tokens.prompt_tokens;
  tokens.completion_tokens_details.reasoning_tokens = reasoningTokens;
  tokens.completion_tokens_details.text_tokens = Math.max(0, completionTokens - reasoningTokens);
  credits.text_input_credits =
    inputCredits + perMillion(consumed.embeddingTokens, embedding?.inputCreditsPerMillion);
  credits.text_output_credits = outputCredits;
  // Servers of speech count no tokens; what they are paid for is characters.
  credits.audio_output_credits = perMillion(consumed.spokenCharacters, speech?.outputCreditsPerMillion);
  credits.total_credits =
    credits.text_input_credits + credits.text_output_credits + credits.audio_output_credits;
  return usage;
}
