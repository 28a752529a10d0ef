import { z } from "zod";
import { chatAttachments } from "./attachments.ts";
import { absentIfEmpty, identifier, text, timestamp, timestampInput, words } from "./values.ts";

export const HUMAN_MESSAGE_MAX_CHARACTERS = 25_000;

export const HandoffUserInfo = z
  .strictObject({
    phone: z.string().nullable(),
    email: z.string().nullable(),
    user_id: z.string().nullable(),
    anonymous_id: z.string().nullable(),
  })
  .meta({ id: "HandoffUserInfo" });
export type HandoffUserInfo = z.output<typeof HandoffUserInfo>;

export const HandoffItem = z
  .strictObject({ text: z.string(), message_type: z.enum(["QUESTION", "ANSWER"]) })
  .meta({ id: "HandoffItem" });
export type HandoffItem = z.output<typeof HandoffItem>;

const handoffId = identifier.describe(
  "Id of the handoff. Pass it back in replies. It is not the id of the agent's conversation",
);
/** Another system's id is unknown, not malformed. */
const namedHandoff = text(100)
  .toLowerCase()
  .describe(
    "Id of the handoff, as in 4.6. With an API key also the id of the agent's conversation, while a handoff of it is open",
  );
const istest = z
  .boolean()
  .optional()
  .describe("true on an availability test: answer 200 and do nothing else");

/** Section 4.6. */
export const EstablishHandoff = z
  .strictObject({
    conversation_id: handoffId,
    timestamp,
    email: z.string().nullable(),
    bot_id: identifier.describe("The agent's id"),
    body: z.array(HandoffItem).describe("The recent conversation, oldest first"),
    user_info: HandoffUserInfo,
    istest,
  })
  .meta({ id: "EstablishHandoff" });
export type EstablishHandoff = z.output<typeof EstablishHandoff>;

/** Section 4.7. */
export const HandoffChat = z
  .strictObject({
    conversation_id: handoffId,
    timestamp,
    body: z.string().describe("The user's message"),
    istest,
  })
  .meta({ id: "HandoffChat" });
export type HandoffChat = z.output<typeof HandoffChat>;

/** Section 4.8: never sent after a human closed. */
export const CloseHandoff = z
  .strictObject({ conversation_id: handoffId, timestamp, type: z.enum(["TIMEOUT", "USER_CLOSED"]) })
  .meta({ id: "CloseHandoff" });
export type CloseHandoff = z.output<typeof CloseHandoff>;

/** What a developer answers to 4.6, 4.7 and 4.8. Only the HTTP status decides. */
export const HandoffAnswer = z.object({ code: z.int(), message: z.string() }).meta({ id: "HandoffAnswer" });
export type HandoffAnswer = z.output<typeof HandoffAnswer>;

/** Section 4.9; the reply is `Acknowledged`. */
export const ReceiveHumanMessageRequest = z
  .object({
    conversation_id: namedHandoff,
    timestamp: timestampInput,
    body: words(HUMAN_MESSAGE_MAX_CHARACTERS).describe("The human's message"),
    human_name: absentIfEmpty(words(100)).describe(
      "The human's name, which the chat widget shows to the user",
    ),
    attachments: chatAttachments.describe("Files for the user, by their URL. Nothing is downloaded"),
  })
  .meta({ id: "ReceiveHumanMessageRequest" });
export type ReceiveHumanMessageRequest = z.output<typeof ReceiveHumanMessageRequest>;

export const TypeAsHumanRequest = z
  .object({
    conversation_id: namedHandoff,
    human_name: absentIfEmpty(words(100)).describe("The name that the chat widget shows"),
  })
  .meta({ id: "TypeAsHumanRequest" });
export type TypeAsHumanRequest = z.output<typeof TypeAsHumanRequest>;

/** Section 4.10. */
export const CloseByHumanRequest = z
  .object({ conversation_id: namedHandoff, timestamp: timestampInput })
  .meta({ id: "CloseByHumanRequest" });
export type CloseByHumanRequest = z.output<typeof CloseByHumanRequest>;

export const CloseByHumanReply = z
  .strictObject({
    conversation_id: identifier.describe("The id that was sent"),
    timestamp: timestamp.describe("When the handoff ended: milliseconds since 1970, UTC"),
  })
  .meta({ id: "CloseByHumanReply" });
export type CloseByHumanReply = z.output<typeof CloseByHumanReply>;
