import { z } from "zod";
import { ModelFailure } from "./model-failures.ts";
import { ProposedAnswer } from "./proposed-pairs.ts";
import { identifier, pageOf, text, timestamp, webUrl, words } from "./values.ts";

const credits = z.number().min(0).max(1_000_000);

const OPERATIONS = /\/(?:chat\/completions|completions|responses|embeddings|audio\/speech|models)\/*$/i;

/** A URL that no call could work with is refused while somebody looks, not when the first user asks. */
function baseUrlProblem(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null) return undefined;
  if (url.search !== "" || url.hash !== "")
    return "must be a base URL without a query, such as https://api.example.com/v1. For Azure OpenAI enter https://NAME.openai.azure.com/openai/v1";
  const operation = OPERATIONS.exec(url.pathname)?.[0];
  if (operation === undefined) return undefined;
  return `must be a base URL without ${operation}, such as https://api.example.com/v1`;
}

const modelFields = {
  url: webUrl
    .check(({ value, issues }) => {
      const problem = baseUrlProblem(value);
      if (problem !== undefined)
        issues.push({ code: "custom", input: value, message: problem, continue: true });
    })
    .describe("Base URL of an OpenAI-compatible API, including /v1, without the path of an operation"),
  model: words(200),
};

export const SetModelRequest = z
  .strictObject({
    ...modelFields,
    api_key: text(2_000)
      .nullish()
      .meta({
        description:
          "Stored encrypted and never shown. Unchanged if omitted; null removes it. Required again when url changes to another server",
        examples: ["the key of your model's provider"],
      }),
    timeout_seconds: z.number().min(1).max(120).optional().describe("20 unless another was set"),
    input_credits_per_million: credits.optional().describe("Credits per million input tokens, for `usage`"),
    output_credits_per_million: credits.optional().describe("Credits per million output tokens, for `usage`"),
  })
  .meta({ id: "SetModelRequest" });
export type SetModelRequest = z.output<typeof SetModelRequest>;

/** What is left out is as it is stored. */
export const TestModelRequest = SetModelRequest.omit({
  input_credits_per_million: true,
  output_credits_per_million: true,
})
  .partial()
  .meta({ id: "TestModelRequest" });
export type TestModelRequest = z.output<typeof TestModelRequest>;

const storedFields = {
  url: z.string(),
  model: z.string(),
  api_key_set: z.boolean(),
  timeout_seconds: z.number(),
  output_credits_per_million: credits,
  update_time: timestamp,
  failure: ModelFailure.nullable().describe("Why the last call failed; null if it did not"),
};

export const AgentModel = z
  .object({ ...storedFields, input_credits_per_million: credits })
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

export const TestSpeechModelRequest = TestModelRequest.extend({
  voice: speechFields.voice.optional(),
  format: speechFields.format.optional(),
}).meta({ id: "TestSpeechModelRequest" });
export type TestSpeechModelRequest = z.output<typeof TestSpeechModelRequest>;

export const SpeechModel = z.object({ ...storedFields, ...speechFields }).meta({ id: "SpeechModel" });
export type SpeechModel = z.output<typeof SpeechModel>;

export const UnansweredQuestion = z
  .object({
    question_id: identifier,
    question: z.string(),
    asked: z
      .int()
      .min(0)
      .describe("How often it was asked, whatever the punctuation; 0 if it was only proposed"),
    best_score: z.number().describe("Score of the nearest pair; 0 if there was none"),
    best_question: z.string().nullable(),
    best_doc_id: identifier.nullable(),
    first_time: timestamp,
    last_time: timestamp,
    proposal: ProposedAnswer.nullable(),
  })
  .meta({ id: "UnansweredQuestion" });
export type UnansweredQuestion = z.output<typeof UnansweredQuestion>;

export const UnansweredQuestionPage = pageOf(UnansweredQuestion).meta({ id: "UnansweredQuestionPage" });
export type UnansweredQuestionPage = z.output<typeof UnansweredQuestionPage>;
