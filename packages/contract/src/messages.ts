import { z } from "zod";
import { identifier, timestamp } from "./values.ts";

const tokenCount = z.int().min(0);
const creditAmount = z.number().min(0);

export const TokenUsage = z
  .strictObject({
    total_tokens: tokenCount,
    prompt_tokens: tokenCount,
    completion_tokens: tokenCount,
    prompt_tokens_details: z.strictObject({ audio_tokens: tokenCount, text_tokens: tokenCount }),
    completion_tokens_details: z.strictObject({
      reasoning_tokens: tokenCount,
      audio_tokens: tokenCount,
      text_tokens: tokenCount,
    }),
  })
  .meta({ id: "TokenUsage" });

export const Usage = z
  .strictObject({
    tokens: TokenUsage,
    credits: z.strictObject({
      total_credits: creditAmount,
      text_input_credits: creditAmount,
      text_output_credits: creditAmount,
      audio_input_credits: creditAmount,
      audio_output_credits: creditAmount,
    }),
  })
  .meta({ id: "Usage", description: "What this message's turn consumed" });
export type Usage = z.output<typeof Usage>;

/** A human's reply and an answer without a model cost nothing, and say so. */
export function zeroUsage(): Usage {
  return {
    tokens: {
      total_tokens: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      prompt_tokens_details: { audio_tokens: 0, text_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, text_tokens: 0 },
    },
    credits: {
      total_credits: 0,
      text_input_credits: 0,
      text_output_credits: 0,
      audio_input_credits: 0,
      audio_output_credits: 0,
    },
  };
}

export const OutputItem = z
  .strictObject({
    from_component_branch: z.string().describe("direct, model, fallback, human or notice"),
    from_component_name: z.string().describe("The component that spoke"),
    content: z.strictObject({
      text: z.string().meta({ examples: ["At nine, every day but Sunday."] }),
      audio: z
        .array(z.strictObject({ audio: z.url(), transcript: z.string() }))
        .describe("Empty if the answer was not spoken"),
    }),
  })
  .meta({ id: "OutputItem" });
export type OutputItem = z.output<typeof OutputItem>;

/** Section 2.5, exactly: what we would like to add travels in headers. */
export const AgentResponseMessage = z
  .strictObject({
    user_id: z.string().nullable().describe("User id bound by the developer; null if none is bound"),
    anonymous_id: z
      .string()
      .nullable()
      .describe("Anonymous user (device); null on the API unless the caller gave one"),
    conversation_id: identifier,
    message_id: identifier,
    create_time: timestamp,
    output: z.array(OutputItem),
    usage: Usage,
    istest: z.boolean().optional().describe("true on an availability test: answer 200 and do nothing else"),
  })
  .meta({ id: "AgentResponseMessage" });
export type AgentResponseMessage = z.output<typeof AgentResponseMessage>;

/** Section 4.5: what a developer answers, with HTTP 200. */
export const MessageAcknowledgement = z
  .object({ code: z.literal(200), msg: z.literal("success") })
  .meta({ id: "MessageAcknowledgement" });
export type MessageAcknowledgement = z.output<typeof MessageAcknowledgement>;
