import { HandoffSettings, type Language, type NoticeName } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import type { Database } from "../platform/index.ts";
import { NOTICE_TEXTS } from "./notices.ts";
import type { TimerLengths } from "./timers.ts";

/** How one agent hands over, as it is set up now. */
export interface AgentHandoffSettings {
  language: Language;
  settings: HandoffSettings;
}

export const DEFAULT_SETTINGS: HandoffSettings = HandoffSettings.parse({});

/** As a value of a larger statement, null when the agent is gone. */
export function settingsOf(agentId: string): RawBuilder<StoredSettings | null> {
  return sql`(select json_build_object('language', language, 'settings', handoff_settings)
    from agent where id = ${agentId} and deleted_at is null)`;
}

export interface StoredSettings {
  language: Language;
  settings: unknown;
}

export function openSettings({ language, settings }: StoredSettings): AgentHandoffSettings {
  return { language, settings: HandoffSettings.parse(settings) };
}

/** Undefined when the agent is gone, or has no desk to hand over to. */
export async function readSettingsWithDesk(
  db: Database,
  agentId: string,
): Promise<AgentHandoffSettings | undefined> {
  const { rows } = await sql<{ agent: StoredSettings | null }>`
    select ${settingsOf(agentId)} as agent where exists (
      select from webhook where agent_id = ${agentId} and kind = 'human_service' and deleted_at is null)`.execute(
    db,
  );
  const stored = rows[0]?.agent ?? undefined;
  return stored && openSettings(stored);
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
