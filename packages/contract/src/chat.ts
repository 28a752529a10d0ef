import { z } from "zod";
import { chatAttachments, needsTextOrAttachment } from "./attachments.ts";
import { PREVIEW_MAX_CHARACTERS, Speaker } from "./conversation-log.ts";
import { MESSAGE_TEXT_MAX_CHARACTERS } from "./conversations.ts";
import { anonymousId, userId } from "./users.ts";
import { absentIfEmpty, identifier, timestamp, words } from "./values.ts";

// The live channel: what a widget in a user's browser says and hears, with a token of that user.

const TOKEN_SECONDS_MAX = 86_400;

export const MintChatTokenRequest = z
  .object({
    user_id: absentIfEmpty(userId).describe("The signed-in user's id; omit it for a visitor"),
    anonymous_id: absentIfEmpty(anonymousId).describe(
      "The anonymous id of an earlier token of this browser. A new one is created if omitted",
    ),
    email: absentIfEmpty(words(254)).describe("Passed to the human service in a handoff"),
    phone: absentIfEmpty(words(32)).describe("Passed to the human service in a handoff"),
    expires_in_seconds: z.int().min(60).max(TOKEN_SECONDS_MAX).default(3_600),
  })
  .meta({ id: "MintChatTokenRequest" });
export type MintChatTokenRequest = z.output<typeof MintChatTokenRequest>;

export const ChatToken = z
  .strictObject({
    token: z.string().describe("Token for one user's browser. Send it as Authorization: Bearer"),
    user_id: z.string().nullable(),
    anonymous_id: z.string().nullable().describe("Store it in the browser for its next token"),
    expire_time: timestamp,
  })
  .meta({ id: "ChatToken" });
export type ChatToken = z.output<typeof ChatToken>;

export const RevokeChatTokensRequest = z
  .strictObject({
    user_id: absentIfEmpty(userId).describe("Revoke the tokens of this user"),
    anonymous_id: absentIfEmpty(anonymousId).describe("Revoke the tokens of this anonymous id"),
    all_users: z.boolean().default(false).describe("Revoke all tokens of the agent"),
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

export const ChatList = z
  .strictObject({
    list: z
      .array(
        z.strictObject({
          conversation_id: identifier,
          create_time: timestamp,
          last_message: z.strictObject({
            sender: Speaker,
            text: z.string().describe(`Its first ${PREVIEW_MAX_CHARACTERS} characters`),
            create_time: timestamp,
          }),
        }),
      )
      .describe("The last 20 in which something was said, newest first"),
  })
  .meta({ id: "ChatList" });
export type ChatList = z.output<typeof ChatList>;

export const SayInChatRequest = z
  .object({
    text: absentIfEmpty(words(MESSAGE_TEXT_MAX_CHARACTERS)).describe("Required without an attachment"),
    attachments: chatAttachments.describe("Files that the user sends, by their URL"),
    client_id: absentIfEmpty(words(64)).describe(
      "The browser's own id of the message. Its event carries the same id",
    ),
  })
  .check(needsTextOrAttachment)
  .meta({ id: "SayInChatRequest" });
export type SayInChatRequest = z.output<typeof SayInChatRequest>;

export const MarkChatSeenRequest = z
  .strictObject({
    sequence: z.int().min(1).describe("The id of the event whose message was shown last"),
  })
  .meta({ id: "MarkChatSeenRequest", examples: [{ sequence: 4 }] });
export type MarkChatSeenRequest = z.output<typeof MarkChatSeenRequest>;

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
    text: z.string().describe("With a line for each attachment behind the words"),
    attachments: z
      .array(
        z.strictObject({
          type: z.enum(["image", "audio", "document"]),
          url: z.string(),
          name: z.string().optional(),
          format: z.string().optional(),
        }),
      )
      .optional()
      .describe("Files that were sent with it"),
    name: z.string().optional().describe("The name of the human who speaks, if the desk sent it"),
    create_time: timestamp,
    client_id: z.string().optional(),
    suggestions: z
      .array(z.string())
      .optional()
      .describe("Questions the user can choose from, by text or number"),
  }),
  control: z.strictObject({ holder: ChatHolder }),
  typing: z.strictObject({
    name: z
      .string()
      .optional()
      .describe("The name of the human who types, if it is known; the agent has none"),
  }),
  seen: z.strictObject({
    sequence: z
      .int()
      .min(1)
      .describe("A human has seen the user's messages up to the one whose event has this id"),
  }),
  ready: z.strictObject({}),
} as const;
export type ChatEventName = keyof typeof chatEvents;
export type ChatEvent<Name extends ChatEventName> = z.output<(typeof chatEvents)[Name]>;

export const ChatEventData = z
  .union([chatEvents.message, chatEvents.control, chatEvents.seen, chatEvents.typing])
  .meta({ id: "ChatEventData", description: "The data of message, control, seen, typing and ready events" });
