import { z } from "zod";
import { identifier, pageFields, pageOf, text, timestamp, words } from "./values.ts";

// Our own bodies around a handoff: how it is begun, followed and set up.

export const Language = z.enum(["en", "zh-CN"]);
export type Language = z.output<typeof Language>;

export const HandoffTrigger = z
  .enum(["phrase", "user", "no_answer", "model", "api"])
  .meta({ id: "HandoffTrigger", description: "What asked for a person" });
export type HandoffTrigger = z.output<typeof HandoffTrigger>;

export const HandoffState = z.enum(["requested", "connecting", "active", "busy", "closed"]).meta({
  id: "HandoffState",
  description:
    "requested: the desk is being asked; connecting: it said yes; active: a human wrote; busy: it said no; closed: it is over",
});
export type HandoffState = z.output<typeof HandoffState>;

export const HandoffReason = z
  .enum([
    "refused",
    "first_reply",
    "human_idle",
    "user_idle",
    "user_closed",
    "human_closed",
    "desk_lost",
    "desk_removed",
    "webhook_removed",
    "message_left",
  ])
  .meta({ id: "HandoffReason", description: "Why it ended" });
export type HandoffReason = z.output<typeof HandoffReason>;

export const HandoffView = z
  .object({
    handoff_id: identifier.describe("The conversation_id of 4.6 to 4.10"),
    agent_id: identifier,
    conversation_id: identifier.describe("The agent's own conversation"),
    component_id: identifier,
    trigger: HandoffTrigger,
    state: HandoffState,
    reason: HandoffReason.nullable(),
    request_time: timestamp,
    first_reply_time: timestamp.nullable(),
    end_time: timestamp.nullable(),
    timer: z
      .strictObject({ kind: z.enum(["first_reply", "human_idle", "user_idle"]), due_time: timestamp })
      .nullable()
      .describe("What is waited for, and until when"),
  })
  .meta({ id: "HandoffView" });
export type HandoffView = z.output<typeof HandoffView>;

export const ConversationOfHandoff = z
  .object({ conversation_id: identifier.describe("The agent's own conversation") })
  .meta({ id: "ConversationOfHandoff" });

export const HandoffQuery = z.strictObject({ conversation_id: identifier });

export const CurrentHandoff = z
  .object({
    control: z.enum(["bot", "human"]).describe("Who speaks now"),
    handoff: HandoffView.nullable().describe("The last one of this conversation; null: there was none"),
  })
  .meta({ id: "CurrentHandoff" });
export type CurrentHandoff = z.output<typeof CurrentHandoff>;

export const RequestedHandoff = z
  .object({
    outcome: z
      .enum(["requested", "already_open", "away"])
      .describe("away: no desk is open now; the user has been told, and the bot goes on"),
    handoff: HandoffView.nullable(),
  })
  .meta({ id: "RequestedHandoff" });
export type RequestedHandoff = z.output<typeof RequestedHandoff>;

export const HandoffListQuery = z.strictObject({
  agent_id: identifier,
  state: HandoffState.optional(),
  ...pageFields,
});
export const HandoffPage = pageOf(HandoffView).meta({ id: "HandoffPage" });
export type HandoffPage = z.output<typeof HandoffPage>;

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

const noticeText = words(2_000).nullable().describe("null: the user is not told");
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
      .describe("How long before it fires the user is told, once or several times; 0: not at all"),
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
    .describe(
      "What a user says who wants a person, in place of the service's own list; an empty list: nothing",
    ),
  no_answer_limit: z
    .int()
    .min(1)
    .max(20)
    .nullable()
    .default(3)
    .describe("Questions in a row without an answer, after which a person is asked; null: never"),
  quiet_seconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(600)
    .describe("How long after a handoff the agent asks for no other by itself; the user still may"),
  transcript_items: z.int().min(1).max(100).default(20).describe("How much of the conversation 4.6 carries"),
  timers: z
    .strictObject({
      first_reply: timer({ seconds: 300, warn_seconds: [240, 60] }).describe("A component may have its own"),
      human_idle: timer({ seconds: 600, warn_seconds: 60 }),
      user_idle: timer({ seconds: 1_800, warn_seconds: 120 }),
    })
    .prefault({}),
  notices: z
    .partialRecord(z.enum(NOTICE_NAMES), noticeTexts)
    .default({})
    .describe("What the user is told, by occasion and language, in place of the service's own words"),
};

/** Complete, as it is in force. */
export const HandoffSettings = z.strictObject(settingFields).meta({ id: "HandoffSettings" });
export type HandoffSettings = z.output<typeof HandoffSettings>;

/** What is left out returns to its default: the settings are replaced as a whole. */
export const SetHandoffSettingsRequest = z
  .strictObject(settingFields)
  .meta({ id: "SetHandoffSettingsRequest" });

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$|^24:00$/;
const timeOfDay = z.string().regex(TIME_OF_DAY, "must be a time such as 09:00");

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const BusinessHours = z
  .strictObject({
    time_zone: text(64).refine(isTimeZone, "must be the name of a time zone, such as Europe/Berlin"),
    open: z
      .array(
        z
          .strictObject({
            days: z
              .array(z.enum(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]))
              .min(1)
              .max(7),
            from: timeOfDay,
            to: timeOfDay,
          })
          .refine(({ from, to }) => from < to, "from must be before to; write two entries for a night"),
      )
      .min(1)
      .max(50),
  })
  .meta({ id: "BusinessHours" });
export type BusinessHours = z.output<typeof BusinessHours>;

const priority = z.int().min(0).max(1_000).describe("The lowest is asked first");
const ruleFields = {
  languages: z.array(Language).min(1).optional().describe("Of the user's last message"),
  triggers: z.array(HandoffTrigger).min(1).optional(),
  keywords: z
    .array(words(100))
    .min(1)
    .max(100)
    .optional()
    .describe("One of them is in the user's recent words"),
};

/** When a component is the one to ask. All that is given must fit; of those that fit, the lowest priority is asked. */
export const HumanServiceRule = z.strictObject({ priority, ...ruleFields }).meta({ id: "HumanServiceRule" });
export type HumanServiceRule = z.output<typeof HumanServiceRule>;

export const HumanServiceRuleRequest = z
  .strictObject({ priority: priority.default(100), ...ruleFields })
  .meta({ id: "HumanServiceRuleRequest" });
