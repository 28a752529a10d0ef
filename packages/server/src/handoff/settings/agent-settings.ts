import { HandoffSettings, type HandoffTimer, type Language, type NoticeName } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import type { Database } from "../../platform/index.ts";
import type { TimerLength, TimerLengths } from "../machine/timers.ts";
import { NOTICE_TEXTS } from "./notice-texts.ts";

/** How one agent hands over, as it is set up now. */
export interface AgentHandoffSettings {
  language: Language;
  settings: HandoffSettings;
}

export const DEFAULT_SETTINGS: HandoffSettings = HandoffSettings.parse({});

/** As a value of a larger statement, null when the agent is gone. */
export function settingsOf(agentId: string | RawBuilder<string>): RawBuilder<StoredSettings | null> {
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

/** A desk may give its humans another time for the first reply than the agent does. */
export function timerLengths({ timers }: HandoffSettings, firstReply?: HandoffTimer | null): TimerLengths {
  return {
    first_reply: lengthOf(firstReply ?? timers.first_reply),
    human_idle: lengthOf(timers.human_idle),
    user_idle: lengthOf(timers.user_idle),
  };
}

function lengthOf({ seconds, warn_seconds }: HandoffTimer): TimerLength {
  const warnings = [warn_seconds].flat().filter((warn) => warn > 0);
  return { lengthMs: seconds * 1000, warnMs: warnings.toSorted((a, b) => b - a).map((warn) => warn * 1000) };
}

/** Undefined when the agent keeps this to itself. */
export function noticeText(
  { language, settings }: AgentHandoffSettings,
  notice: NoticeName,
): string | undefined {
  const worded = settings.notices[notice]?.[language];
  return worded === null ? undefined : (worded ?? NOTICE_TEXTS[notice][language]);
}
