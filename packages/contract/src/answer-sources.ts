import { z } from "zod";
import { pairId } from "./pair-id.ts";
import { identifier } from "./values.ts";

/** A pair that an answer stands on, as it was when the answer was given. */
export const AnswerSource = z
  .strictObject({
    pair_id: pairId,
    doc_id: identifier,
    question: z.string().nullable().describe("The pair's question; null if it gives orders to a model"),
  })
  .meta({ id: "AnswerSource" });
export type AnswerSource = z.output<typeof AnswerSource>;

export const AnswerSources = z
  .array(AnswerSource)
  .describe(
    "Pairs that the answer stands on: the one it was taken from, or those that the model cites, in the order of their citations. Empty if it stands on none",
  );

export const MessageSourcesPath = z.strictObject({ message_id: identifier });

export const MessageSources = z
  .strictObject({ conversation_id: identifier, message_id: identifier, sources: AnswerSources })
  .meta({ id: "MessageSources" });
export type MessageSources = z.output<typeof MessageSources>;
