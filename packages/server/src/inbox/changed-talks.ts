import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import type { ChangedTalk } from "./announce-talk.ts";

const READ_MAX = 300;
/** A change is stamped when its transaction begins. */
const LATE_SECONDS = 10;

/** Each look tells which chats changed since the look before; the first tells nothing. */
export function createTalkWatch(db: Database): () => Promise<ChangedTalk[]> {
  let known: Map<string, number> | undefined;
  return async () => {
    const { rows } = await sql<{ agentId: string; talkId: string; changed_at: Date }>`
      select agent_id as "agentId", id as "talkId", changed_at from inbox_talk
      where changed_at > now() - ${LATE_SECONDS} * interval '1 second' order by changed_at desc limit ${READ_MAX}`.execute(
      db,
    );
    const before = known;
    const talks = rows.map(({ agentId, talkId, changed_at }) => ({
      agentId,
      talkId,
      changedAt: changed_at.getTime(),
    }));
    known = new Map(talks.map(({ talkId, changedAt }) => [talkId, changedAt]));
    if (before === undefined) return [];
    return talks.filter(({ talkId, changedAt }) => before.get(talkId) !== changedAt);
  };
}
