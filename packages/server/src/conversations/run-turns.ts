import type { Answer, Answerer, AnswerOptions, OpenAnswering } from "../answering/index.ts";
import { responseMessageBytes } from "../delivery/index.ts";
import { objectKey, type Engine, type EngineObject, type Work } from "../engine/index.ts";
import { openTriggers } from "../handoff/index.ts";
import { newId, startSpan, traceparentOf, type Database, type Log, type Metrics } from "../platform/index.ts";
import { passOver } from "./callers-turn-store.ts";
import { handOver, type AnswerFacts } from "./hand-over.ts";
import { noAnswersAfter, settlesRequest, turnOutcome } from "./answer-outcome.ts";
import { recallLately, recallOffer } from "./memory.ts";
import { abandonTurns, closeTurn, type DueMessage, type Reply, type Turn } from "./turn-store.ts";
import { beginTogether, commitTogether, type BeginTogether, type CommitTogether } from "./turns-together.ts";

export interface TurnParts {
  db: Database;
  engine: Engine;
  openAnswering: OpenAnswering;
  log: Log;
  metrics: Metrics;
  stopping: AbortSignal;
}

/** Every worker acts for the engine, which runs one at a time: a turn left by a dead worker is taken over at once. */
const CLAIM = { owner: "engine", leaseMs: 60_000, most: 20 };
const RUN_MS = 30_000;
const LONGEST_MS = 60_000;
/** A reply waits this long at most for those that follow it in the same turn. */
const GATHER_MS = 200;

/** One reply of the agent at a time, for each conversation. */
export function turnObject(parts: TurnParts): EngineObject {
  const { db, log } = parts;
  const together = { begin: beginTogether(db, CLAIM, log), commit: commitTogether(db, log) };
  const run = (work: Work) => runTurns({ ...parts, ...together }, work);
  return { name: "turn", longestMs: LONGEST_MS, handlers: { run } };
}

type RunParts = TurnParts & { begin: BeginTogether; commit: CommitTogether };

/** Answers what is due in one conversation, message by message, until nothing is or time is up. */
async function runTurns(parts: RunParts, { agentId, id: conversationId, ended }: Work): Promise<void> {
  const { begin, engine, stopping } = parts;
  const begun = performance.now();
  const key = objectKey(agentId, conversationId);
  for (;;) {
    const result = await begin({ agentId, conversationId });
    if (result.kind === "nothing_due") return;
    if (result.kind === "taken") {
      await engine.send("turn", "run", key, CLAIM.leaseMs);
      return;
    }
    const moreDue = await takeTurn(parts, result.turn);
    if (!moreDue) return;
    if (ended.aborted || stopping.aborted || performance.now() - begun > RUN_MS) {
      await engine.send("turn", "run", key);
      return;
    }
  }
}

/** True when more may be due. */
async function takeTurn(parts: RunParts, turn: Turn): Promise<boolean> {
  const { db, metrics, openAnswering } = parts;
  const [answerer, triggers] = await Promise.all([
    openAnswering(turn.agentId),
    turn.hasDesk ? openTriggers(db, turn) : undefined,
  ]);
  if (answerer === undefined) {
    await closeTurn(db, turn, "abandoned");
    await abandonTurns(db, turn);
    metrics.turns.inc({ outcome: "abandoned" }, turn.due.length);
    return false;
  }
  const begun = performance.now();
  let gathered: Reply[] = [];
  let gatheredSince = performance.now();
  let moreDue = false;
  let { noAnswers } = turn;
  const commitSoFar = async () => {
    if (gathered.length > 0 && (await commitGathered(parts, turn, gathered)) === undefined) return false;
    gathered = [];
    return true;
  };
  const isHandedOver = async (due: DueMessage, facts?: AnswerFacts) =>
    triggers !== undefined && handOver(parts, triggers, turn, due, facts, commitSoFar);

  const answerable = turn.due.filter(({ isLeft }) => !isLeft);
  for (const [index, due] of answerable.entries()) {
    // Before the agent is asked: who wants a person pays for no answer.
    if (await isHandedOver(due)) return true;
    const { answer, traceparent } = await answerInTrace(answerer, due, {
      conversationId: turn.conversationId,
      offersPerson: triggers !== undefined && !turn.isQuiet,
      recall: () => recallLately(db, turn, due),
      offered: () => recallOffer(db, turn, due),
      within: due.answerWith?.within,
    });
    const isAnswered = settlesRequest(answer);
    noAnswers = noAnswersAfter(noAnswers, answer);
    if (await isHandedOver(due, { isAnswered, noAnswers, modelAsks: answer.asksForPerson })) return true;
    gathered.push(replyTo(parts, turn, due, answer, { noAnswers, traceparent }));
    const isLast = index === answerable.length - 1;
    if (!isLast && performance.now() - gatheredSince < GATHER_MS) continue;
    const committed = await commitGathered(parts, turn, gathered);
    // Whatever superseded it may have left more to do: the next look finds out.
    if (committed === undefined) return true;
    ({ moreDue } = committed);
    // A model may take its time with each of them: what is left is a turn of its own.
    if (performance.now() - begun > RUN_MS) return moreDue || !isLast;
    gathered = [];
    gatheredSince = performance.now();
  }
  const last = turn.due.at(-1);
  return last?.isLeft === true ? passOver(db, turn, last.seq) : moreDue;
}

/** In the trace of the message, which its delivery goes on. */
async function answerInTrace(
  answerer: Answerer,
  { id, text, traceparent }: DueMessage,
  options: AnswerOptions,
): Promise<{ answer: Answer; traceparent: string | undefined }> {
  const span = startSpan("agent.turn", "internal", traceparent);
  try {
    const answer = await answerer(text, options);
    span.setAttributes({ "signalbox.message": id, "signalbox.branch": answer.branch });
    return { answer, traceparent: traceparentOf(span) };
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
  const { text, branch, suggestions } = answer;
  return {
    toSeq: due.seq,
    inReplyTo: due.id,
    messageId,
    createdAt,
    text,
    branch,
    suggestions,
    body,
    ...more,
  };
}

/** Undefined when somebody else answered, or may speak now instead. */
async function commitGathered(
  { db, engine, log, metrics, commit }: RunParts,
  turn: Turn,
  replies: Reply[],
): Promise<{ moreDue: boolean } | undefined> {
  const { agentId, conversationId } = turn;
  const committed = await commit({ turn, replies });
  if (committed.kind === "superseded") {
    await closeTurn(db, turn, "superseded");
    metrics.turns.inc({ outcome: "superseded" }, replies.length);
    return undefined;
  }
  log.debug("replies_committed", {
    agentId,
    conversationId,
    replies: replies.map(({ messageId }) => messageId),
  });
  if (turn.isLive) engine.announce(objectKey(agentId, conversationId));
  if (committed.wokenLaneId !== undefined)
    await engine.send("lane", "drain", objectKey(agentId, committed.wokenLaneId));
  return { moreDue: committed.moreDue };
}
