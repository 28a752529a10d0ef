import { createHash } from "node:crypto";
import {
  attachmentsOfContent,
  HEADERS,
  textOfContent,
  type BlockingReply,
  type InputOf,
  type MessageAccepted,
} from "@signalbox/contract";
import { actAfterCommit, type AfterCommitParts } from "../engine/index.ts";
import {
  EventStream,
  HeadedReply,
  newId,
  recall,
  Refusal,
  refuse,
  type AgentCaller,
  type OnceScope,
} from "../platform/index.ts";
import type { UserMessage } from "./accept-messages.ts";
import { readAnswerWith } from "./answer-with.ts";
import { openAnswerAhead, type Following } from "./answer-ahead.ts";
import { answerCaller, type CallersTurnParts, type CallersReply } from "./answer-caller.ts";
import type { ConversationParts } from "./create-conversation.ts";
import {
  acceptMessage,
  mayAcceptTogether,
  type AcceptedMessage,
  type AcceptTogether,
} from "./message-acceptor.ts";
import { streamReply } from "./stream-reply.ts";

export interface SendMessageParts extends ConversationParts, AfterCommitParts {
  acceptTogether: AcceptTogether;
  /** For blocking and streaming modes. */
  turns: CallersTurnParts;
}

/** A developer's key, or the user's own browser. */
type MessageSender = Pick<AgentCaller, "agentId" | "idempotency" | "trace">;

/**
 * Accepts a user's message. In webhook mode the answer is the acceptance, and the reply comes by 4.5; in blocking mode it is
 * the reply, in streaming mode the reply while it comes about.
 */
export async function sendMessage(
  parts: SendMessageParts,
  caller: MessageSender,
  { conversation_id, response_mode, messages, conversation_config }: InputOf<"sendMessage">,
  payer?: string,
): Promise<MessageAccepted | BlockingReply | HeadedReply | EventStream | Refusal> {
  const content = messages.at(-1)?.content ?? "";
  const [text, attachments] = [textOfContent(content), attachmentsOfContent(content)];
  if (text.trim() === "" && attachments.length === 0)
    return refuse("badParameter", "the last message is empty; add text or an attachment");
  const answerWith = readAnswerWith(conversation_config, messages.slice(0, -1));
  const message: UserMessage = {
    id: newId(),
    agentId: caller.agentId,
    conversationId: conversation_id,
    text,
    ...(attachments.length > 0 && { attachments }),
    responseMode: response_mode,
    answerWith: payer === undefined ? answerWith : { ...answerWith, payer },
    traceparent: caller.trace?.traceparent,
  };
  switch (response_mode) {
    case "webhook":
      return sendToWebhook(parts, caller, message);
    case "blocking": {
      const answer = await beginAnswer(parts, caller, message);
      return answer instanceof Refusal ? answer : blockingReply(await answer());
    }
    case "streaming": {
      const answer = await beginAnswer(parts, caller, message);
      return answer instanceof Refusal ? answer : new EventStream((left) => streamReply(left, answer));
    }
  }
}

/** Questions to choose from travel in a header. */
function blockingReply(reply: CallersReply | Refusal): BlockingReply | HeadedReply | Refusal {
  if (reply instanceof Refusal) return reply;
  const { suggestions, sources = [], ...specified } = reply;
  const body = { ...specified, sources };
  if (suggestions === undefined) return body;
  return new HeadedReply(body, { [HEADERS.suggestions]: asciiJson(suggestions) });
}

/** A header holds ASCII; JSON can say everything in it. */
function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

async function sendToWebhook(
  parts: SendMessageParts,
  caller: MessageSender,
  message: UserMessage,
): Promise<MessageAccepted | Refusal> {
  const accepted = await acceptMessage(parts, caller, message);
  if (accepted instanceof Refusal) return accepted;
  noteAccepted(caller, message, accepted);
  // The message is committed, so nobody waits for an engine that hangs; a call that is lost the reconciler makes.
  void actAfterCommit(parts, accepted.calls);
  return { conversation_id: message.conversationId, message_id: accepted.messageId };
}

/** Accepts the message, or refuses it with its status. The function it returns makes the answer, streamed to `following`. */
async function beginAnswer(
  parts: SendMessageParts,
  caller: MessageSender,
  message: UserMessage,
): Promise<((following?: Following) => Promise<CallersReply | Refusal>) | Refusal> {
  const { turns, sealer } = parts;
  const { agentId, conversationId, text, answerWith, traceparent } = message;
  const earlier = await recall<CallersReply>(turns.db, sealer, caller);
  if (earlier instanceof Refusal) return earlier;
  if (earlier !== undefined) return () => Promise.resolve(earlier);
  const accepting = acceptMessage(parts, acceptedOnce(caller), {
    ...message,
    onTurnOpened: (seq, turn) => ahead.begin(seq, turn),
  });
  const asked = {
    agentId,
    conversationId,
    messageId: message.id,
    callId: message.id,
    text,
    answerWith,
    traceparent,
  };
  // Beside the accept, which takes longer and so begins first.
  const opening = turns.openAnswering(agentId).then((answerer) => {
    // Otherwise its turn is opened later, with settings read anew, and this search would be in vain.
    if (mayAcceptTogether(caller, message)) answerer?.lookAhead(text);
    return answerer;
  });
  const ahead = openAnswerAhead(turns, { asked, opening, isStreamed: message.responseMode === "streaming" });
  const accepted = await accepting.catch((error: unknown) => {
    ahead.cancel();
    throw error;
  });
  if (accepted instanceof Refusal) {
    ahead.cancel();
    return accepted;
  }
  noteAccepted(caller, message, accepted);
  const begun = ahead.commit(accepted.turn);
  return (following) =>
    answerCaller(turns, {
      asked: { ...asked, messageId: accepted.messageId, seq: accepted.seq },
      begun,
      scope: caller,
      following,
    });
}

function noteAccepted(
  { trace }: MessageSender,
  { conversationId }: UserMessage,
  accepted: AcceptedMessage,
): void {
  trace?.note({ conversationId, messageId: accepted.messageId });
}

/** The message is accepted once, and answered once: each has its own place under the caller's key. */
function acceptedOnce({ agentId, idempotency }: MessageSender): OnceScope {
  if (idempotency === undefined) return { agentId, idempotency };
  const keyHash = createHash("sha256").update(idempotency.keyHash).update("accepted").digest();
  return { agentId, idempotency: { ...idempotency, keyHash } };
}
