import { z } from "zod";
import { identifier, pageOf, text, timestamp, webUrl, words } from "./values.ts";

const credits = z.number().min(0).max(1_000_000);

const modelFields = {
  url: webUrl.describe("An OpenAI-compatible address, up to and including /v1"),
  model: words(200),
};

export const SetModelRequest = z
  .strictObject({
    ...modelFields,
    api_key: text(2_000)
      .nullish()
      .describe("Stored sealed and never shown; left out it stays, null removes it"),
    timeout_seconds: z.number().min(1).max(120).optional().describe("20 when it was never set"),
    input_credits_per_million: credits.optional().describe("What a million input tokens count in `usage`"),
    output_credits_per_million: credits.optional().describe("What a million output tokens count in `usage`"),
  })
  .meta({ id: "SetModelRequest" });
export type SetModelRequest = z.output<typeof SetModelRequest>;

export const AgentModel = z
  .object({
    url: z.string(),
    model: z.string(),
    api_key_set: z.boolean(),
    timeout_seconds: z.number(),
    input_credits_per_million: credits,
    output_credits_per_million: credits,
    update_time: timestamp,
  })
  .meta({ id: "AgentModel" });
export type AgentModel = z.output<typeof AgentModel>;

const speechFields = {
  voice: words(100),
  format: z.enum(["mp3", "opus", "aac", "flac", "wav"]),
};

export const SetSpeechModelRequest = SetModelRequest.omit({
  input_credits_per_million: true,
  output_credits_per_million: true,
})
  .extend({
    ...speechFields,
    format: speechFields.format.default("mp3"),
    output_credits_per_million: credits
      .optional()
      .describe("What a million characters that are spoken count in `usage`"),
  })
  .meta({ id: "SetSpeechModelRequest" });
export type SetSpeechModelRequest = z.output<typeof SetSpeechModelRequest>;

export const SpeechModel = AgentModel.omit({ input_credits_per_million: true })
  .extend(speechFields)
  .meta({ id: "SpeechModel" });
export type SpeechModel = z.output<typeof SpeechModel>;

export const UnansweredQuestion = z
  .object({
    question_id: identifier,
    question: z.string(),
    asked: z.int().min(1).describe("How often, however it was punctuated"),
    best_score: z.number().describe("Of the pair that came nearest; 0 when none did"),
    best_question: z.string().nullable(),
    best_doc_id: identifier.nullable(),
    first_time: timestamp,
    last_time: timestamp,
  })
  .meta({ id: "UnansweredQuestion" });
export type UnansweredQuestion = z.output<typeof UnansweredQuestion>;

export const UnansweredQuestionPage = pageOf(UnansweredQuestion).meta({ id: "UnansweredQuestionPage" });
export type UnansweredQuestionPage = z.output<typeof UnansweredQuestionPage>;
