import { setTimeout as sleep } from "node:timers/promises";
import type { BlockingReply } from "@signalbox/contract";
import type { OpenAnswering } from "../answering/index.ts";
import { responseMessage } from "../delivery/index.ts";
import { objectKey, type AfterCommitParts } from "../engine/index.ts";
import {
  describeAgentSpan,
  inTransaction,
  outcomeOf,
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
import type { ControlWatch } from "./control-watch.ts";
import { makeAnswer, type MadeAnswer, type MakeAnswerParts } from "./make-answer.ts";
import { refuseWhileHumanSpeaks } from "./message-acceptor.ts";
import { commitReplies, type CommitResult, type TurnReplies } from "./commit-replies.ts";
import type { CommitTogether } from "./commit-together.ts";
import { logAnswered, logUnanswered } from "./log-turn.ts";
import { findCommitted } from "./find-committed.ts";
import type { TurnEnds } from "./turn-ends.ts";
import { closeTurn, type Turn } from "./turn-store.ts";

export interface CallersTurnParts extends AfterCommitParts, MakeAnswerParts {
  sealer: Sealer;
  openAnswering: OpenAnswering;
  commit: CommitTogether;
  turnEnds: TurnEnds;
  control: ControlWatch;
  log: Log;
  metrics: Metrics;
}

/** What the caller is given, and beside it what travels in a header or an event of its own. Earlier versions remembered no sources. */
export type CallersReply = Omit<BlockingReply, "sources"> &
  Partial<Pick<BlockingReply, "sources">> & { suggestions?: string[] };

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
    const answer = await answerUntilControlMoves(parts, turn, begun, following);
    if (answer === CONTROL_MOVED) return await supersede(parts, turn);
    if (answer instanceof Refusal) return await giveUp(parts, turn, answer);
    if (left?.aborted === true) return await giveUp(parts, turn, CALLER_LEFT);
    describeAgentSpan(span, turn, asked.text, answer.answer);
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

const CONTROL_MOVED = Symbol("control moved");

/** From the moment that control has moved nothing more is said, whatever the model goes on with. */
async function answerUntilControlMoves(
  parts: CallersTurnParts,
  turn: Turn,
  begun: BegunTurn | undefined,
  following: Following | undefined,
): Promise<MadeAnswer | Refusal | typeof CONTROL_MOVED> {
  using followed = parts.control.follow(turn);
  const { moved } = followed;
  const stop = following === undefined ? moved : AbortSignal.any([following.left, moved]);
  const aloud = following && {
    begun: (messageId: string) => void (moved.aborted || following.begun(messageId)),
    said: (text: string) => void (moved.aborted || following.said(text)),
  };
  // A message that had to wait for its turn is answered with the agent's present settings.
  const making =
    begun?.answer({ aloud, stop }) ??
    makeAnswer(parts, turn, parts.openAnswering(turn.agentId), { aloud, signal: stop });
  const moving = new Promise<typeof CONTROL_MOVED>((resolve) =>
    moved.addEventListener("abort", () => resolve(CONTROL_MOVED), { once: true }),
  );
  return await Promise.race([making, moving]);
}

/** Told to nobody. */
const CALLER_LEFT = refuse("notAccepting", "the caller closed the connection");

async function beginWhenDue(
  { db, turnEnds }: CallersTurnParts,
  asked: AskedMessage,
  left: AbortSignal | undefined,
): Promise<Turn | Refusal> {
  const owner = newOwner(asked.callId);
  const since = performance.now();
  for (let waitMs = LOOK_AGAIN_MS.least; ; waitMs = Math.min(waitMs * 2, LOOK_AGAIN_MS.most)) {
    using before = turnEnds.follow(asked.conversationId);
    const begun = await beginCallersTurn(db, asked, owner);
    if (begun.kind === "begun") return begun.turn;
    if (begun.kind === "held_by_human") return refuseWhileHumanSpeaks();
    if (begun.kind === "over") return refusePassedOver();
    if (left?.aborted === true) return CALLER_LEFT;
    if (performance.now() - since > BEGIN_WITHIN_MS)
      return refuse("notAccepting", "earlier messages of this conversation are still being answered");
    await Promise.race([before.ended, sleepUnless(left, waitMs)]);
  }
}

/** Looks again after a while: the engine or another node may answer an earlier message, and does not tell this node. */
function sleepUnless(left: AbortSignal | undefined, ms: number): Promise<void> {
  return sleep(ms, undefined, left === undefined ? {} : { signal: left }).catch(() => undefined);
}

async function commitReply(
  parts: CallersTurnParts,
  turn: Turn,
  { messageId, answer, outcome, noAnswers }: MadeAnswer,
  scope: OnceScope,
): Promise<CallersReply | Refusal> {
  const { db, sealer, engine, broadcast, commit, log, metrics } = parts;
  const { agentId, conversationId } = turn;
  const createdAt = turn.now();
  const reply = replyOf(turn, { messageId, createdAt }, answer);
  const [due] = turn.due;
  if (due === undefined) throw new Error("a caller's turn is about one message");
  const { text, branch, suggestions, sources } = answer;
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
        sources,
        body: undefined,
        noAnswers,
      },
    ],
  };
  const committed =
    scope.idempotency === undefined ? await commit(item) : await commitOnce(db, sealer, scope, item, reply);
  if (committed.kind === "superseded")
    return (await recall<CallersReply>(db, sealer, scope)) ?? (await supersede(parts, turn));
  metrics.turns.inc({ outcome });
  logAnswered(log, turn, item.replies);
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
  const { suggestions = [], sources = [] } = answer;
  return {
    conversation_id,
    message_id,
    create_time,
    output,
    usage,
    sources,
    ...(suggestions.length > 0 && { suggestions }),
  };
}

