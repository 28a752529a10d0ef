import { z } from "zod";
import { AgentPath } from "./agents.ts";
import { chatAttachments, needsTextOrAttachment } from "./attachments.ts";
import { BusinessHours } from "./business-hours.ts";
import {
  ConversationChannel,
  PREVIEW_MAX_CHARACTERS,
  Speaker,
  StoredAttachments,
} from "./conversation-log.ts";
import { HandoffTimer } from "./handoff-settings.ts";
import { HandoffReason, HandoffTrigger } from "./handoff-states.ts";
import { HUMAN_MESSAGE_MAX_CHARACTERS } from "./handoff.ts";
import { TriedPair } from "./pairs.ts";
import { absentIfEmpty, identifier, pageFields, pageOf, text, timestamp, words } from "./values.ts";

// The inbox: the desk in the console, for teams that have none of their own.

const NOTE_MAX_CHARACTERS = 5_000;
const CANNED_REPLY_MAX_CHARACTERS = 5_000;
/** How long somebody counts as available after the last call that said so. */
export const PRESENCE_SECONDS = 120;

export const InboxAssignment = z.enum(["manual", "turn", "load"]).meta({
  id: "InboxAssignment",
  description:
    "manual: people take waiting chats. turn: each new chat is offered to the available person who was offered one longest ago. load: to the available person with the fewest open chats",
});
export type InboxAssignment = z.output<typeof InboxAssignment>;

const setupFields = {
  name: words(100).default("Support").describe("The name users see"),
  assignment: InboxAssignment.default("manual"),
  business_hours: BusinessHours.nullable().default(null).describe("Business hours; null for always open"),
  first_reply: HandoffTimer.nullable()
    .default(null)
    .describe("Time a human has for the first reply. null uses the agent's handoff settings"),
};

export const SetInboxRequest = z
  .strictObject(setupFields)
  .meta({ id: "SetInboxRequest", examples: [{ name: "Support", assignment: "turn" }] });
export type SetInboxRequest = z.output<typeof SetInboxRequest>;

export const Inbox = z
  .object({
    component_id: identifier.nullable().describe("Its human service component; null while it is off"),
    name: z.string(),
    assignment: InboxAssignment,
    business_hours: BusinessHours.nullable(),
    first_reply: HandoffTimer.nullable(),
    is_enabled: z.boolean().describe("If true, handoffs can come to the inbox"),
  })
  .meta({ id: "Inbox" });
export type Inbox = z.output<typeof Inbox>;

export const TalkPath = AgentPath.extend({ talk_id: identifier });

export const TalkState = z.enum(["waiting", "taken", "closed"]).meta({
  id: "TalkState",
  description: "waiting: nobody has taken it; taken: its holder answers; closed: it is over",
});
export type TalkState = z.output<typeof TalkState>;

export const InboxView = z.enum(["waiting", "mine", "team", "closed"]).meta({
  id: "InboxView",
  description:
    "waiting: all that nobody has taken, longest wait first. mine: open chats that you hold or that are offered to you. team: open chats that anybody holds, and those that wait for a team of yours. closed: newest first",
});
export type InboxView = z.output<typeof InboxView>;

/** In a body: what users said is not written to the logs of every proxy on the way. */
export const SearchTalksRequest = z
  .strictObject({
    view: InboxView,
    text: words(200)
      .optional()
      .describe("Only chats with a message that contains all these words or word beginnings"),
    team_id: identifier.optional().describe("Only chats of this team, waiting or taken where view is team"),
    ...pageFields,
  })
  .meta({ id: "SearchTalksRequest", examples: [{ view: "waiting" }] });
export type SearchTalksRequest = z.output<typeof SearchTalksRequest>;

/** Somebody who answers in the inbox. */
export const InboxPerson = z
  .object({
    account_id: identifier.nullable().describe("null for an operator token"),
    name: z.string(),
  })
  .meta({ id: "InboxPerson" });
export type InboxPerson = z.output<typeof InboxPerson>;

/** The group of people that a chat is for. */
export const TalkTeam = z.object({ team_id: identifier, name: z.string() }).meta({ id: "TalkTeam" });
export type TalkTeam = z.output<typeof TalkTeam>;

