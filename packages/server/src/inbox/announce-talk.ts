import type { Broadcast } from "../platform/index.ts";

const WORD = /^inbox ([0-9a-f-]{36}) ([0-9a-f-]{36})$/;

export interface ChangedTalk {
  agentId: string;
  talkId: string;
}

/** Word to the consoles that follow changes, after the commit. Word that is lost costs them a second. */
export function announceTalk(
  { broadcast }: { broadcast: Pick<Broadcast, "tell"> },
  { agentId, talkId }: ChangedTalk,
): void {
  broadcast.tell(`inbox ${agentId} ${talkId}`);
}

export function readAnnounced(words: readonly string[]): ChangedTalk[] {
  return words.flatMap((word) => {
    const [, agentId, talkId] = WORD.exec(word) ?? [];
    return agentId === undefined || talkId === undefined ? [] : [{ agentId, talkId }];
  });
}
