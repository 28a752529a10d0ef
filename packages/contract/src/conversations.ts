import { z } from "zod";
import { AnswerSources } from "./answer-sources.ts";
import {
  attachmentParts,
  attachmentsOfPart,
  attachmentsProblem,
  ShownPart,
  type MessageAttachment,
} from "./attachments.ts";
import { AgentResponseMessage, OutputItem, TokenUsage } from "./messages.ts";
import { anonymousId, userId } from "./users.ts";
import { absentIfEmpty, identifier, text, textProblem, timestamp, wholeNumber, words } from "./values.ts";

export const MESSAGE_TEXT_MAX_CHARACTERS = 25_000;

export const CreateConversationRequest = z
  .object({
    user_id: absentIfEmpty(userId),
    anonymous_id: absentIfEmpty(anonymousId).describe(
      "Can replace user_id. Bind it to a user later with set-userid",
    ),
    email: absentIfEmpty(words(254)).describe("Passed to the human service in a handoff"),
    phone: absentIfEmpty(words(32)).describe("Passed to the human service in a handoff"),
  })
  .check(({ value, issues }) => {
    if (value.user_id ?? value.anonymous_id) return;
    issues.push({
      code: "custom",
      input: value,
      path: ["user_id"],
      message: "is required unless anonymous_id is given",
    });
  })
  .meta({ id: "CreateConversationRequest" });
export type CreateConversationRequest = z.output<typeof CreateConversationRequest>;

export const CreateConversationReply = z
  .strictObject({ conversation_id: identifier })
  .meta({ id: "CreateConversationReply" });
export type CreateConversationReply = z.output<typeof CreateConversationReply>;

export const ResponseMode = z.enum(["blocking", "streaming", "webhook"]);
export type ResponseMode = z.output<typeof ResponseMode>;

const messageText = text(MESSAGE_TEXT_MAX_CHARACTERS);

export const MessagePart = z
  .discriminatedUnion("type", [z.object({ type: z.literal("text"), text: messageText }), ...attachmentParts])
  .meta({ id: "MessagePart" });
export type MessagePart = z.output<typeof MessagePart>;

export const InboundMessage = z
  .object({
    role: z.enum(["user", "assistant"]),
    content: z
      .union([messageText, z.array(MessagePart).min(1).max(50)], {
        error: ({ input }) => (input === undefined ? "is required" : "must be a string or a list of parts"),
      })
      .check(checkWhole),
  })
  .meta({ id: "InboundMessage" });
export type InboundMessage = z.output<typeof InboundMessage>;

/** The limits hold for the message, however many parts it comes in. */
function checkWhole({
  value,
  issues,
}: {
  value: string | MessagePart[];
  issues: z.core.$ZodRawIssue[];
}): void {
  const words = textOfContent(value);
  const problem =
    (words === "" ? undefined : textProblem(words, MESSAGE_TEXT_MAX_CHARACTERS)) ??
    attachmentsProblem(attachmentsOfContent(value));
  if (problem !== undefined) issues.push({ code: "custom", input: value, message: problem });
}