const talkFields = {
  talk_id: identifier.describe("Id of the handoff: the conversation_id of 4.6 to 4.10"),
  agent_id: identifier,
  conversation_id: identifier.describe("The agent's own conversation"),
  kind: z
    .enum(["chat", "left_message"])
    .describe("left_message: the user left an email address out of hours and is not in the chat"),
  state: TalkState,
  holder: InboxPerson.nullable().describe("Who has taken it"),
  is_mine: z.boolean().describe("You have taken it"),
  offered_to: InboxPerson.nullable().describe("Who it is offered to while it waits"),
  team: TalkTeam.nullable().describe("The team it was transferred to; null for everybody"),
  trigger: HandoffTrigger,
  reason: HandoffReason.nullable().describe("Why it ended"),
  channel: ConversationChannel,
  user: z.object({
    user_id: z.string().nullable(),
    anonymous_id: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
  }),
  unread_count: z.int().min(0).describe("Messages of the user after the last one that was marked as seen"),
  last_user_message: z
    .object({
      text: z.string().describe(`Its first ${PREVIEW_MAX_CHARACTERS} characters`),
      time: timestamp,
    })
    .nullable()
    .describe("The last message of the user"),
  waiting_since: timestamp
    .nullable()
    .describe("Since when the user waits for a human's words; null if the last words are a human's"),
  request_time: timestamp,
  take_time: timestamp.nullable(),
  close_time: timestamp.nullable(),
};

export const Talk = z.object(talkFields).meta({ id: "Talk" });
export type Talk = z.output<typeof Talk>;

export const TalkPage = pageOf(Talk)
  .extend({
    counts: z
      .object({ waiting: z.int().min(0), mine: z.int().min(0), team: z.int().min(0) })
      .describe("How many open chats each view has, whatever text says"),
  })
  .meta({
    id: "TalkPage",
    description:
      "With text, a page may be short or empty and still have a next_cursor: each looks through a bounded number of chats",
  });
export type TalkPage = z.output<typeof TalkPage>;

export const TalkMessage = z
  .object({
    message_id: identifier,
    sequence: z.int().min(1).describe("Position in the conversation"),
    sender: Speaker,
    text: z.string(),
    attachments: StoredAttachments,
    author: InboxPerson.nullable().describe("Who wrote it in the inbox"),
    time: timestamp,
  })
  .meta({ id: "TalkMessage" });
export type TalkMessage = z.output<typeof TalkMessage>;

export const TalkNote = z
  .object({
    note_id: identifier,
    author: InboxPerson,
    text: z.string(),
    time: timestamp,
  })
  .meta({ id: "TalkNote" });
export type TalkNote = z.output<typeof TalkNote>;

export const TalkQuery = z.strictObject({
  limit: pageFields.limit.describe("Messages per page"),
  cursor: pageFields.cursor.describe("The next_cursor of an earlier page, for older messages"),
});

export const TalkDetail = z
  .object({
    ...talkFields,
    messages: z.array(TalkMessage).describe("The latest of the whole conversation, oldest first"),
    next_cursor: z.string().nullable().describe("For the messages before these"),
    seen_sequence: z.int().min(0).describe("The user's messages up to here were marked as seen"),
    user_seen_sequence: z.int().min(0).describe("The user's page has shown the messages up to here"),
    notes: z.array(TalkNote).describe("Oldest first. Users never see them"),
    earlier_talks: z.array(Talk).max(20).describe("Other chats of the same user, newest first"),
  })
  .meta({ id: "TalkDetail" });
export type TalkDetail = z.output<typeof TalkDetail>;

export const TransferTalkRequest = z
  .strictObject({
    account_id: identifier
      .nullable()
      .optional()
      .describe("Who takes over; null returns it to the queue. Required unless team_id is given"),
    team_id: identifier.optional().describe("The team whose queue it waits in"),
  })
  .check(({ value, issues }) => {
    if ((value.account_id === undefined) !== (value.team_id === undefined)) return;
    const message = "must be account_id or team_id, and not both";
    issues.push({ code: "custom", input: value, message, path: ["account_id"], continue: true });
  })
  .meta({ id: "TransferTalkRequest", examples: [{ account_id: null }] });
export type TransferTalkRequest = z.output<typeof TransferTalkRequest>;

export const ReplyInTalkRequest = z
  .strictObject({
    text: absentIfEmpty(text(HUMAN_MESSAGE_MAX_CHARACTERS)).describe("Required without an attachment"),
    attachments: chatAttachments.describe("Files for the user, by their URL"),
  })
  .check(needsTextOrAttachment)
  .meta({ id: "ReplyInTalkRequest", examples: [{ text: "Of course. Which order is it?" }] });
export type ReplyInTalkRequest = z.output<typeof ReplyInTalkRequest>;

export const AddNoteRequest = z
  .strictObject({ text: words(NOTE_MAX_CHARACTERS) })
  .meta({ id: "AddNoteRequest", examples: [{ text: "Asked before about the same order." }] });
