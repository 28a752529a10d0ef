import type { Erasure, InputOf, UserOfAgent } from "@signalbox/contract";
import { requireAgent, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { objectKey, type Engine } from "../engine/index.ts";
import {
  audit,
  newId,
  OPERATOR_SCOPE,
  Refusal,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { readErasure } from "./erasures.ts";
import { subjectOf } from "./subject.ts";

export interface EraseUserParts {
  operator: OperatorParts;
  engine: Engine;
  /** Nobody comes back to the live channel with a token from before. */
  revokeChatTokens: (db: Database, agentId: string, user: UserOfAgent) => Promise<unknown>;
}

/**
 * Erases one user of an agent, in the background and in batches. The agent may be deleted: its grace is no reason to wait.
 * The audit row says that it happened, and not to whom.
 */
export async function eraseUser(
  { operator, engine, revokeChatTokens }: EraseUserParts,
  caller: OperatorCaller,
  { agent_id, ...user }: InputOf<"eraseUser">,
): Promise<Erasure | Refusal> {
  const subject = subjectOf(agent_id, user);
  const result = await writeAsOperator(operator, caller, async (db) => {
    const missing = await requireAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const id = newId();
    await db
      .insertInto("erasure")
      .values({ id, agent_id, scope: subject.scope, subject_id: subject.id })
      .execute();
    await revokeChatTokens(db, agent_id, user);
    await audit(db, caller, {
      action: "user.erase",
      agentId: agent_id,
      subjectId: id,
      detail: { scope: subject.scope },
    });
    return readErasure(db, id);
  });
  // A call that is lost the reconciler makes.
  if (!(result instanceof Refusal))
    void engine.send("erasure", "step", objectKey(OPERATOR_SCOPE, result.erasure_id));
  return result;
}
