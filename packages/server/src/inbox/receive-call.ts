import {
  ACKNOWLEDGED,
  CloseHandoff,
  EstablishHandoff,
  HandoffChat,
  type Acknowledged,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  inTransaction,
  refuse,
  type Broadcast,
  type Database,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";
import { isSignedBy, openInbox } from "../webhooks/index.ts";
import { announceTalk } from "./announce-talk.ts";
import { offerTalks, type OfferParts } from "./offer-talks.ts";

/** One call of 4.6 to 4.8 as it came over the wire. */
interface InboxCall {
  componentId: string;
  call: "establish" | "chat" | "close";
  signed: { id: string; timestamp: string; signature: string };
  bytes: Buffer;
  value: unknown;
}

export interface ReceiverParts extends OfferParts {
  db: Database;
  sealer: Sealer;
  broadcast: Pick<Broadcast, "tell">;
  /** By which a signature is too old. */
  now: () => Date;
}

const SCHEMAS = { establish: EstablishHandoff, chat: HandoffChat, close: CloseHandoff };

/**
 * Receives for the inbox what any desk receives, and believes nothing but the signature. Each call says what is so and not what
 * to add, so one that comes again, or late, changes nothing.
 */
export async function receiveInboxCall(
  parts: ReceiverParts,
  { componentId, call, signed, bytes, value }: InboxCall,
): Promise<Acknowledged | Refusal> {
  const inbox = await openInbox(parts, componentId);
  if (inbox === undefined || !isSignedBy(inbox.destination.signingKeys, signed, bytes, parts.now()))
    return refuse("developerAuth", "this call is not signed with the secret of this inbox");
  const read = SCHEMAS[call].safeParse(value);
  if (!read.success) return refuse("badParameter", "the body is not that of section 4.6, 4.7 or 4.8");
  if ("istest" in read.data && read.data.istest === true) return ACKNOWLEDGED;
  const talk = { agentId: inbox.agentId, talkId: read.data.conversation_id, componentId };
  const changedAt = await apply(parts, talk, call);
  if (changedAt !== undefined) announceTalk(parts, { ...talk, changedAt: changedAt.getTime() });
  return ACKNOWLEDGED;
}

interface NamedTalk {
  agentId: string;
  talkId: string;
  componentId: string;
}

/** Undefined: nothing changed. */
async function apply(
  parts: ReceiverParts,
  talk: NamedTalk,
  call: InboxCall["call"],
): Promise<Date | undefined> {
  switch (call) {
    case "establish":
      return inTransaction(parts.db, async (db) => {
        const addedAt = await addTalk(db, talk);
        if (addedAt !== undefined) await offerTalks(db, parts, talk.agentId);
        return addedAt;
      });
    case "chat":
      return change(parts.db, talk, "active_at = date_trunc('milliseconds', now())");
    case "close":
      return change(
        parts.db,
        talk,
        "state = 'closed', offered_to = null, closed_at = date_trunc('milliseconds', now())",
      );
  }
}

/**
 * The conversation is held: one that is erased at this moment leaves nothing here. A handoff that has ended meanwhile needs
 * nobody, unless the user left a message.
 */
async function addTalk(db: Database, { agentId, talkId, componentId }: NamedTalk): Promise<Date | undefined> {
  const { rows } = await sql<ChangedRow>`
    with asked as (
      select h.id, h.conversation_id, h.forwarded_seq, h.requested_at
      from handoff h join conversation c on c.agent_id = h.agent_id and c.id = h.conversation_id
      where h.agent_id = ${agentId} and h.id = ${talkId} and h.component_id = ${componentId} and c.redacted_at is null
        and (h.state in ('requested', 'connecting', 'active') or h.reason = 'message_left')
      for key share of c
    )
    insert into inbox_talk (agent_id, id, conversation_id, requested_at, seen_seq)
    select ${agentId}, id, conversation_id, date_trunc('milliseconds', requested_at), greatest(coalesce((
      select max(seq) from message m where m.agent_id = ${agentId} and m.conversation_id = asked.conversation_id
        and m.sender = 'user' and (m.seq <= asked.forwarded_seq or asked.forwarded_seq = 0)), 0) - 1, 0)
    from asked on conflict do nothing returning changed_at`.execute(db);
  return rows[0]?.changed_at;
}

interface ChangedRow {
  changed_at: Date;
}

async function change(db: Database, { agentId, talkId }: NamedTalk, set: string): Promise<Date | undefined> {
  const { rows } = await sql<ChangedRow>`
    update inbox_talk set ${sql.raw(set)}, changed_at = now()
    where agent_id = ${agentId} and id = ${talkId} and state <> 'closed' returning changed_at`.execute(db);
  return rows[0]?.changed_at;
}
