import { z } from "zod";
import { AgentPath } from "./agents.ts";
import { AddPairRequest } from "./pairs.ts";
import { identifier, pageOf, timestamp } from "./values.ts";

// What humans answered in handoffs, offered as pairs.

export const HumanAnswerPath = AgentPath.extend({ answer_id: identifier });

export const HumanAnswer = z
  .object({
    answer_id: identifier,
    conversation_id: identifier,
    handoff_id: identifier,
    question: z.string().describe("What the user asked. Email addresses and long numbers are masked"),
    answer: z.string().describe("What the human replied, masked like the question"),
    time: timestamp,
  })
  .meta({ id: "HumanAnswer" });
export type HumanAnswer = z.output<typeof HumanAnswer>;

export const HumanAnswerPage = pageOf(HumanAnswer).meta({ id: "HumanAnswerPage" });
export type HumanAnswerPage = z.output<typeof HumanAnswerPage>;

export const AcceptHumanAnswerRequest = AddPairRequest.omit({ question_id: true, question_ids: true }).meta({
  id: "AcceptHumanAnswerRequest",
  examples: [{ question: "Do you repair zippers?", answer: "Yes, within a week." }],
});
export type AcceptHumanAnswerRequest = z.output<typeof AcceptHumanAnswerRequest>;
