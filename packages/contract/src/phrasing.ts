import { z } from "zod";
import { words } from "./values.ts";

/** What a message is that asks nothing. */
export const SMALL_TALK_KINDS = [
  "greeting",
  "how_are_you",
  "thanks",
  "apology",
  "goodbye",
  "identity",
  "acknowledgement",
  "insult",
  "emoji",
] as const;
export const SmallTalkKind = z.enum(SMALL_TALK_KINDS);
export type SmallTalkKind = z.output<typeof SmallTalkKind>;

export const SmallTalkSettings = z
  .strictObject({
    enabled: z.boolean().describe("If false, small talk is searched for like any question"),
    replies: z
      .partialRecord(SmallTalkKind, words(1_000))
      .optional()
      .describe("Reply to each kind of small talk. Kinds left out use the default text"),
  })
  .meta({ id: "SmallTalkSettings" });
export type SmallTalkSettings = z.output<typeof SmallTalkSettings>;

const GROUPS_MAX = 500;
const MEMBERS_MAX = 30;

export const synonymGroups = z.array(z.array(words(60)).min(2).max(MEMBERS_MAX)).max(GROUPS_MAX);