/** What can be read of a message: its text, or its text parts a line each. */
export function textOfContent(content: InboundMessage["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

export function attachmentsOfContent(content: InboundMessage["content"]): MessageAttachment[] {
  if (typeof content === "string") return [];
  return content.flatMap((part) => (part.type === "text" ? [] : attachmentsOfPart(part)));
}

const NO_EFFECT = "Accepted for clients that send it; without effect";

const idList = z.array(identifier).max(100).nullish();

/** A mistyped field that is ignored would answer from the wrong knowledge: an unknown one is refused. */
export const ConversationConfig = z
  .strictObject({
    short_term_memory: z
      .boolean()
      .nullish()
      .describe("If false, the model does not get the earlier messages of this conversation"),
    long_term_memory: z.boolean().nullish().describe(NO_EFFECT),
    knowledge: z
      .strictObject({ data_ids: idList, group_ids: idList })
      .nullish()
      .describe(
        "Limits the search to these documents and knowledge bases. If both are empty, the agent replies with its fallback. If omitted, it searches everything it knows",
      ),
    custom_variables: z.record(z.string(), z.unknown()).nullish().describe(NO_EFFECT),
    corner_citation: z
      .boolean()
      .nullish()
      .describe(
        "If true, a model's answer keeps its citations: [1] is the first of sources. An answer that is a pair word for word carries none",
      ),
  })
  .meta({ id: "ConversationConfig" });
export type ConversationConfig = z.output<typeof ConversationConfig>;

export const SendMessageRequest = z
  .object({
    conversation_id: identifier,
    response_mode: ResponseMode,
    messages: z
      .array(InboundMessage)
      .min(1)
      .max(100)
      .refine((messages) => messages.at(-1)?.role === "user", "must end with a message whose role is user")
      .describe(
        "The last one is the user's message, which is stored and answered. Earlier ones are context for the model, for this answer only",
      ),
    conversation_config: ConversationConfig.nullish(),
  })
  .meta({
    id: "SendMessageRequest",
    variantsBy: {
      field: "response_mode",
      ids: {
        blocking: "BlockingMessageRequest",
        streaming: "StreamingMessageRequest",
        webhook: "WebhookMessageRequest",
      },
    },
    examples: [
      {
        conversation_id: "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21",
        response_mode: "webhook",
        messages: [{ role: "user", content: "When do you open?" }],
      },
    ],
  });
export type SendMessageRequest = z.output<typeof SendMessageRequest>;

/** The answer in webhook mode: the reply itself comes by 4.5. */
export const MessageAccepted = z
  .strictObject({ conversation_id: identifier, message_id: identifier })
  .meta({ id: "MessageAccepted" });
export type MessageAccepted = z.output<typeof MessageAccepted>;

/** One event of a reply in streaming mode; a failure has a code of the catalogue, five digits. */
export const MessageStreamEvent = z
  .union([
    z
      .strictObject({
        code: z.literal(11),
        message: z.literal("MessageInfo"),
        data: z.strictObject({ message_id: identifier }),
      })
      .meta({ id: "MessageInfoEvent", description: "First of all: the id of the reply" }),
    z
      .strictObject({
        code: z.literal(3),
        message: z.literal("Text"),
        data: z.string().describe("Append it to what you show"),
      })
      .meta({ id: "TextEvent", description: "A part of the reply's text" }),
    z
      .strictObject({
        code: z.literal(10),
        message: z.literal("FlowOutput"),
        data: z
          .array(
            z.strictObject({
              content: OutputItem.shape.content,
              branch: z.string(),
              from_component_name: z.string(),
            }),
          )
          .describe("The whole reply, as it is stored"),
      })
      .meta({ id: "FlowOutputEvent", description: "The reply as it is stored: this one counts" }),
    z
      .strictObject({
        code: z.literal(12),
        message: z.literal("Suggestions"),
        data: z
          .array(z.string())
          .describe("Questions the user can choose from if the agent is not sure what is meant"),
      })
      .meta({ id: "SuggestionsEvent", description: "Questions to choose from" }),
    z
      .strictObject({ code: z.literal(14), message: z.literal("Sources"), data: AnswerSources.min(1) })
      .meta({ id: "SourcesEvent", description: "The pairs that the answer stands on, where there are any" }),
    z
      .strictObject({ code: z.literal(4), message: z.literal("Cost"), data: TokenUsage })
      .meta({ id: "CostEvent", description: "The tokens that the reply took" }),
    z
      .strictObject({
        code: z.literal(13),
        message: z.literal("Withdrawn"),
        data: z.strictObject({ message_id: identifier }),
      })
      .meta({
        id: "WithdrawnEvent",
        description:
          "Discard what you have shown of this reply: it is not stored, for example because a human took over. A failure follows",
      }),
    z
      .strictObject({ code: z.literal(0), message: z.literal("End"), data: z.null() })
      .meta({ id: "EndEvent", description: "Last of all, after a whole reply" }),
    z
      .strictObject({ code: z.int().min(40_000), message: z.string(), data: z.null() })
      .meta({ id: "StreamFailure", description: "Last of all, after a failure: its code and message" }),
  ])
  .meta({ id: "MessageStreamEvent" });
export type MessageStreamEvent = z.output<typeof MessageStreamEvent>;

/** The answer in blocking mode: the body of 4.5 without the user's ids, and what it stands on. */
export const BlockingReply = AgentResponseMessage.omit({
  user_id: true,
  anonymous_id: true,
  istest: true,
})
  .extend({ sources: AnswerSources })
  .meta({ id: "BlockingReply" });
export type BlockingReply = z.output<typeof BlockingReply>;

/** What a message is answered with: its acceptance in webhook mode, the reply itself in blocking mode. */
export const SendMessageReply = z.union([MessageAccepted, BlockingReply]).meta({ id: "SendMessageReply" });
export type SendMessageReply = z.output<typeof SendMessageReply>;

export const MessageQuery = z.object({
  conversation_id: identifier,
  page: wholeNumber(1, 1_000_000).default(1),
  page_size: wholeNumber(1, 100).default(50),
});

export const MessagePage = z
  .strictObject({
    total: z.int().min(0),
    conversation_content: z.array(
      z
        .strictObject({
          message_id: identifier,
          create_time: timestamp,
          role: z.enum(["user", "assistant"]),
          sources: AnswerSources,
          content: z.array(
            z.strictObject({
              from_component_branch: z
                .string()
                .describe(
                  "direct, model or fallback; human or notice for what was said in place of the agent",
                ),
              branch_content: z.array(ShownPart),
            }),
          ),
        })
        .meta({ id: "ListedMessage" }),
    ),
  })
  .meta({ id: "MessagePage", description: "Messages of a conversation, oldest first" });
export type MessagePage = z.output<typeof MessagePage>;