/** The reply and what a repeat of its call is answered with commit together; a commit without an answer is read back. */
async function commitOnce(
  db: Database,
  sealer: Sealer,
  scope: OnceScope,
  item: TurnReplies,
  reply: CallersReply,
): Promise<CommitResult> {
  try {
    return await inTransaction(db, async (db) => {
      const [committed = { kind: "superseded" as const }] = await commitReplies(db, [item]);
      if (committed.kind === "committed")
        await remember(db, sealer, { ...scope, about: [reply.conversation_id] }, reply);
      return committed;
    });
  } catch (error) {
    const [found] = outcomeOf(error) === "unknown" ? await findCommitted(db, [item]) : [];
    if (found === undefined) throw error;
    return found;
  }
}

/** A node that made no sound for too long is taken for dead, and its caller's message is passed over. */
function refusePassedOver(): Refusal {
  return refuse("notAccepting", "the message could not be answered; send it again");
}

/** The reply is not to be: a human speaks here by now, the conversation was erased, or its message was passed over. */
async function supersede({ db, log, metrics }: CallersTurnParts, turn: Turn): Promise<Refusal> {
  metrics.turns.inc({ outcome: "superseded" });
  const messageIds = turn.due.map(({ id }) => id);
  logUnanswered(log, turn, "superseded", messageIds);
  await closeTurn(db, turn, "superseded");
  const conversation = await db
    .selectFrom("conversation")
    .select(["redacted_at", "epoch"])
    .where("agent_id", "=", turn.agentId)
    .where("id", "=", turn.conversationId)
    .executeTakeFirst();
  if (conversation === undefined || conversation.redacted_at !== null)
    return refuse("unknownConversation", "the conversation was erased");
  // Each time control moves the epoch rises.
  return conversation.epoch === turn.epoch ? refusePassedOver() : refuseWhileHumanSpeaks();
}

/** Nobody is left to answer: what comes behind this message does not wait for it. */
async function giveUp(
  { db, engine, log, metrics }: CallersTurnParts,
  turn: Turn,
  because: Refusal,
): Promise<Refusal> {
  metrics.turns.inc({ outcome: "abandoned" });
  const messageIds = turn.due.map(({ id }) => id);
  logUnanswered(log, turn, "abandoned", messageIds);
  const moreDue = await skipMessages(db, turn, turn.due[0]?.seq ?? 0);
  if (moreDue) void engine.send("turn", "run", objectKey(turn.agentId, turn.conversationId));
  return because;
}
