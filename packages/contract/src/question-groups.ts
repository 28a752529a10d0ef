import { z } from "zod";
import { ProposedAnswer } from "./proposed-pairs.ts";
import { identifier, pageOf, timestamp } from "./values.ts";

// Questions without a good answer, with one entry for those that are alike.

const count = z.int().min(1);
const asked = z.int().min(0);
const poorlyRated = z.int().min(0);

export const QuestionGroup = z
  .object({
    question_id: identifier.describe("The question that stands for the group"),
    question: z.string().describe("The one asked most often"),
    asked: asked.describe(
      "How often its questions got no answer or a poorly rated one, together; 0 if they were only proposed",
    ),
    poorly_rated: poorlyRated.describe("How often users rated the answer as bad"),
    phrasings: count.describe("How many questions it has"),
    questions: z
      .array(
        z.object({
          question_id: identifier,
          question: z.string(),
          asked,
          poorly_rated: poorlyRated,
          proposal: ProposedAnswer.nullable(),
          last_time: timestamp,
        }),
      )
      .describe("Up to 50 of them, the one that stands for the group first"),
    poor_ratings: z
      .array(
        z.object({
          conversation_id: identifier,
          message_id: identifier.describe("The agent's message that was rated"),
          answer: z.string(),
          comment: z.string().nullable(),
          time: timestamp,
        }),
      )
      .describe("The last 5 ratings as bad, newest first"),
    best_question: z.string().nullable().describe("The stored question that is nearest to the first one"),
    best_score: z.number(),
    first_time: timestamp,
    last_time: timestamp,
  })
  .meta({ id: "QuestionGroup" });
export type QuestionGroup = z.output<typeof QuestionGroup>;

export const QuestionGroupPage = pageOf(QuestionGroup).meta({ id: "QuestionGroupPage" });
export type QuestionGroupPage = z.output<typeof QuestionGroupPage>;
