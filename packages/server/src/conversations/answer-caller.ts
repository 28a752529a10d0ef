import { setTimeout as sleep } from "node:timers/promises";
import type { BlockingReply } from "@signalbox/contract";
import type { OpenAnswering } from "../answering/index.ts";
import { responseMessage } from "../delivery/index.ts";
import { objectKey, type AfterCommitParts } from "../engine/index.ts";
import {
  inTransaction,
  recall,
  Refusal,
  refuse,
  remember,
  startSpan,
  type Database,
  type Log,
  type Metrics,
  type OnceScope,
  type Sealer,
} from "../platform/index.ts";
import { beginCallersTurn, newOwner, skipMessages, type AskedMessage } from "./callers-turn-store.ts";
import type { BegunTurn, Following } from "./answer-ahead.ts";
import { makeAnswer, type MadeAnswer, type MakeAnswerParts } from "./make-answer.ts";
import { refuseWhileHumanSpeaks } from "./message-acceptor.ts";
import { commitReplies, type CommitResult, type CommitTogether, type TurnReplies } from "./commit-replies.ts";
import type { TurnEnds } from "./turn-ends.ts";
import { closeTurn, type Turn } from "./turn-store.ts";

export interface CallersTurnParts extends AfterCommitParts, MakeAnswerParts {
  sealer: Sealer;
  openAnswering: OpenAnswering;
  commit: CommitTogether;
  turnEnds: TurnEnds;
  log: Log;
  metrics: Metrics;
}

/** What the caller is given, and beside it what travels in a header or an event of its own. */
export type CallersReply = BlockingReply & { suggestions?: string[] };

/** How long a message waits for those before it. The engine passes over what stands there for longer than a lease. */
const BEGIN_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = { least: 10, most: 250 };

export interface CallersQuestion {
  asked: AskedMessage;
  begun: BegunTurn | undefined;
  scope: OnceScope;
  following: Following | undefined;
}

/**
 * Answers one message on the node that holds its caller's connection, under a turn of its own. A node that dies leaves the
 * lease to run out and the message to be passed over by the engine, so that no conversation is stuck.
 */
export async function answerCaller(
  parts: CallersTurnParts,
  { asked, begun, scope, following }: CallersQuestion,
): Promise<CallersReply | Refusal> {
  const { db, sealer } = parts;
  const left = following?.left;
  const turn = begun?.turn ?? (await beginWhenDue(parts, asked, left));
  // A repeat that comes while, or after, the first one was answered is given the same answer.
  if (turn instanceof Refusal) return (await recall<CallersReply>(db, sealer, scope)) ?? turn;
  const span = startSpan("agent.turn", "internal", asked.traceparent);
  span.setAttribute("signalbox.message", asked.messageId);
  try {
    // Whoever had to wait for its turn is answered by what the agent is set to now.
    const answer = await (begun?.answer(following) ??
      makeAnswer(parts, turn, parts.openAnswering(turn.agentId), { aloud: following, signal: left }));
    if (answer instanceof Refusal) return await giveUp(parts, turn, answer);
    if (left?.aborted === true) return await giveUp(parts, turn, CALLER_LEFT);
    return await commitReply(parts, turn, answer, scope);
  } catch (error) {
    await giveUp(parts, turn, refuse("internal"));
    if (left?.aborted === true) return CALLER_LEFT;
    throw error;
  } finally {
    parts.turnEnds.tell(asked.conversationId);
    span.end();
  }
}

/** Told to nobody. */
const CALLER_LEFT = refuse("notAccepting", "the caller closed the connection");

