import { z } from "zod";
import { identifier, pageOf, timestamp } from "./values.ts";

// Unanswered questions, with one entry for those that are alike.

const count = z.int().min(1);

export const QuestionGroup = z
  .object({
    question_id: identifier.describe("Of the question that stands for the group"),
    question: z.string().describe("The one asked most often"),
    asked: count.describe("How often its questions were asked, together"),
    phrasings: count.describe("How many questions it has"),
    questions: z
      .array(z.object({ question_id: identifier, question: z.string(), asked: count, last_time: timestamp }))
      .describe("Up to 50 of them, the one that stands for the group first"),
    best_question: z.string().nullable().describe("The stored question that is nearest to the first one"),
    best_score: z.number(),
    first_time: timestamp,
    last_time: timestamp,
  })
  .meta({ id: "QuestionGroup" });
export type QuestionGroup = z.output<typeof QuestionGroup>;

export const QuestionGroupPage = pageOf(QuestionGroup).meta({ id: "QuestionGroupPage" });
export type QuestionGroupPage = z.output<typeof QuestionGroupPage>;
