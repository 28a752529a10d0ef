import type { Broadcast } from "../platform/index.ts";

const WORD = /^inbox ([0-9a-f-]{36}) ([0-9a-f-]{36})(?: (\d{1,15}))?$/;

export interface ChangedTalk {
  agentId: string;
  talkId: string;
  /** Milliseconds since 1970, by the clock of the database: tells this change from the next one. */
  changedAt?: number | undefined;
}

/** Word to the consoles that follow changes, after the commit. Word that is lost costs them a second. */
export function announceTalk(
  { broadcast }: { broadcast: Pick<Broadcast, "tell"> },
  { agentId, talkId, changedAt }: ChangedTalk,
): void {
  broadcast.tell(`inbox ${agentId} ${talkId}${changedAt === undefined ? "" : ` ${changedAt}`}`);
}

export function readAnnounced(words: readonly string[]): ChangedTalk[] {
  return words.flatMap((word) => {
    const [, agentId, talkId, changedAt] = WORD.exec(word) ?? [];
    if (agentId === undefined || talkId === undefined) return [];
    return [{ agentId, talkId, changedAt: changedAt === undefined ? undefined : Number(changedAt) }];
  });
}