export type AddNoteRequest = z.output<typeof AddNoteRequest>;

export const MarkSeenRequest = z
  .strictObject({ sequence: z.int().min(1).describe("The last message that was seen") })
  .meta({ id: "MarkSeenRequest", examples: [{ sequence: 4 }] });
export type MarkSeenRequest = z.output<typeof MarkSeenRequest>;

export const SuggestedAnswers = z
  .object({
    question: z.string().nullable().describe("The user's last message; null if there is none with words"),
    list: z
      .array(TriedPair.pick({ pair_id: true, doc_id: true, question: true, answer: true, score: true }))
      .describe("The nearest pairs of the agent's knowledge, best first"),
  })
  .meta({ id: "SuggestedAnswers" });
export type SuggestedAnswers = z.output<typeof SuggestedAnswers>;

/** The name in {{…}} in a canned reply. */
export const PLACEHOLDERS = ["user.id", "user.email", "user.phone", "human.name", "agent.name"] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];
const PLACEHOLDER = /\{\{ ?([^{}\s]{0,40}) ?\}\}/g;

export function fillPlaceholders(
  template: string,
  values: Readonly<Record<Placeholder, string | null>>,
): { text: string; missing: Placeholder[] } {
  const missing = new Set<Placeholder>();
  const filled = template.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const known = PLACEHOLDERS.find((placeholder) => placeholder === name);
    if (known === undefined) return whole;
    const value = values[known];
    if (value === null) missing.add(known);
    return value ?? "";
  });
  return { text: filled, missing: [...missing] };
}

const template = words(CANNED_REPLY_MAX_CHARACTERS)
  .check(({ value, issues }) => {
    const unknown = [...value.matchAll(PLACEHOLDER)]
      .map(([, name]) => name ?? "")
      .find((name) => !PLACEHOLDERS.some((placeholder) => placeholder === name));
    if (unknown === undefined) return;
    const known = PLACEHOLDERS.map((name) => `{{${name}}}`).join(", ");
    const message = `has the unknown placeholder {{${unknown}}}; known are ${known}`;
    issues.push({ code: "custom", input: value, message, continue: true });
  })
  .meta({ minLength: 1, maxLength: CANNED_REPLY_MAX_CHARACTERS })
  .describe(`May contain ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(", ")}`);
const title = words(100).describe("What people find it by");

export const CannedReplyPath = AgentPath.extend({ reply_id: identifier });
export const FilledReplyPath = TalkPath.extend({ reply_id: identifier });

export const CannedReplyRequest = z.strictObject({ title, text: template }).meta({
  id: "CannedReplyRequest",
  examples: [{ title: "Greeting", text: "Hello, {{human.name}} here. How can I help?" }],
});
export type CannedReplyRequest = z.output<typeof CannedReplyRequest>;

export const CannedReply = z
  .object({
    reply_id: identifier,
    title: z.string(),
    text: z.string(),
    create_time: timestamp,
    update_time: timestamp,
  })
  .meta({ id: "CannedReply" });
export type CannedReply = z.output<typeof CannedReply>;

export const CannedReplyList = z
  .object({ list: z.array(CannedReply).describe("By title") })
  .meta({ id: "CannedReplyList" });
export type CannedReplyList = z.output<typeof CannedReplyList>;

export const FilledReply = z
  .object({
    text: z.string().describe("The canned reply with its placeholders filled in for this chat"),
    missing: z.array(z.enum(PLACEHOLDERS)).describe("Placeholders without a value, left empty"),
  })
  .meta({ id: "FilledReply" });
export type FilledReply = z.output<typeof FilledReply>;

export const Presence = z.enum(["available", "away"]).meta({
  id: "Presence",
  description: `available lapses ${PRESENCE_SECONDS} seconds after it was last set, so repeat it while somebody is there`,
});
export type Presence = z.output<typeof Presence>;

export const SetPresenceRequest = z.strictObject({ presence: Presence }).meta({ id: "SetPresenceRequest" });
export type SetPresenceRequest = z.output<typeof SetPresenceRequest>;

export const InboxMember = z
  .object({
    account_id: identifier,
    name: z.string(),
    email: z.string(),
    presence: Presence,
    open_count: z.int().min(0).describe("Open chats that the person holds"),
    is_me: z.boolean(),
  })
  .meta({ id: "InboxMember" });
export type InboxMember = z.output<typeof InboxMember>;

export const InboxMemberList = z
  .object({ list: z.array(InboxMember).describe("Everybody who may answer for this agent, by name") })
  .meta({ id: "InboxMemberList" });
export type InboxMemberList = z.output<typeof InboxMemberList>;
