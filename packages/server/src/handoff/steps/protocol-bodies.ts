import type { CloseHandoff, EstablishHandoff, HandoffChat, HandoffItem } from "@signalbox/contract";
import type { Conversation } from "./lock-conversation.ts";

// Sections 4.6 to 4.8: exactly the fields of the specification, as the bytes that are stored, signed and sent.

export function establishBytes(
  { agentId, at, phone, email, userId, anonymousId }: Conversation,
  handoffId: string,
  transcript: HandoffItem[],
): Buffer {
  return bytesOf({
    conversation_id: handoffId,
    timestamp: at,
    email,
    bot_id: agentId,
    body: transcript,
    user_info: { phone, email, user_id: userId, anonymous_id: anonymousId },
  } satisfies EstablishHandoff);
}

export function chatBytes(handoffId: string, at: number, text: string): Buffer {
  return bytesOf({ conversation_id: handoffId, timestamp: at, body: text } satisfies HandoffChat);
}

export function closeBytes(handoffId: string, at: number, type: CloseHandoff["type"]): Buffer {
  return bytesOf({ conversation_id: handoffId, timestamp: at, type } satisfies CloseHandoff);
}

function bytesOf(body: object): Buffer {
  return Buffer.from(JSON.stringify(body), "utf8");
}
