import type { Database } from "../../platform/index.ts";
import { readSettingsWithDesk } from "../settings/agent-settings.ts";
import { triggerOf } from "./triggers.ts";

/** Whether a message is handed over; `isAnswered` is undefined before the agent was asked. */
export type HandsOver = (text: string, isAnswered: boolean | undefined) => boolean;

/** Judges a message as the first of a conversation would be. Undefined when the agent has no desk, and hands nothing over. */
export async function openTriedMessage(db: Database, agentId: string): Promise<HandsOver | undefined> {
  const agent = await readSettingsWithDesk(db, agentId);
  if (agent === undefined) return undefined;
  const first = { seq: 1, quietSeq: 0, isQuiet: false, modelAsks: false };
  return (text, isAnswered) => {
    const noAnswers = isAnswered === false ? 1 : 0;
    return triggerOf({ ...first, text, isAnswered, noAnswers }, agent.settings) !== undefined;
  };
}
