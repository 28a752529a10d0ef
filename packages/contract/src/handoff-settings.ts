import { z } from "zod";
import { words } from "./values.ts";

export const NOTICE_NAMES = [
  "connecting",
  "busy",
  "away",
  "message_left",
  "first_reply_warning",
  "first_reply_timeout",
  "human_idle_warning",
  "human_idle_timeout",
  "user_idle_warning",
  "user_idle_timeout",
  "human_closed",
  "user_closed",
  "desk_lost",
  "cannot_join",
] as const;
export type NoticeName = (typeof NOTICE_NAMES)[number];

const noticeText = words(2_000).nullable().describe("null disables the notice");
const noticeTexts = z.strictObject({ en: noticeText.optional(), "zh-CN": noticeText.optional() });
const phrases = z.array(words(100)).max(200);
const warnSeconds = z.int().min(0).max(86_400);

export const HandoffTimer = z
  .strictObject({
    seconds: z.int().min(1).max(604_800),
    warn_seconds: z
      .union([warnSeconds, z.array(warnSeconds).max(5)], {
        error: "must be a number of seconds or a list of them",
      })
      .describe("How long before the timeout the user is warned; several values warn several times, 0 never"),
  })
  .refine(
    ({ seconds, warn_seconds }) => [warn_seconds].flat().every((warn) => warn < seconds),
    "warn_seconds must be less than seconds",
  )
  .meta({ id: "HandoffTimer" });
export type HandoffTimer = z.output<typeof HandoffTimer>;

const timer = (shipped: HandoffTimer) => HandoffTimer.default(shipped);

const settingFields = {
  phrases: z
    .strictObject({ en: phrases.optional(), "zh-CN": phrases.optional() })
    .default({})
    .describe("Phrases that request a person, instead of the built-in ones. An empty list disables them"),
  no_answer_limit: z
    .int()
    .min(1)
    .max(20)
    .nullable()
    .default(3)
    .describe("Unanswered questions in a row after which a handoff is requested; null for never"),
  quiet_seconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .describe("Time after a handoff in which the agent requests no other. Users still can"),
  transcript_items: z
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe("How many messages of the conversation 4.6 carries"),
  timers: z
    .strictObject({
      first_reply: timer({ seconds: 300, warn_seconds: [240, 60] }).describe("A component can override it"),
      human_idle: timer({ seconds: 600, warn_seconds: 60 }),
      user_idle: timer({ seconds: 1_800, warn_seconds: 120 }),
    })
    .prefault({}),
  notices: z
    .partialRecord(z.enum(NOTICE_NAMES), noticeTexts)
    .default({})
    .describe("Notices to the user, by occasion and language, instead of the default texts"),
};

/** Complete, as it is in force. */
export const HandoffSettings = z.strictObject(settingFields).meta({ id: "HandoffSettings" });
export type HandoffSettings = z.output<typeof HandoffSettings>;

/** A setting that is left out returns to its default: the settings are replaced as a whole. */
export const SetHandoffSettingsRequest = z
  .strictObject(settingFields)
  .meta({ id: "SetHandoffSettingsRequest" });
