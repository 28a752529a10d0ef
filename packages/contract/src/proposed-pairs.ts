import { z } from "zod";
import { ANSWER_MAX_CHARACTERS, QUESTION_MAX_CHARACTERS } from "./knowledge.ts";
import { timestamp, words } from "./values.ts";

// Pairs that a program or a person proposes: they wait among the unanswered questions until an editor decides.

export const ProposePairRequest = z
  .strictObject({
    question: words(QUESTION_MAX_CHARACTERS),
    answer: words(ANSWER_MAX_CHARACTERS),
  })
  .meta({
    id: "ProposePairRequest",
    examples: [{ question: "Do you repair zippers?", answer: "Yes, within a week." }],
  });
export type ProposePairRequest = z.output<typeof ProposePairRequest>;

export const ProposedAnswer = z
  .object({
    answer: z.string(),
    proposed_by: z.string().describe("Name of the API key, operator token or account, at the time"),
    time: timestamp,
  })
  .meta({
    id: "ProposedAnswer",
    description: "An answer that waits for an editor. The agent does not give it",
  });
export type ProposedAnswer = z.output<typeof ProposedAnswer>;
