import { z } from "zod";
import { identifier } from "./values.ts";

export const ChangesQuery = z.strictObject({
  agent_id: identifier.optional().describe("Only the changes of this agent"),
});

export const CHANGED_IDS_MAX = 100;

/** What the stream of changes tells, by the name of its event. */
export const changeEvents = {
  /** It listens from now on: what was read before may be old already. */
  ready: z.strictObject({}),
  changed: z.strictObject({
    agent_id: identifier,
    delivery_ids: z
      .array(identifier)
      .max(CHANGED_IDS_MAX)
      .describe("Deliveries that are new or have a new state, 100 at most; more may have changed"),
    conversation_ids: z
      .array(identifier)
      .max(CHANGED_IDS_MAX)
      .describe("Conversations with a new message or delivery, 100 at most; more may have changed"),
    talk_ids: z
      .array(identifier)
      .max(CHANGED_IDS_MAX)
      .describe("Chats of the inbox that are new or changed, 100 at most; more may have changed"),
  }),
  typing: z.strictObject({
    agent_id: identifier,
    talk_id: identifier.describe("The chat of the inbox whose user types. Told every 3 seconds meanwhile"),
  }),
} as const;
export type ChangeEventName = keyof typeof changeEvents;
export type ChangeEvent<Name extends ChangeEventName> = z.output<(typeof changeEvents)[Name]>;

export const ChangeEventData = z
  .union([changeEvents.changed, changeEvents.typing, changeEvents.ready])
  .meta({ id: "ChangeEventData", description: "The data of changed, typing and ready events" });
