import { z } from "zod";
import { MESSAGE_TEXT_MAX_CHARACTERS } from "./conversations.ts";
import { anonymousId, userId } from "./users.ts";
import { absentIfEmpty, identifier, timestamp, words } from "./values.ts";

// The live channel: what a widget in a user's browser says and hears, with a token of that user.

const TOKEN_SECONDS_MAX = 86_400;

export const MintChatTokenRequest = z
  .object({
    user_id: absentIfEmpty(userId).describe("Who is signed in at the developer's; absent for a visitor"),
    anonymous_id: absentIfEmpty(anonymousId).describe(
      "From an earlier token of the same browser; a new one is made where it is absent",
    ),
    email: absentIfEmpty(words(254)).describe("Handed to a human service, if it comes to that"),
    phone: absentIfEmpty(words(32)).describe("Handed to a human service, if it comes to that"),
    expires_in_seconds: z.int().min(60).max(TOKEN_SECONDS_MAX).default(3_600),
  })
  .meta({ id: "MintChatTokenRequest" });
export type MintChatTokenRequest = z.output<typeof MintChatTokenRequest>;

export const ChatToken = z
  .strictObject({
    token: z.string().describe("For one user's browser, sent as Authorization: Bearer"),
    user_id: z.string().nullable(),
    anonymous_id: z.string().nullable().describe("To be kept for the next token of this browser"),
    expire_time: timestamp,
  })
  .meta({ id: "ChatToken" });
export type ChatToken = z.output<typeof ChatToken>;

export const RevokeChatTokensRequest = z
  .strictObject({
    user_id: absentIfEmpty(userId).describe("Tokens that name this user"),
    anonymous_id: absentIfEmpty(anonymousId).describe("Tokens that name this anonymous id"),
    all_users: z.boolean().default(false).describe("All tokens of the agent"),
  })
  .refine(
    ({ user_id, anonymous_id, all_users }) => all_users !== Boolean(user_id ?? anonymous_id),
    "name user_id, anonymous_id or both, or set all_users to true",
  )
  .meta({ id: "RevokeChatTokensRequest" });
export type RevokeChatTokensRequest = z.output<typeof RevokeChatTokensRequest>;

export const ChatPath = z.object({ conversation_id: identifier });

export const ChatBegun = z.strictObject({ conversation_id: identifier }).meta({ id: "ChatBegun" });
export type ChatBegun = z.output<typeof ChatBegun>;

export const SayInChatRequest = z
  .object({
    text: words(MESSAGE_TEXT_MAX_CHARACTERS),
    client_id: absentIfEmpty(words(64)).describe(
      "The browser's own id of the message; its event carries it too",
    ),
  })
  .meta({ id: "SayInChatRequest" });
export type SayInChatRequest = z.output<typeof SayInChatRequest>;

export const SaidInChat = z.strictObject({ message_id: identifier }).meta({ id: "SaidInChat" });
export type SaidInChat = z.output<typeof SaidInChat>;

export const ChatHolder = z.enum(["agent", "waiting", "human"]).meta({
  id: "ChatHolder",
  description: "Who answers the user: the agent, nobody yet because a person was asked for, or a person",
});
export type ChatHolder = z.output<typeof ChatHolder>;

export const AskedForPerson = z
  .strictObject({ outcome: z.enum(["requested", "already_open", "away"]) })
  .meta({ id: "AskedForPerson", description: "away: nobody is there now, and the user was told so" });
export type AskedForPerson = z.output<typeof AskedForPerson>;

/** What a stream tells, by the name of its event. Only a message has an id: the number a client comes back with. */
export const chatEvents = {
  message: z.strictObject({
    message_id: identifier,
    sender: z.enum(["user", "ai", "human", "system"]),
    text: z.string(),
    create_time: timestamp,
    client_id: z.string().optional(),
    suggestions: z
      .array(z.string())
      .optional()
      .describe("Questions the user may choose from, by their text or their number"),
  }),
  control: z.strictObject({ holder: ChatHolder }),
  typing: z.strictObject({}),
  ready: z.strictObject({}),
} as const;
export type ChatEventName = keyof typeof chatEvents;
export type ChatEvent<Name extends ChatEventName> = z.output<(typeof chatEvents)[Name]>;

export const ChatEventData = z
  .union([chatEvents.message, chatEvents.control, chatEvents.typing])
  .meta({ id: "ChatEventData", description: "The data of message, control, typing and ready events" });
