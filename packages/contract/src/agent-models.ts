import { z } from "zod";
import { identifier, pageOf, text, timestamp, webUrl, words } from "./values.ts";

const credits = z.number().min(0).max(1_000_000);

const modelFields = {
  url: webUrl.describe("Base URL of an OpenAI-compatible API, including /v1"),
  model: words(200),
};

export const SetModelRequest = z
  .strictObject({
    ...modelFields,
    api_key: text(2_000)
      .nullish()
      .describe("Stored encrypted and never shown. Unchanged if omitted; null removes it"),
    timeout_seconds: z.number().min(1).max(120).optional().describe("20 unless another was set"),
    input_credits_per_million: credits.optional().describe("Credits per million input tokens, for `usage`"),
    output_credits_per_million: credits.optional().describe("Credits per million output tokens, for `usage`"),
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
      .describe("Credits per million spoken characters, for `usage`"),
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
    asked: z.int().min(1).describe("How often it was asked, whatever the punctuation"),
    best_score: z.number().describe("Score of the nearest pair; 0 if there was none"),
    best_question: z.string().nullable(),
    best_doc_id: identifier.nullable(),
    first_time: timestamp,
    last_time: timestamp,
  })
  .meta({ id: "UnansweredQuestion" });
export type UnansweredQuestion = z.output<typeof UnansweredQuestion>;

export const UnansweredQuestionPage = pageOf(UnansweredQuestion).meta({ id: "UnansweredQuestionPage" });
export type UnansweredQuestionPage = z.output<typeof UnansweredQuestionPage>;
