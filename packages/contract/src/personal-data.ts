import { z } from "zod";
import { AnswerSources } from "./answer-sources.ts";
import { Speaker, StoredAttachments } from "./conversation-log.ts";
import { DeliveryDetail } from "./deliveries.ts";
import { HandoffView } from "./handoff-states.ts";
import { Rating } from "./ratings.ts";
import { anonymousId, userId } from "./users.ts";
import { identifier, pageFields, pageOf, timestamp } from "./values.ts";

/** Ids stand in a body, not in an address: addresses are written to the logs of every proxy on the way. */
const subjectFields = {
  user_id: userId.optional(),
  anonymous_id: anonymousId.optional(),
};

type SubjectPayload = {
  value: { user_id?: string | undefined; anonymous_id?: string | undefined };
  issues: z.core.$ZodRawIssue[];
};

function checkOneSubject({ value, issues }: SubjectPayload): void {
  if ((value.user_id === undefined) !== (value.anonymous_id === undefined)) return;
  issues.push({
    code: "custom",
    input: value,
    path: ["user_id"],
    message: "give either user_id or anonymous_id",
  });
}

export const UserOfAgent = z.strictObject(subjectFields).check(checkOneSubject).meta({
  id: "UserOfAgent",
  description: "A user of an agent: by user_id, or by anonymous_id for somebody who never signed in",
});
export type UserOfAgent = z.output<typeof UserOfAgent>;

const count = z.int().min(0);

export const ErasedCounts = z
  .object({
    conversations: count,
    messages: count,
    handoffs: count,
    deliveries: count.describe("Deliveries deleted with their bodies"),
    deliveries_stopped: count.describe(
      "Pending deliveries that were stopped with the cause `erased`, and whose bodies were deleted",
    ),
    attempts: count,
    unanswered_questions: count,
    speech: count.describe("Recordings of spoken answers"),
    bindings: count.describe("Anonymous ids bound to the user"),
    remembered_answers: count.describe("Responses stored for Idempotency-Keys"),
    rows: count.describe("Rows of all tables, when a deleted agent is erased"),
  })
  .meta({ id: "ErasedCounts" });
export type ErasedCounts = z.output<typeof ErasedCounts>;

export const Erasure = z
  .object({
    erasure_id: identifier,
    agent_id: identifier,
    scope: z
      .enum(["user_id", "anonymous_id", "agent"])
      .describe("Kind of id that is erased. The id itself is not stored"),
    state: z.enum(["running", "finished"]),
    conversations_left: count.describe("Conversations still to erase"),
    erased: ErasedCounts.describe("Counts of the data erased so far"),
    create_time: timestamp,
    finish_time: timestamp.nullable(),
  })
  .meta({ id: "Erasure" });
export type Erasure = z.output<typeof Erasure>;

export const ErasurePath = z.strictObject({ erasure_id: identifier });
export const ErasureQuery = z.strictObject({ agent_id: identifier.optional(), ...pageFields });
export const ErasurePage = pageOf(Erasure).meta({ id: "ErasurePage" });
export type ErasurePage = z.output<typeof ErasurePage>;

export const RETENTION_DAYS_MAX = 3_650;

export const RetentionAction = z.enum(["delete", "redact"]).meta({
  id: "RetentionAction",
  description:
    "delete: the conversation and all that belongs to it; redact: only what was said and who said it, so that times and counts stay",
});
export type RetentionAction = z.output<typeof RetentionAction>;

const retentionDays = z.int().min(1).max(RETENTION_DAYS_MAX).nullable();

export const SetRetentionRequest = z
  .strictObject({
    days: retentionDays.describe(
      "Days a conversation is kept after its last message. null uses the service's setting",
    ),
    action: RetentionAction.nullable()
      .default(null)
      .describe("What happens after that time. null uses the service's setting"),
  })
  .meta({ id: "SetRetentionRequest" });
export type SetRetentionRequest = z.output<typeof SetRetentionRequest>;

export const Retention = z
  .object({
    days: retentionDays,
    action: RetentionAction.nullable(),
    effective: z
      .object({ days: retentionDays, action: RetentionAction })
      .describe(
        "The effective retention, including the service's settings. If days is null, conversations are kept",
      ),
  })
  .meta({ id: "Retention" });
export type Retention = z.output<typeof Retention>;

export const ExportedMessage = z
  .object({
    message_id: identifier,
    sequence: z.int().min(1),
    sender: Speaker,
    branch: z.string().nullable(),
    text: z.string(),
    attachments: StoredAttachments,
    sources: AnswerSources,
    answer_with: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("Options of the call that asked for the answer, with the earlier messages it sent"),
    client_id: z.string().nullable(),
    create_time: timestamp,
  })
  .meta({ id: "ExportedMessage" });
export type ExportedMessage = z.output<typeof ExportedMessage>;

export const ExportedConversation = z
  .object({
    conversation_id: identifier,
    channel: z.string(),
    user_id: z.string().nullable(),
    anonymous_id: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    create_time: timestamp,
    messages: z.array(ExportedMessage).describe("Oldest first"),
    handoffs: z.array(HandoffView),
    deliveries: z.array(DeliveryDetail).describe("Deliveries to webhooks and desks, with every attempt"),
    notes: z
      .array(z.object({ actor_name: z.string(), text: z.string(), create_time: timestamp }))
      .describe("What the team noted about the user in the inbox"),
    unanswered_questions: z.array(z.object({ question: z.string(), asked: z.int().min(1) })),
    offers: z
      .array(z.object({ question: z.string(), offered: z.array(z.string()), create_time: timestamp }))
      .describe("What the user asked, and the stored questions offered for it"),
    ratings: z
      .array(
        z.object({
          rating: Rating,
          comment: z.string().nullable(),
          message_id: identifier.nullable(),
          create_time: timestamp,
        }),
      )
      .describe("What the user thought of answers, and of the conversation where message_id is null"),
    speech: z.array(z.object({ content_type: z.string(), audio_base64: z.string(), create_time: timestamp })),
  })
  .meta({ id: "ExportedConversation" });
export type ExportedConversation = z.output<typeof ExportedConversation>;

export const UserExport = z
  .object({
    agent_id: identifier,
    user_id: z.string().nullable(),
    anonymous_id: z.string().nullable(),
    create_time: timestamp,
    bindings: z
      .array(
        z.object({
          anonymous_id: z.string(),
          conversation_type: z.string(),
          source_id: z.string(),
          user_id: z.string().nullable(),
          create_time: timestamp,
        }),
      )
      .describe("Anonymous ids to bind to the user"),
    conversations: z.array(ExportedConversation).describe("Oldest first"),
  })
  .meta({ id: "UserExport", description: "Export everything stored about a user" });
export type UserExport = z.output<typeof UserExport>;