async function beginWhenDue(
  { db, turnEnds }: CallersTurnParts,
  asked: AskedMessage,
  left: AbortSignal | undefined,
): Promise<Turn | Refusal> {
  const owner = newOwner();
  const since = performance.now();
  for (let waitMs = LOOK_AGAIN_MS.least; ; waitMs = Math.min(waitMs * 2, LOOK_AGAIN_MS.most)) {
    using before = turnEnds.follow(asked.conversationId);
    const begun = await beginCallersTurn(db, asked, owner);
    if (begun.kind === "begun") return begun.turn;
    if (begun.kind === "held_by_human") return refuseWhileHumanSpeaks();
    if (begun.kind === "over")
      return refuse("notAccepting", "the message could not be answered; send it again");
    if (left?.aborted === true) return CALLER_LEFT;
    if (performance.now() - since > BEGIN_WITHIN_MS)
      return refuse("notAccepting", "earlier messages of this conversation are still being answered");
    await Promise.race([before.ended, sleepUnless(left, waitMs)]);
  }
}

/** Of those before it some may be answered by the engine or another node, which nobody tells. */
function sleepUnless(left: AbortSignal | undefined, ms: number): Promise<void> {
  return sleep(ms, undefined, left === undefined ? {} : { signal: left }).catch(() => undefined);
}

async function commitReply(
  { db, sealer, engine, broadcast, commit, metrics }: CallersTurnParts,
  turn: Turn,
  { messageId, answer, outcome, noAnswers }: MadeAnswer,
  scope: OnceScope,
): Promise<CallersReply | Refusal> {
  const { agentId, conversationId } = turn;
  const createdAt = turn.now();
  const reply = replyOf(turn, { messageId, createdAt }, answer);
  const [due] = turn.due;
  if (due === undefined) throw new Error("a caller's turn is about one message");
  const { text, branch, suggestions } = answer;
  const item: TurnReplies = {
    turn,
    replies: [
      {
        toSeq: due.seq,
        inReplyTo: due.id,
        messageId,
        createdAt,
        text,
        branch: outcome === "small_talk" ? outcome : branch,
        suggestions,
        body: undefined,
        noAnswers,
      },
    ],
  };
  const committed =
    scope.idempotency === undefined ? await commit(item) : await commitOnce(db, sealer, scope, item, reply);
  if (committed.kind === "superseded") {
    await closeTurn(db, turn, "superseded");
    metrics.turns.inc({ outcome: "superseded" });
    return (await recall<CallersReply>(db, sealer, scope)) ?? refuseWhileHumanSpeaks();
  }
  metrics.turns.inc({ outcome });
  // The reply is committed, so nobody waits for an engine that hangs.
  const key = objectKey(agentId, conversationId);
  if (turn.isLive) broadcast.tell(key);
  if (committed.moreDue) void engine.send("turn", "run", key);
  return reply;
}

/** The answer in blocking mode: the body of 4.5 without the user's ids. */
function replyOf(
  { conversationId, userId, anonymousId }: Turn,
  identity: { messageId: string; createdAt: Date },
  answer: MadeAnswer["answer"],
): CallersReply {
  const facts = { conversationId, userId, anonymousId, ...identity, ...answer };
  const { conversation_id, message_id, create_time, output, usage } = responseMessage(facts);
  const { suggestions = [] } = answer;
  return {
    conversation_id,
    message_id,
    create_time,
    output,
    usage,
    ...(suggestions.length > 0 && { suggestions }),
  };
}

/** The reply and what a repeat of its call is answered with commit together. */
function commitOnce(
  db: Database,
  sealer: Sealer,
  scope: OnceScope,
  item: TurnReplies,
  reply: CallersReply,
): Promise<CommitResult> {
  return inTransaction(db, async (db) => {
    const [committed = { kind: "superseded" as const }] = await commitReplies(db, [item]);
    if (committed.kind === "committed")
      await remember(db, sealer, { ...scope, about: [reply.conversation_id] }, reply);
    return committed;
  });
}

/** Nobody is left to answer: what comes behind this message does not wait for it. */
async function giveUp(
  { db, engine, metrics }: CallersTurnParts,
  turn: Turn,
  because: Refusal,
): Promise<Refusal> {
  metrics.turns.inc({ outcome: "abandoned" });
  const moreDue = await skipMessages(db, turn, turn.due[0]?.seq ?? 0);
  if (moreDue) void engine.send("turn", "run", objectKey(turn.agentId, turn.conversationId));
  return because;
}
