import type { Answer, Answerer, AnswerOptions, OpenAnswering } from "../answering/index.ts";
import { drainUndrained, responseMessageBytes, type Claim, type DrainLane } from "../delivery/index.ts";
import { objectKey, type AfterCommitParts, type EngineObject, type Work } from "../engine/index.ts";
import { openTriggers } from "../handoff/index.ts";
import {
  describeAgentSpan,
  inTrace,
  newId,
  startSpan,
  traceparentOf,
  type Database,
  type Log,
  type Metrics,
} from "../platform/index.ts";
import { skipMessages } from "./callers-turn-store.ts";
import type { Reply, TurnReplies } from "./commit-replies.ts";
import { commitTogether, type CommitTogether } from "./commit-together.ts";
import { handOver, handOverCause, type AnswerFacts } from "./hand-over.ts";
import { logAnswered, logUnanswered } from "./log-turn.ts";
import { noAnswersAfter, settlesRequest, storedBranch, turnOutcome } from "./answer-outcome.ts";
import { recallLately, recallOffer } from "./memory.ts";
import { readTogether, type ReadTogether } from "./read-turns.ts";
import {
  abandonTurns,
  closeTurn,
  LEASE_MAX_MS,
  renewLease,
  type DueMessage,
  type Turn,
} from "./turn-store.ts";
import { beginTogether, type BeginTogether } from "./turns-together.ts";

export interface TurnParts extends AfterCommitParts {
  db: Database;
  openAnswering: OpenAnswering;
  drain: DrainLane;
  log: Log;
  metrics: Metrics;
  stopping: AbortSignal;
}

/** A turn left by a dead worker is taken over at once by the same call, which the engine makes again, and by others after the lease. */
const CLAIM = { leaseMs: 15_000, waitsMs: LEASE_MAX_MS, most: 20 };
const RENEW_EVERY_MS = CLAIM.leaseMs / 3;
const RUN_MS = 30_000;
/** With the drain of what was answered last. */
const LONGEST_MS = 75_000;
/** A reply waits this long at most for those that follow it in the same turn. */
const GATHER_MS = 200;

/** One reply of the agent at a time, for each conversation. */
export function turnObject(parts: TurnParts): EngineObject {
  const { db, log } = parts;
  const together = {
    read: readTogether(db, CLAIM, log),
    begin: beginTogether(db, CLAIM, log),
    commit: commitTogether(db, log),
  };
  const run = (work: Work) => runAndDeliver({ ...parts, ...together }, work);
  return { name: "turn", longestMs: LONGEST_MS, handlers: { run } };
}

type SharedParts = TurnParts & { read: ReadTogether; begin: BeginTogether; commit: CommitTogether };

/** An answer, and the trace context it was made in. */
interface TracedAnswer {
  answer: Answer;
  traceparent: string | undefined;
}

/** `done`: nothing is due any more. `more`: something may be. `open`: it has to be opened for what comes next. */
type TurnEnd = "done" | "more" | "open";

interface RunParts extends SharedParts {
  work: Work;
  /** Sends replies while the turn goes on with the next messages. */
  deliver: (laneId: string, claim?: Claim) => void;
  /** It has begun to. */
  delivers: () => boolean;
  /** Made before the turn had to be opened, by the message they answer: what was looked up is not looked up again. */
  answers: Map<string, TracedAnswer>;
}

/** A turn is done when what it answered is sent, or waits for another call: a worker that dies leaves both to the call that is made again. */
async function runAndDeliver(parts: SharedParts, work: Work): Promise<void> {
  const drains: Promise<void>[] = [];
  const deliver = (laneId: string, claim?: Claim) => {
    const drain = parts.drain({ ...work, id: laneId }, claim);
    // It is awaited when the turn is over; until then a failure must not count as unhandled.
    drain.catch(() => undefined);
    drains.push(drain);
  };
  try {
    await runTurns({ ...parts, work, deliver, delivers: () => drains.length > 0, answers: new Map() });
  } finally {
    await Promise.allSettled(drains);
  }
  await Promise.all(drains);
}

