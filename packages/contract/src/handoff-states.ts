import { z } from "zod";
import { identifier, pageFields, pageOf, timestamp } from "./values.ts";

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
    handoff_id: identifier.describe("Id of the handoff: the conversation_id of 4.6 to 4.10"),
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
      .describe("The timer that runs, and when it ends"),
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
    handoff: HandoffView.nullable().describe("The last handoff of this conversation; null if there was none"),
  })
  .meta({ id: "CurrentHandoff" });
export type CurrentHandoff = z.output<typeof CurrentHandoff>;

export const RequestedHandoff = z
  .object({
    outcome: z
      .enum(["requested", "already_open", "away"])
      .describe("away: no desk is open; the user was told, and the agent continues"),
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
