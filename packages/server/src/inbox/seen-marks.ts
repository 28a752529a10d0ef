import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { objectKey } from "../engine/index.ts";
import {
  inTransaction,
  once,
  type ChatCaller,
  type OperatorCaller,
  type Refusal,
} from "../platform/index.ts";
import { announceTalk } from "./announce-talk.ts";
import type { TalkParts } from "./take-talk.ts";
import { isHeldBy, lockTalk, noTalk, refuseHeld } from "./talk-row.ts";

/** Never back: of two windows the one that has seen more counts. The user is told what the holder has seen. */
export async function markTalkSeen(
  parts: TalkParts,
  caller: OperatorCaller,
  { sequence, ...path }: InputOf<"markTalkSeen">,
): Promise<Acknowledged | Refusal> {
  const { agent_id: agentId, talk_id: talkId } = path;
  const { idempotency } = caller;
  let raised: string | undefined;
  const seen = await inTransaction(parts.db, (db) =>
    once(db, parts.sealer, { agentId, idempotency }, async (db) => {
      const talk = await lockTalk(db, path);
      if (talk === undefined) return noTalk();
      if (talk.state === "taken" && !isHeldBy(talk, caller)) return refuseHeld(talk);
      const { rows } = await sql`
        update inbox_talk t set changed_at = now(), seen_seq = least(${sequence}::bigint, c.last_seq)
        from conversation c
        where c.agent_id = ${agentId} and c.id = ${talk.conversation_id} and t.agent_id = ${agentId} and t.id = ${talkId}
          and t.seen_seq < least(${sequence}::bigint, c.last_seq) returning t.id`.execute(db);
      if (rows.length > 0) raised = talk.conversation_id;
      return ACKNOWLEDGED;
    }),
  );
  if (raised === undefined) return seen;
  announceTalk(parts, { agentId, talkId });
  parts.broadcast.tell(objectKey(agentId, raised));
  return seen;
}

/** What the user's page has shown, in the last chat of the conversation that came to the inbox. Other desks are not told. */
export async function markSeenByUser(
  parts: Pick<TalkParts, "db" | "sealer" | "broadcast">,
  { agentId, idempotency }: Pick<ChatCaller, "agentId" | "idempotency">,
  { conversation_id, sequence }: InputOf<"markChatSeen">,
): Promise<Acknowledged | Refusal> {
  let talkId: string | undefined;
  const seen = await inTransaction(parts.db, (db) =>
    once(db, parts.sealer, { agentId, idempotency, about: [conversation_id] }, async (db) => {
      const { rows } = await sql<{ id: string }>`
        update inbox_talk t set changed_at = now(), user_seen_seq = least(${sequence}::bigint, c.last_seq)
        from conversation c
        where c.agent_id = ${agentId} and c.id = ${conversation_id} and t.agent_id = ${agentId} and t.id = (
            select id from inbox_talk where agent_id = ${agentId} and conversation_id = ${conversation_id}
            order by requested_at desc, id desc limit 1)
          and t.user_seen_seq < least(${sequence}::bigint, c.last_seq) returning t.id`.execute(db);
      talkId = rows[0]?.id;
      return ACKNOWLEDGED;
    }),
  );
  if (talkId !== undefined) announceTalk(parts, { agentId, talkId });
  return seen;
}