/**
 * Answers what is due in one conversation, message by message, until nothing is or time is up. A turn is read, and opened only
 * if it asks a model, hands over or passes messages over: then nobody else may be at it meanwhile (ADR 0033).
 */
async function runTurns(parts: RunParts): Promise<void> {
  const { read, begin, delivers, engine, stopping, work } = parts;
  const { agentId, id: conversationId, callId, ended } = work;
  const begun = performance.now();
  const key = objectKey(agentId, conversationId);
  for (let take: ReadTogether | BeginTogether = read; ;) {
    const result = await take({ agentId, conversationId, callId });
    // If it is made again, because its worker died or a drain failed, what it committed then may not be sent yet.
    if (result.kind === "nothing_due") return delivers() ? undefined : drainUndrained(parts, work);
    if (result.kind === "taken") {
      await engine.send("turn", "run", key, CLAIM.leaseMs);
      return;
    }
    const { turn } = result;
    const end = await (turn.id === undefined ? takeTurn(parts, turn) : holding(parts, turn));
    if (end === "done") return;
    if (end === "open") take = begin;
    if (ended.aborted || stopping.aborted || performance.now() - begun > RUN_MS) {
      await engine.send("turn", "run", key);
      return;
    }
  }
}

/** A model may take longer than a silent worker has the turn. */
async function holding(parts: RunParts, turn: Turn): Promise<TurnEnd> {
  const { db, log, work } = parts;
  const renew = () =>
    renewLease(db, turn, work.callId, CLAIM.leaseMs).catch((error: unknown) =>
      log.debug("lease_not_renewed", { err: error, turnId: turn.id }),
    );
  const renewing = setInterval(() => void renew(), RENEW_EVERY_MS);
  try {
    return await takeTurn(parts, turn);
  } finally {
    clearInterval(renewing);
  }
}

async function takeTurn(parts: RunParts, turn: Turn): Promise<TurnEnd> {
  const { db, log, metrics, openAnswering } = parts;
  const isOpen = turn.id !== undefined;
  const [answerer, triggers] = await Promise.all([
    openAnswering(turn.agentId),
    turn.hasDesk ? openTriggers(db, turn, turn.deskSettings) : undefined,
  ]);
  if (answerer === undefined) {
    await closeTurn(db, turn, "abandoned");
    await abandonTurns(db, turn);
    metrics.turns.inc({ outcome: "abandoned" }, turn.due.length);
    const messageIds = turn.due.map(({ id }) => id);
    logUnanswered(log, turn, "abandoned", messageIds);
    return "done";
  }
  // The call goes on alone: calls that share an invocation do not wait for a model.
  if (answerer.asksModels && (await parts.work.goAlone?.()) === true) return "done";
  if (!isOpen && (answerer.asksModels || turn.due.some(({ isLeft }) => isLeft))) return "open";
  // A model may take half a minute: the drain is then another call's, whose time begins with it.
  const sentBy = answerer.asksModels ? undefined : parts.work.callId;
  const begun = performance.now();
  let gathered: Reply[] = [];
  let gatheredSince = performance.now();
  let moreDue = false;
  let { noAnswers } = turn;
  const commitSoFar = async () => {
    if (
      gathered.length > 0 &&
      (await commitGathered(parts, { turn, replies: gathered, sentBy })) === undefined
    )
      return false;
    gathered = [];
    return true;
  };
  const handedOver = async (due: DueMessage, facts?: AnswerFacts): Promise<TurnEnd | undefined> => {
    const cause = triggers && handOverCause(triggers, turn, due, facts);
    if (triggers === undefined || cause === undefined) return undefined;
    if (!(await commitSoFar())) return "more";
    if (!isOpen) return "open";
    return (await handOver(parts, triggers, turn, due, cause)) ? "more" : undefined;
  };

  const answerable = turn.due.filter(({ isLeft }) => !isLeft);
  for (const [index, due] of answerable.entries()) {
    // Before the agent is asked: who wants a person pays for no answer.
    const endBefore = await handedOver(due);
    if (endBefore !== undefined) return endBefore;
    const answered =
      parts.answers.get(due.id) ??
      (await answerInTrace(answerer, turn, due, {
        conversationId: turn.conversationId,
        offersPerson: triggers !== undefined && !turn.isQuiet,
        recall: () => recallLately(db, turn, due),
        offered: () => recallOffer(db, turn, due),
        within: due.answerWith?.within,
        showsCitations: due.answerWith?.showsCitations,
        payer: due.answerWith?.payer,
      }));
    const { answer, traceparent } = answered;
    const isAnswered = settlesRequest(answer);
    noAnswers = noAnswersAfter(noAnswers, answer);
    const end = await handedOver(due, { isAnswered, noAnswers, modelAsks: answer.asksForPerson });
    if (end === "open") parts.answers.set(due.id, answered);
    if (end !== undefined) return end;
    gathered.push(replyTo(parts, turn, due, answer, { noAnswers, traceparent }));
    const isLast = index === answerable.length - 1;
    if (!isLast && performance.now() - gatheredSince < GATHER_MS) continue;
    const committed = await commitGathered(parts, { turn, replies: gathered, sentBy });
    // Whatever superseded it may have left more to do: the next look finds out.
    if (committed === undefined) return "more";
    ({ moreDue } = committed);
    // A model may take its time with each of them: what is left is a turn of its own.
    if (performance.now() - begun > RUN_MS) {
      if (!isLast) await closeTurn(db, turn, "superseded");
      return moreDue || !isLast ? "more" : "done";
    }
    gathered = [];
    gatheredSince = performance.now();
  }
  const last = turn.due.at(-1);
  if (last?.isLeft === true) moreDue = await skipMessages(db, turn, last.seq);
  return moreDue ? "more" : "done";
}

