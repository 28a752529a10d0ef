import { drainUndrained, type DrainLane } from "../../delivery/index.ts";
import {
  actAfterCommit,
  objectKey,
  type AfterCommitParts,
  type Alarm,
  type Engine,
  type EngineObject,
  type Work,
} from "../../engine/index.ts";
import type { Database, Log } from "../../platform/index.ts";
import { TIMER_ALARM } from "../machine/timers.ts";
import { conversationOf } from "../steps/lock-conversation.ts";
import { lookTogether, type LookTogether } from "./look-together.ts";

/** With the drains of what it said. */
const LONGEST_MS = 60_000;

export interface HandoffObjectParts extends AfterCommitParts {
  db: Database;
  drain: DrainLane;
  log: Log;
}

/** The deadlines of one handoff. They stand in PostgreSQL; the engine only says that it is time to look. */
export function handoffObject(parts: HandoffObjectParts): EngineObject {
  const look = lookTogether(parts.db, parts.log);
  return {
    name: "handoff",
    longestMs: LONGEST_MS,
    handlers: { look: (work) => lookAtHandoff({ ...parts, look }, work) },
  };
}

/** Wakes those whose time came within the slot, each by a call; calls that are due now share an invocation (ADR 0024). */
export function handoffAlarm({ db, engine }: { db: Database; engine: Engine }): Alarm {
  return {
    name: TIMER_ALARM,
    async ring({ fromMs, untilMs }) {
      const due = await db
        .selectFrom("handoff")
        .select(["agent_id", "id"])
        .where("timer_wake_at", ">=", new Date(fromMs))
        .where("timer_wake_at", "<", new Date(untilMs))
        .execute();
      await Promise.all(
        due.map(({ agent_id, id }) => engine.send("handoff", "look", objectKey(agent_id, id))),
      );
    },
  };
}

/** A look is done when what it said is sent, or waits for another call: a worker that dies leaves both to the call that is made again. */
async function lookAtHandoff(parts: HandoffObjectParts & { look: LookTogether }, work: Work): Promise<void> {
  const { db, drain, look } = parts;
  const { agentId, id: handoffId, callId } = work;
  const result = await look({ agentId, handoffId, callId, calledAt: performance.now() });
  if (result.kind === "unreadable") throw result.error;
  if (result.kind === "moved") {
    const drains = result.lanes.map(({ id, claim }) => drain({ ...work, id }, claim));
    await Promise.allSettled([...drains, actAfterCommit(parts, result.calls)]);
    await Promise.all(drains);
    return;
  }
  await actAfterCommit(parts, result.calls);
  // If it is made again, because its worker died or a drain failed, what it committed then may not be sent yet.
  const conversationId = await conversationOf(db, agentId, handoffId);
  if (conversationId !== undefined) await drainUndrained(parts, { ...work, id: conversationId });
}
