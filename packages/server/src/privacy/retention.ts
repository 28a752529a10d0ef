import type { InputOf, Retention, RetentionAction } from "@signalbox/contract";
import {
  requireAgent,
  requireLiveAgent,
  storeSettings,
  writeAsOperator,
  type OperatorParts,
} from "../agents/index.ts";
import { objectKey, type Engine } from "../engine/index.ts";
import { audit, Refusal, type Database, type OperatorCaller } from "../platform/index.ts";

/** The rule for agents without one of their own; without days conversations are kept. */
export interface ServiceRetention {
  days: number | undefined;
  action: RetentionAction;
}

export interface RetentionSettingParts {
  operator: OperatorParts;
  engine: Engine;
  retention: ServiceRetention;
}

export async function setRetention(
  { operator, engine, retention }: RetentionSettingParts,
  caller: OperatorCaller,
  { agent_id, days, action }: InputOf<"setRetention">,
): Promise<Retention | Refusal> {
  const result = await writeAsOperator(operator, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    await storeSettings(db, agent_id, { retention_days: days, retention_action: action });
    await audit(db, caller, {
      action: "agent.retention",
      agentId: agent_id,
      subjectId: agent_id,
      detail: { days, action },
    });
    return readRetention(db, retention, agent_id);
  });
  if (!(result instanceof Refusal)) void engine.send("retention", "expire", objectKey(agent_id, agent_id));
  return result;
}

export async function getRetention(
  { operator: { db }, retention }: RetentionSettingParts,
  { agent_id }: InputOf<"getRetention">,
): Promise<Retention | Refusal> {
  return (await requireAgent(db, agent_id)) ?? readRetention(db, retention, agent_id);
}

async function readRetention(db: Database, service: ServiceRetention, agentId: string): Promise<Retention> {
  const { retention_days: days, retention_action } = await db
    .selectFrom("agent")
    .select(["retention_days", "retention_action"])
    .where("id", "=", agentId)
    .executeTakeFirstOrThrow();
  // Safe because a constraint of the table allows no other.
  const action = retention_action as RetentionAction | null;
  return {
    days,
    action,
    effective: { days: days ?? service.days ?? null, action: action ?? service.action },
  };
}
