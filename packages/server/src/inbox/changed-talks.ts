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
    const { rows } = await sql<ChangedTalk & { changed_at: Date }>`
      select agent_id as "agentId", id as "talkId", changed_at from inbox_talk
      where changed_at > now() - ${LATE_SECONDS} * interval '1 second' order by changed_at desc limit ${READ_MAX}`.execute(
      db,
    );
    const before = known;
    known = new Map(rows.map(({ talkId, changed_at }) => [talkId, changed_at.getTime()]));
    if (before === undefined) return [];
    return rows.filter(({ talkId, changed_at }) => before.get(talkId) !== changed_at.getTime());
  };
}
