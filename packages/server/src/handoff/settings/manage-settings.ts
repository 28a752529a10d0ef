import { HandoffSettings, type InputOf } from "@signalbox/contract";
import { storeSettings } from "../../agents/index.ts";
import {
  OPERATOR_SCOPE,
  refuse,
  type Database,
  type OperatorCaller,
  type OperatorWriting,
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
    const missing = await operator.requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    await storeSettings(db, agent_id, { handoff_settings: JSON.stringify(settings) });
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
  const agent = await db
    .selectFrom("agent")
    .select("handoff_settings")
    .where("id", "=", agent_id)
    .where("id", "<>", OPERATOR_SCOPE)
    .executeTakeFirst();
  return agent === undefined
    ? refuse("notFound", "no agent has this agent_id")
    : HandoffSettings.parse(agent.handoff_settings);
}
