import { z } from "zod";
import { ConversationChannel } from "./conversation-log.ts";
import { HandoffReason, HandoffTrigger } from "./handoff-states.ts";
import { isTimeZone } from "./business-hours.ts";
import { Rating } from "./ratings.ts";
import { identifier, queryTime, text, timestamp, wholeNumber } from "./values.ts";

// What happened, by the hour or the day: counted by the worker after the fact, so a few seconds behind.

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
export const NUMBERS_MAX_MS = { hour: 31 * DAY_MS, day: 731 * DAY_MS } as const;

export const NumbersStep = z.enum(["hour", "day"]);
export type NumbersStep = z.output<typeof NumbersStep>;

/** The languages that are told apart; the others count as that of the agent. */
export const NUMBERS_LANGUAGES = [
  "en",
  "zh",
  "ja",
  "ko",
  "de",
  "fr",
  "es",
  "pt",
  "it",
  "nl",
  "ru",
  "ar",
  "th",
  "he",
  "el",
  "hi",
] as const;

const rangeFields = {
  from_time: queryTime.describe("First moment; hours count from their beginning"),
  to_time: queryTime.describe("End of the range: hours that begin at it or later are left out"),
};

export const NumbersQuery = z
  .strictObject({
    agent_id: identifier.optional().describe("All agents if omitted. A role for certain agents requires it"),
    ...rangeFields,
    step: NumbersStep.default("day").describe("hour: at most 31 days; day: at most 731 days"),
    time_zone: text(64)
      .refine(isTimeZone, "must be the name of a time zone, such as Europe/Berlin")
      .default("UTC")
      .describe("Where days begin"),
    channel: ConversationChannel.optional(),
    language: z.enum(NUMBERS_LANGUAGES).optional().describe("Language of the conversation"),
  })
  .check(({ value, issues }) => {
    const { from_time, to_time, step } = value;
    const problem =
      to_time <= from_time
        ? "must be after from_time"
        : to_time - from_time > NUMBERS_MAX_MS[step]
          ? `must be at most ${NUMBERS_MAX_MS[step] / DAY_MS} days after from_time with step ${step}`
          : undefined;
    if (problem !== undefined)
      issues.push({ code: "custom", input: value, path: ["to_time"], message: problem });
  });

const count = z.int().min(0);
const countOf = <Name extends string>(names: readonly Name[]) =>
  z.object(Object.fromEntries(names.map((name) => [name, count])) as Record<Name, typeof count>);

export const ANSWER_BRANCHES = ["direct", "suggestion", "model", "unanswered", "small_talk"] as const;
export type AnswerBranch = (typeof ANSWER_BRANCHES)[number];

export const Duration = z
  .object({
    count,
    average_ms: count.nullable().describe("null if there was none"),
    median_ms: count.nullable().describe("An estimate from counts by length"),
    p90_ms: count.nullable().describe("Nine in ten took at most this long; an estimate"),
  })
  .meta({ id: "Duration" });
export type Duration = z.output<typeof Duration>;

export const Figures = z
  .object({
    conversations: count.describe("Conversations whose first message was said"),
    messages: countOf(["user", "ai", "human", "system"]).describe("By who said them"),
    answers: countOf(ANSWER_BRANCHES).describe(
      "What the agent replied. direct: a stored answer; suggestion: stored questions to choose from; model: worded by a model; unanswered: no answer found; small_talk: greetings and thanks",
    ),
    handoffs: count.describe("Handoffs that were requested"),
    handoff_triggers: countOf(HandoffTrigger.options).describe("What asked for a person"),
    handoff_ends: countOf(HandoffReason.options).describe("Why handoffs ended"),
    waiting: Duration.describe("From the request to the first reply of a human, or to the end if none came"),
    first_reply: Duration.describe("From the request to the first reply of a human"),
    resolution: Duration.describe(
      "From the request to the end, of handoffs in which a human replied and that the user or the human closed, or that went quiet",
    ),
    ratings: countOf(Rating.options).describe(
      "Ratings of answers and conversations that users gave, as they are now; those of erased conversations are gone",
    ),
    tokens: count
      .nullable()
      .describe(
        "Tokens of models, imports included; null with a channel or a language: they are counted by agent",
      ),
  })
  .meta({ id: "Figures" });
export type Figures = z.output<typeof Figures>;

export const Numbers = z
  .object({
    totals: Figures,
    previous: Figures.describe("The same, of the range of the same length before"),
    series: z.array(Figures.extend({ time: timestamp.describe("When the hour or day begins") })),
    channels: z.array(Figures.extend({ channel: ConversationChannel })),
    languages: z.array(Figures.extend({ language: z.enum(NUMBERS_LANGUAGES) })),
    agents: z
      .array(Figures.extend({ agent_id: identifier }))
      .describe("Up to 100, those with most conversations first"),
    counted_time: timestamp
      .nullable()
      .describe("Messages up to about this time are counted; null if none was yet"),
  })
  .meta({ id: "Numbers" });
export type Numbers = z.output<typeof Numbers>;

/** Read by the SDK as it is. */
export const NumbersFile = z.custom<Blob>((value) => value instanceof Blob);

export const TopQuestionsQuery = z.strictObject({
  ...rangeFields,
  limit: wholeNumber(1, 50).default(10).describe("Entries per list"),
});

export const TopQuestion = z
  .object({
    question: z.string().describe("The wording used most. Personal data is masked"),
    asked: z.int().min(1).describe("How often, in all wordings"),
    phrasings: z.int().min(1).describe("How many wordings it has"),
  })
  .meta({ id: "TopQuestion" });
export type TopQuestion = z.output<typeof TopQuestion>;

export const TopQuestions = z
  .object({
    asked: z
      .array(TopQuestion)
      .describe("What users asked most, in at least two conversations. Small talk is left out"),
    unanswered: z
      .array(TopQuestion)
      .describe(
        "What the agent could not answer, asked last within the range; counted since it was first asked",
      ),
    is_partial: z.boolean().describe("true if only the newest 20,000 messages of the range were read"),
  })
  .meta({ id: "TopQuestions" });
export type TopQuestions = z.output<typeof TopQuestions>;
