import { createHash } from "node:crypto";
import { ACKNOWLEDGED, type Acknowledged, type InputOf, type MessageAttachment } from "@signalbox/contract";
import { actAfterCommit, type AfterCommit } from "../../engine/index.ts";
import {
  newId,
  once,
  refuse,
  Refusal,
  type AgentDatabase,
  type Database,
  type DeskCaller,
  type InboxCaller,
  type MessageAuthor,
  type RequestTrace,
} from "../../platform/index.ts";
import { transition, type Handoff } from "../machine/machine.ts";
import { applyStep } from "../steps/apply-step.ts";
import { lockConversation, lockLanes, reachesUser, timerLengthsOf } from "../steps/lock-conversation.ts";
import { notifyUser } from "../steps/notify-user.ts";
import { closeAbandonedHandoffs } from "../upkeep/close-abandoned-handoffs.ts";
import { findHandoff, refuseUnknown, type FoundHandoff } from "./find-handoff.ts";
import type { HandoffParts } from "./request-handoff.ts";

export interface DeskParts extends Omit<HandoffParts, "agents"> {
  agents: Pick<AgentDatabase, "asAgent">;
  /** Across agents: a desk without a key names nothing but its handoff. */
  db: Database;
}

type Given = InputOf<"receiveHumanMessage">;
type HumanMessage = Pick<Given, "conversation_id" | "timestamp" | "body"> & Partial<Given>;

/** Section 4.9: what a human wrote goes to the user, in order with everything else that is said there. */
export async function receiveHumanMessage(
  parts: DeskParts,
  caller: DeskCaller,
  { conversation_id: id, timestamp, body, human_name, attachments = [] }: HumanMessage,
): Promise<Acknowledged | Refusal> {
  const found = await findHandoff(parts, caller, id);
  if (found instanceof Refusal) return found;
  const { agents, sealer } = parts;
  const named = human_name ? { id: null, name: human_name } : undefined;
  const author = caller.kind === "inbox" ? caller.author : named;
  const replyHash = replyHashOf(found.handoffId, timestamp, body, attachments);
  const holdChat = caller.kind === "inbox" ? caller.holdChat : undefined;
  const unknown = refuseUnknown(caller);
  const reply = { body, attachments, author, holdChat, replyHash, unknown, trace: caller.trace };
  const calls: AfterCommit[] = [];
  const result = await agents.asAgent(found.agentId, (db) =>
    once(db, sealer, found, (db) => say(db, found, reply, calls)),
  );
  void actAfterCommit(parts, calls);
  // A refusal commits nothing, so what it says of the handoff is made true behind it.
  if (result === UNREACHABLE) await closeAbandonedHandoffs(parts, found.agentId);
  return result;
}

const UNREACHABLE = refuse(
  "stateConflict",
  "the handoff has ended because the agent's message webhook was deleted; configure a message webhook, then request a handoff again",
);

/**
 * What tells a repeat from a second reply in the same words. Undefined for a timestamp of whole seconds: within one of them a
 * human says "Yes." twice, and an Idempotency-Key alone shows which call is a repeat.
 */
function replyHashOf(
  handoffId: string,
  timestamp: number,
  body: string,
  attachments: readonly MessageAttachment[],
): Buffer | undefined {
  if (timestamp % 1000 === 0) return undefined;
  // A body has no such character: a file's address written in it is not the file.
  const files = attachments.map(({ url }) => `\u0000${url}`).join("");
  return createHash("sha256").update(`${handoffId}\n${timestamp}\n${body}${files}`).digest();
}

interface HumanReply {
  body: string;
  attachments: MessageAttachment[];
  author: MessageAuthor | undefined;
  holdChat: InboxCaller["holdChat"] | undefined;
  replyHash: Buffer | undefined;
  /** For a conversation that is erased by now. */
  unknown: Refusal;
  trace: RequestTrace | undefined;
}

async function say(
  db: Database,
  { agentId, conversationId, handoffId }: FoundHandoff,
  { body, attachments, author, holdChat, replyHash, unknown, trace }: HumanReply,
  calls: AfterCommit[],
): Promise<Acknowledged | Refusal> {
  const locked = await lockConversation(db, agentId, conversationId, handoffId);
  const handoff = locked?.handoff;
  if (locked === undefined || handoff === undefined) return unknown;
  const { conversation } = locked;
  // The same reply sent again is answered as before, also when the handoff has ended since.
  if (await wasSaid(db, agentId, conversationId, replyHash)) return ACKNOWLEDGED;
  const refused = await holdChat?.(db);
  if (refused !== undefined) return refused;
  if (!reachesUser(locked)) return UNREACHABLE;
  const event = { kind: "human_replied", at: conversation.at, seq: conversation.lastSeq + 1 } as const;
  const step = transition(handoff.current, event, timerLengthsOf(locked));
  if (step.kind !== "moved") return refuseEnded(handoff.current);
  await lockLanes(db, conversation);
  const messageId = newId();
  trace?.note({ conversationId, messageId });
  const { deskName } = handoff;
  const { traceparent } = trace ?? {};
  const words = { text: body, ...(attachments.length > 0 && { attachments }) };
  const said = { sender: "human", deskName, messageId, ...words, author, replyHash, traceparent } as const;
  calls.push(...(await notifyUser(db, conversation, said)));
  calls.push(...(await applyStep(db, locked, handoff, step)));
  return ACKNOWLEDGED;
}

function refuseEnded(handoff: Handoff): Refusal {
  const isLeft = "reason" in handoff && handoff.reason === "message_left";
  return refuse(
    "stateConflict",
    isLeft
      ? "the user left a message and is no longer in the chat; reply by email"
      : "this handoff has ended, so the user does not see this reply",
  );
}

/** Asked under the conversation's lock: an earlier call with the same reply has committed, and is seen. */
async function wasSaid(
  db: Database,
  agentId: string,
  conversationId: string,
  replyHash: Buffer | undefined,
): Promise<boolean> {
  if (replyHash === undefined) return false;
  const earlier = await db
    .selectFrom("message")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("conversation_id", "=", conversationId)
    .where("reply_hash", "=", replyHash)
    .executeTakeFirst();
  return earlier !== undefined;
}
