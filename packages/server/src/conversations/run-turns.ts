import { answerQuestion } from "../answering/index.ts";
import { objectKey, type Engine, type EngineObject, type Work } from "../engine/index.ts";
import { newId, type Database, type Log, type Metrics } from "../platform/index.ts";
import { responseMessageBytes } from "./response-message.ts";
import { abandonTurns, beginTurn, closeTurn, commitReply, type Turn } from "./turn-store.ts";

export interface TurnParts {
  db: Database;
  engine: Engine;
  log: Log;
  metrics: Metrics;
  stopping: AbortSignal;
}

/** Every worker acts for the engine, which runs one at a time: a turn left by a dead worker is taken over at once. */
const OWNER = "engine";
const LEASE_MS = 60_000;
const RUN_MS = 30_000;
const LONGEST_MS = 60_000;

/** One reply of the agent at a time, for each conversation. */
export function turnObject(parts: TurnParts): EngineObject {
  return { name: "turn", longestMs: LONGEST_MS, handlers: { run: (work) => runTurns(parts, work) } };
}

/** Answers what is due in one conversation, message by message, until nothing is or time is up. */
async function runTurns(parts: TurnParts, { agentId, id: conversationId, ended }: Work): Promise<void> {
  const { db, engine, stopping } = parts;
  const begun = performance.now();
  const key = objectKey(agentId, conversationId);
  for (;;) {
    const result = await beginTurn(db, agentId, conversationId, { owner: OWNER, leaseMs: LEASE_MS });
    if (result.kind === "nothing_due") return;
    if (result.kind === "taken") {
      await engine.send("turn", "run", key, LEASE_MS);
      return;
    }
    const moreDue = await answerOne(parts, agentId, conversationId, result.turn);
    if (!moreDue) return;
    if (ended.aborted || stopping.aborted || performance.now() - begun > RUN_MS) {
      await engine.send("turn", "run", key);
      return;
    }
  }
}

/** True when another message waits. */
async function answerOne(
  { db, engine, log, metrics }: TurnParts,
  agentId: string,
  conversationId: string,
  turn: Turn,
): Promise<boolean> {
  const answer = await answerQuestion(db, agentId, turn.question);
  if (answer === undefined) {
    await closeTurn(db, agentId, conversationId, turn, "abandoned");
    await abandonTurns(db, agentId, conversationId);
    metrics.turns.inc({ outcome: "abandoned" });
    return false;
  }
  const messageId = newId();
  const { userId, anonymousId } = turn;
  const body = responseMessageBytes({
    conversationId,
    messageId,
    userId,
    anonymousId,
    answer,
    createdAt: new Date(),
  });
  const committed = await commitReply(db, agentId, conversationId, turn, {
    messageId,
    text: answer.text,
    body,
  });
  if (committed.kind === "superseded") {
    await closeTurn(db, agentId, conversationId, turn, "superseded");
    metrics.turns.inc({ outcome: "superseded" });
    // Whatever superseded it may have left more to do: the next look finds out.
    return true;
  }
  metrics.turns.inc({ outcome: answer.branch });
  log.debug({ agentId, conversationId, messageId, branch: answer.branch }, "reply committed");
  if (committed.wokenLaneId !== undefined)
    await engine.send("lane", "drain", objectKey(agentId, committed.wokenLaneId));
  return committed.moreDue;
}
