import { sql } from "kysely";
import type { Sweep } from "../engine/index.ts";
import type { Broadcast, Database } from "../platform/index.ts";
import { announceTalk } from "./announce-talk.ts";
import { offerAgain } from "./offer-again.ts";
import type { OfferParts } from "./offer-talks.ts";

const BATCH_MAX = 1_000;
const EVERY_MS = 10_000;

interface SweepParts extends OfferParts {
  db: Database;
  broadcast: Pick<Broadcast, "tell">;
}

/**
 * Closes chats whose handoff has ended without a call of 4.8: the inbox was deleted, or could not be reached for too long. A
 * message that a user left stays until somebody closes it.
 */
export async function closeEndedTalks(
  parts: { db: Database; broadcast: Pick<Broadcast, "tell"> },
  agentId?: string,
): Promise<number> {
  const { rows } = await sql<{ agent_id: string; id: string }>`
    with ended as materialized (
      select t.agent_id, t.id from inbox_talk t join handoff h on h.agent_id = t.agent_id and h.id = t.id
      where t.state <> 'closed' and h.state in ('busy', 'closed') and h.reason <> 'message_left'
        ${agentId === undefined ? sql`` : sql`and t.agent_id = ${agentId}`}
      limit ${BATCH_MAX} for update of t skip locked
    )
    update inbox_talk t set state = 'closed', offered_to = null, closed_at = date_trunc('milliseconds', now()), changed_at = now()
    from ended where t.agent_id = ended.agent_id and t.id = ended.id
    returning t.agent_id, t.id`.execute(parts.db);
  for (const { agent_id, id } of rows) announceTalk(parts, { agentId: agent_id, talkId: id });
  return rows.length;
}

/** Offers again what was offered to somebody who has left, of every agent whose inbox assigns chats. */
async function offerEverywhere(parts: SweepParts): Promise<number> {
  const { rows } = await sql<{ agent_id: string }>`
    select w.agent_id from webhook w
    where w.inbox_assignment is not null and w.deleted_at is null and exists (select from inbox_talk t
      where t.agent_id = w.agent_id and t.state = 'waiting' and (w.inbox_assignment <> 'manual' or t.offered_to is not null))
    limit ${BATCH_MAX}`.execute(parts.db);
  let changed = 0;
  for (const { agent_id: agentId } of rows) {
    changed += await offerAgain(parts, agentId);
  }
  return changed;
}

export function inboxSweeps(parts: SweepParts): Sweep[] {
  return [
    { name: "inbox_talks_ended", everyMs: EVERY_MS, run: () => closeEndedTalks(parts) },
    { name: "inbox_offers", everyMs: EVERY_MS, run: () => offerEverywhere(parts) },
  ];
}