/** In the trace of the message, which its delivery goes on. */
async function answerInTrace(
  answerer: Answerer,
  turn: Turn,
  { id, text, traceparent }: DueMessage,
  options: AnswerOptions,
): Promise<TracedAnswer> {
  const span = startSpan("agent.turn", "internal", traceparent);
  try {
    const below = traceparentOf(span);
    const answer = await inTrace(below, turn, () => answerer(text, options));
    describeAgentSpan(span, turn, text, answer);
    span.setAttributes({ "signalbox.message": id, "signalbox.branch": answer.branch });
    return { answer, traceparent: below };
  } finally {
    span.end();
  }
}

function replyTo(
  { metrics }: TurnParts,
  turn: Turn,
  due: DueMessage,
  answer: Answer,
  more: Pick<Reply, "noAnswers" | "traceparent">,
): Reply {
  metrics.turns.inc({ outcome: turnOutcome(answer) });
  const { conversationId, userId, anonymousId } = turn;
  const [messageId, createdAt] = [newId(), turn.now()];
  const body = responseMessageBytes({
    conversationId,
    messageId,
    userId,
    anonymousId,
    ...answer,
    createdAt,
  });
  const { text, suggestions, sources } = answer;
  const branch = storedBranch(answer);
  return {
    toSeq: due.seq,
    inReplyTo: due.id,
    messageId,
    createdAt,
    text,
    branch,
    suggestions,
    sources,
    body,
    ...more,
  };
}

/** Undefined when somebody else answered, or may speak now instead. */
async function commitGathered(
  { db, engine, broadcast, log, metrics, commit, deliver, delivers }: RunParts,
  answered: TurnReplies,
): Promise<{ moreDue: boolean } | undefined> {
  const { turn, replies } = answered;
  const { agentId, conversationId } = turn;
  const committed = await commit(answered);
  if (committed.kind === "superseded") {
    await closeTurn(db, turn, "superseded");
    metrics.turns.inc({ outcome: "superseded" }, replies.length);
    const messageIds = replies.map(({ inReplyTo }) => inReplyTo);
    logUnanswered(log, turn, "superseded", messageIds);
    return undefined;
  }
  logAnswered(log, turn, replies);
  if (turn.isLive) broadcast.tell(objectKey(agentId, conversationId));
  const { lane } = committed;
  if (lane?.is === "claimed") deliver(lane.id, lane.claim);
  else if (lane?.is === "held" && !delivers()) deliver(lane.id);
  else if (lane?.is === "woken") await engine.send("lane", "drain", objectKey(agentId, lane.id));
  return { moreDue: committed.moreDue };
}
