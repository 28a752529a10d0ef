import { HandoffSettings, type Language, type NoticeName } from "@signalbox/contract";
import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import { NOTICE_TEXTS } from "./notices.ts";
import type { TimerLengths } from "./timers.ts";

/** How one agent hands over, as it is set up now. */
export interface AgentHandoffSettings {
  language: Language;
  settings: HandoffSettings;
}

export const DEFAULT_SETTINGS: HandoffSettings = HandoffSettings.parse({});

/** Undefined when the agent is gone; where one is asked for, also when it has no desk. */
export async function readSettings(
  db: Database,
  agentId: string,
  needs: "nothing" | "a desk" = "nothing",
): Promise<AgentHandoffSettings | undefined> {
  const { rows } = await sql<{ language: Language; settings: unknown }>`
    select language, handoff_settings as settings from agent
    where id = ${agentId} and deleted_at is null and (${needs} = 'nothing' or exists (
      select from webhook where agent_id = ${agentId} and kind = 'human_service' and deleted_at is null))`.execute(
    db,
  );
  const row = rows[0];
  return row === undefined
    ? undefined
    : { language: row.language, settings: HandoffSettings.parse(row.settings) };
}

export function timerLengths({ timers }: HandoffSettings): TimerLengths {
  const length = ({ seconds, warn_seconds }: { seconds: number; warn_seconds: number }) => ({
    lengthMs: seconds * 1000,
    warnMs: warn_seconds * 1000,
  });
  return {
    first_reply: length(timers.first_reply),
    human_idle: length(timers.human_idle),
    user_idle: length(timers.user_idle),
  };
}

/** Undefined when the agent keeps this to itself. */
export function noticeText(
  { language, settings }: AgentHandoffSettings,
  notice: NoticeName,
): string | undefined {
  const worded = settings.notices[notice]?.[language];
  return worded === null ? undefined : (worded ?? NOTICE_TEXTS[notice][language]);
}
