import { z } from "zod";
import { AgentPath } from "./agents.ts";
import { pairId } from "./pair-id.ts";
import { AgentDecision, PairAuthor } from "./pairs.ts";
import { identifier, pageOf, timestamp, words } from "./values.ts";

// Questions with the answer they should get, asked again after each import.

const count = z.int().min(0);

export const SAVED_QUESTIONS_MAX = 500;

export const SavedQuestionPath = AgentPath.extend({ saved_question_id: identifier });
export const SavedQuestionRunPath = AgentPath.extend({ run_id: identifier });

export const SaveQuestionRequest = z
  .strictObject({
    question: words(2_000).describe("As a user asks it. Saving it again changes the expected pair"),
    pair_id: pairId
      .nullish()
      .describe("The pair that should answer it. If omitted, the agent should not answer it"),
  })
  .meta({
    id: "SaveQuestionRequest",
    examples: [{ question: "What are your hours?", pair_id: "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21-1-1" }],
  });
export type SaveQuestionRequest = z.output<typeof SaveQuestionRequest>;

const texts = z.object({ question: z.string(), answer: z.string() });

export const SavedQuestionResult = z
  .object({
    saved_question_id: identifier,
    question: z.string(),
    expected: texts.nullable().describe("null: the agent should not answer"),
    passed: z
      .boolean()
      .describe(
        "The agent answers with the expected question or answer, or does not answer if it should not",
      ),
    change: z
      .enum(["same", "better", "worse", "new"])
      .describe("Compared with the run before. new: it was not asked then"),
    decision: AgentDecision,
    closest: texts.nullable().describe("The pair that is nearest to the question; null if there is none"),
    score: z.number().min(0).max(1).nullable(),
  })
  .meta({ id: "SavedQuestionResult" });
export type SavedQuestionResult = z.output<typeof SavedQuestionResult>;

export const SavedQuestion = z
  .object({
    saved_question_id: identifier,
    question: z.string(),
    expected: texts.nullable().describe("null: the agent should not answer"),
    last_result: SavedQuestionResult.pick({ passed: true, change: true, decision: true, closest: true })
      .extend({ run_id: identifier, time: timestamp })
      .nullable()
      .describe("The result in the last run of published content; null if it has not been asked yet"),
    author: PairAuthor.nullable(),
    create_time: timestamp,
  })
  .meta({ id: "SavedQuestion" });
export type SavedQuestion = z.output<typeof SavedQuestion>;

export const SavedQuestionPage = pageOf(SavedQuestion).meta({ id: "SavedQuestionPage" });
export type SavedQuestionPage = z.output<typeof SavedQuestionPage>;

export const SavedQuestionRun = z
  .object({
    run_id: identifier,
    trigger: z.enum(["manual", "import", "restore"]).describe("What started the run"),
    state: z.enum(["waiting", "finished", "failed"]),
    doc_id: identifier.nullable().describe("The document that was imported or restored"),
    revision: count.nullable(),
    held: z.boolean().describe("The content was held back: these are the answers it would have given"),
    total: count,
    passed: count,
    better: count.describe("Questions that failed in the run before and pass now"),
    worse: count.describe("Questions that passed in the run before and fail now"),
    create_time: timestamp,
    finish_time: timestamp.nullable(),
  })
  .meta({ id: "SavedQuestionRun" });
export type SavedQuestionRun = z.output<typeof SavedQuestionRun>;

export const SavedQuestionRunPage = pageOf(SavedQuestionRun).meta({ id: "SavedQuestionRunPage" });
export type SavedQuestionRunPage = z.output<typeof SavedQuestionRunPage>;

export const SavedQuestionRunDetail = SavedQuestionRun.extend({
  results: z.array(SavedQuestionResult),
}).meta({ id: "SavedQuestionRunDetail" });
export type SavedQuestionRunDetail = z.output<typeof SavedQuestionRunDetail>;
