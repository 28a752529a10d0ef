import { traceIdOf, type Log } from "../platform/index.ts";
import type { Reply } from "./commit-replies.ts";
import type { Turn } from "./turn-store.ts";

type LoggedReply = Pick<Reply, "inReplyTo" | "messageId" | "branch" | "traceparent">;

/**
 * One line for each turn, or for each part of it that is committed by itself. The user's message ids lead back to the request,
 * the reply ids on to the deliveries.
 */
export function logAnswered(log: Pick<Log, "info">, turn: Turn, replies: readonly LoggedReply[]): void {
  const { agentId, conversationId } = turn;
  log.info("turn_ended", {
    agentId,
    conversationId,
    outcome: "answered",
    messageIds: replies.map(({ inReplyTo }) => inReplyTo),
    replyIds: replies.map(({ messageId }) => messageId),
    branches: replies.map(({ branch }) => branch),
    traceId: traceIdOf(replies[0]?.traceparent),
  });
}

/** The same for a turn that the agent ended without an answer of its own. */
export function logUnanswered(
  log: Pick<Log, "info">,
  { agentId, conversationId }: Turn,
  outcome: "handed_over" | "away" | "superseded" | "abandoned",
  messageIds: readonly string[],
): void {
  log.info("turn_ended", { agentId, conversationId, outcome, messageIds });
}
