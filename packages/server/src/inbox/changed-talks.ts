import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import type { ChangedTalk } from "./announce-talk.ts";

/** For one agent: a busy one takes no news from the others. */
const PER_AGENT = 100;
/** A change is stamped when its transaction begins. */
const LATE_SECONDS = 10;

/** Each look tells which chats changed since the look before; the first tells nothing. */
export function createTalkWatch(db: Database): () => Promise<ChangedTalk[]> {
  let known: Map<string, number> | undefined;
  return async () => {
    const { rows } = await sql<{ agentId: string; talkId: string; changed_at: Date }>`
      select "agentId", "talkId", changed_at from (
        select agent_id as "agentId", id as "talkId", changed_at,
          row_number() over (partition by agent_id order by changed_at desc) as place
        from inbox_talk where changed_at > now() - ${LATE_SECONDS} * interval '1 second') newest
      where place <= ${PER_AGENT}`.execute(db);
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
