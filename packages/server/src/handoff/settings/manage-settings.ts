import { HandoffSettings, type InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import type { OperatorWriting } from "../../delivery/index.ts";
import {
  OPERATOR_SCOPE,
  refuse,
  type Database,
  type OperatorCaller,
  type Refusal,
} from "../../platform/index.ts";

export interface SettingsParts {
  db: Database;
  operator: OperatorWriting;
}

/** Replaced as a whole; what is open goes on under the new ones. */
export function setHandoffSettings(
  { operator }: SettingsParts,
  caller: OperatorCaller,
  { agent_id, ...settings }: InputOf<"setHandoffSettings">,
): Promise<HandoffSettings | Refusal> {
  return operator.write(caller, async (db): Promise<HandoffSettings | Refusal> => {
    const agent = await readAgent(db, agent_id);
    if (agent === undefined) return noAgent();
    if (agent.deleted_at !== null) return refuse("agentDeleted");
    await db
      .updateTable("agent")
      .set({ handoff_settings: JSON.stringify(settings), updated_at: sql<Date>`now()` })
      .where("id", "=", agent_id)
      .execute();
    await operator.audit(db, caller, {
      action: "handoff_settings.update",
      agentId: agent_id,
      subjectId: agent_id,
      detail: { no_answer_limit: settings.no_answer_limit, timers: settings.timers },
    });
    return settings;
  });
}

export async function getHandoffSettings(
  { db }: SettingsParts,
  { agent_id }: InputOf<"getHandoffSettings">,
): Promise<HandoffSettings | Refusal> {
  const agent = await readAgent(db, agent_id);
  if (agent === undefined) return noAgent();
  return HandoffSettings.parse(agent.handoff_settings);
}

function readAgent(db: Database, agentId: string) {
  return db
    .selectFrom("agent")
    .select(["deleted_at", "handoff_settings"])
    .where("id", "=", agentId)
    .where("id", "<>", OPERATOR_SCOPE)
    .executeTakeFirst();
}

function noAgent(): Refusal {
  return refuse("notFound", "no agent has this agent_id");
}
