import { z } from "zod";
import { absentIfEmpty, identifier, timestamp, words } from "./values.ts";

// What users think of an answer, or of a conversation that ended.

const COMMENT_MAX_CHARACTERS = 500;

export const Rating = z.enum(["good", "bad"]).meta({ id: "Rating" });
export type Rating = z.output<typeof Rating>;

export const RateChatRequest = z
  .object({
    rating: Rating,
    message_id: absentIfEmpty(identifier).describe(
      "The agent's message that is rated. Omit it to rate the conversation: the one with its last human, if there was one",
    ),
    comment: absentIfEmpty(words(COMMENT_MAX_CHARACTERS)).describe("What the user adds in words"),
  })
  .meta({ id: "RateChatRequest" });
export type RateChatRequest = z.output<typeof RateChatRequest>;

/** The rating of one answer, as operators see it. */
export const GivenRating = z
  .object({ rating: Rating, comment: z.string().nullable(), time: timestamp })
  .meta({ id: "GivenRating" });
export type GivenRating = z.output<typeof GivenRating>;
