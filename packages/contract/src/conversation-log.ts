import { z } from "zod";
import { AnswerSources } from "./answer-sources.ts";
import { Delivery } from "./deliveries.ts";
import { HandoffView } from "./handoff-states.ts";
import { GivenRating, Rating } from "./ratings.ts";
import { anonymousId, userId } from "./users.ts";
import { identifier, pageFields, pageOf, timestamp, timestampInput, words } from "./values.ts";

// What operators see of conversations: which there are, and what happened in one, in order.

const SEARCH_TEXT_MAX_CHARACTERS = 200;
export const PREVIEW_MAX_CHARACTERS = 200;

export const ConversationChannel = z.enum(["api", "widget"]);
export const Speaker = z.enum(["user", "ai", "human", "system"]);

/** As messages keep them. */
export const StoredAttachments = z.array(
  z.object({
    type: z.string(),
    url: z.string(),
    format: z.string().optional(),
    name: z.string().optional(),
  }),
);

export const ConversationOutcome = z.enum(["empty", "with_human", "waiting", "unanswered", "answered"]).meta({
  id: "ConversationOutcome",
  description:
    "empty: nothing was said; with_human: a human holds it; waiting: a message waits for the agent; unanswered: the agent had no answer to the last question; answered: it had",
});
export type ConversationOutcome = z.output<typeof ConversationOutcome>;

/** Filters that an index of one agent serves. */
const OF_ONE_AGENT = ["text", "user_id", "anonymous_id"] as const;

/** In a body: ids of users and what they said are not written to the logs of every proxy on the way. */
export const SearchConversationsRequest = z
  .strictObject({
    agent_id: identifier.optional(),
    text: words(SEARCH_TEXT_MAX_CHARACTERS)
      .optional()
      .describe(
        "Conversations with a message that contains all these words or word beginnings. Requires agent_id",
      ),
    user_id: userId.optional().describe("Only conversations of this user. Requires agent_id"),
    anonymous_id: anonymousId
      .optional()
      .describe("Only conversations of this anonymous id. Requires agent_id"),
    channel: ConversationChannel.optional(),
    control: z.enum(["bot", "human"]).optional().describe("Who speaks now"),
    outcome: ConversationOutcome.optional(),
    from_time: timestampInput.optional().describe("Started at or after this time"),
    to_time: timestampInput.optional().describe("Started before this time"),
    with_last_message: z
      .boolean()
      .default(false)
      .describe("If true, include the beginning of each last message. The read is audited"),
    ...pageFields,
  })
  .check(({ value, issues }) => {
    for (const name of OF_ONE_AGENT) {
      if (value[name] === undefined || value.agent_id !== undefined) continue;
      const message = `is required when ${name} is given`;
      issues.push({ code: "custom", input: value, path: ["agent_id"], message });
    }
  })
  .meta({ id: "SearchConversationsRequest" });
export type SearchConversationsRequest = z.output<typeof SearchConversationsRequest>;

const conversationFields = {
  conversation_id: identifier,
  agent_id: identifier,
  channel: ConversationChannel,
  user_id: z.string().nullable(),
  anonymous_id: z.string().nullable(),
  control: z.enum(["bot", "human"]).describe("Who speaks now"),
  epoch: z.int().min(0).describe("Number of times that control has changed"),
  outcome: ConversationOutcome,
  message_count: z.int().min(0),
  is_redacted: z.boolean().describe("true if the messages are past their retention"),
  create_time: timestamp,
};

export const ConversationEntry = z
  .object({
    ...conversationFields,
    last_message: z
      .object({
        sender: Speaker,
        text: z.string().describe(`Its first ${PREVIEW_MAX_CHARACTERS} characters`),
        create_time: timestamp,
      })
      .nullable()
      .describe("Without notices of the service. null unless with_last_message is true"),
  })
  .meta({ id: "ConversationEntry" });
export type ConversationEntry = z.output<typeof ConversationEntry>;

export const ConversationPage = pageOf(ConversationEntry).meta({
  id: "ConversationPage",
  description:
    "Newest first, by when they began. A page may be short or empty and still have a next_cursor: each looks through a bounded number of conversations, however rare a match is",
});
export type ConversationPage = z.output<typeof ConversationPage>;

export const ConversationPath = z.strictObject({ agent_id: identifier, conversation_id: identifier });
export const TimelineQuery = z.strictObject(pageFields);

const TimelineDelivery = Delivery.pick({
  delivery_id: true,
  webhook_id: true,
  event: true,
  state: true,
  cause: true,
  cause_page: true,
  attempt_count: true,
  replay_of: true,
  create_time: true,
  finish_time: true,
}).meta({ id: "TimelineDelivery" });

const TimelineMessage = z
  .object({
    kind: z.literal("message"),
    time: timestamp,
    message_id: identifier,
    sequence: z.int().min(1).describe("Position in the conversation"),
    sender: Speaker,
    branch: z
      .string()
      .nullable()
      .describe("Origin of the message: direct, small_talk, model, fallback or notice"),
    text: z.string(),
    attachments: StoredAttachments,
    suggestions: z.array(z.string()).describe("Stored questions offered with the message"),
    sources: AnswerSources,
    in_reply_to: identifier
      .nullable()
      .describe("The user's message it answers; null if it was not delivered to a webhook"),
    epoch: z
      .int()
      .min(0)
      .nullable()
      .describe("For a user's message, the epoch in which the agent took it up"),
    rating: GivenRating.nullable().describe("What the user thought of an answer of the agent"),
    deliveries: z.array(TimelineDelivery).describe("Oldest first. Attempts past their retention are deleted"),
  })
  .meta({ id: "TimelineMessage" });

const TimelineHandoff = z
  .object({
    kind: z.literal("handoff"),
    time: timestamp,
    step: z.enum(["requested", "joined", "ended"]).describe("joined: the first reply of a human"),
    handoff: HandoffView,
    deliveries: z.array(TimelineDelivery).describe("Calls to the desk that do not carry one message"),
  })
  .meta({ id: "TimelineHandoff" });

const TimelineRating = z
  .object({
    kind: z.literal("rating"),
    time: timestamp,
    rating: Rating,
    comment: z.string().nullable(),
    handoff_id: identifier.nullable().describe("The handoff it is about; null if there was none"),
  })
  .meta({ id: "TimelineRating", description: "What the user thought of the conversation" });

export const TimelineItem = z
  .discriminatedUnion("kind", [TimelineMessage, TimelineHandoff, TimelineRating])
  .meta({ id: "TimelineItem" });
export type TimelineItem = z.output<typeof TimelineItem>;

export const ConversationTimeline = z
  .object({
    ...conversationFields,
    email: z.string().nullable(),
    phone: z.string().nullable(),
    list: z.array(TimelineItem).describe("Oldest first; limit counts messages"),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: "ConversationTimeline" });
export type ConversationTimeline = z.output<typeof ConversationTimeline>;
