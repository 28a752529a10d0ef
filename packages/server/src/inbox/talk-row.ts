import { PREVIEW_MAX_CHARACTERS, type Talk } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { Refusal, refuse, type Database, type Operator, type OperatorCaller } from "../platform/index.ts";

export interface TalkRow {
  id: string;
  agent_id: string;
  conversation_id: string;
  state: Talk["state"];
  holder: Operator["actor"] | null;
  holder_id: string | null;
  holder_name: string | null;
  offered_to: string | null;
  offered_name: string | null;
  team_id: string | null;
  team_name: string | null;
  seen_seq: number;
  user_seen_seq: number;
  requested_at: Date;
  taken_at: Date | null;
  active_at: Date;
  closed_at: Date | null;
  trigger: Talk["trigger"];
  reason: Talk["reason"];
  replied_seq: number;
  channel: Talk["channel"];
  user_id: string | null;
  anonymous_id: string | null;
  email: string | null;
  phone: string | null;
  last_text: string | null;
  last_at: Date | null;
  unread: number;
  unanswered_at: Date | null;
}

/** `talks` gives rows of inbox_talk as they are to be shown, in order; each is looked up by key in the other tables. */
export function talkRows(talks: RawBuilder<unknown>): RawBuilder<TalkRow> {
  return sql<TalkRow>`
    select t.id, t.agent_id, t.conversation_id, t.state, t.holder, t.holder_id, t.holder_name, t.offered_to, o.name as offered_name,
      t.team_id, g.name as team_name,
      t.seen_seq, t.user_seen_seq, t.requested_at, t.taken_at, t.active_at, t.closed_at, h.trigger, h.reason, h.replied_seq,
      c.channel, c.user_id, c.anonymous_id, c.email, c.phone,
      left(m.text, ${PREVIEW_MAX_CHARACTERS}) as last_text, m.created_at as last_at, u.unread,
      case when h.replied_seq > 0 then w.unanswered_at else t.requested_at end as unanswered_at
    from (select t.*, row_number() over () as place from (${talks}) t) t
    join lateral (select trigger, reason, replied_seq from handoff where agent_id = t.agent_id and id = t.id) h on true
    join lateral (select channel, user_id, anonymous_id, email, phone from conversation
      where agent_id = t.agent_id and id = t.conversation_id) c on true
    left join lateral (select name from account where id = t.offered_to) o on true
    left join lateral (select name from inbox_team where agent_id = t.agent_id and id = t.team_id) g on true
    left join lateral (select text, created_at from message
      where agent_id = t.agent_id and conversation_id = t.conversation_id and sender = 'user'
      order by seq desc limit 1) m on true
    cross join lateral (select count(*)::integer as unread from message
      where agent_id = t.agent_id and conversation_id = t.conversation_id and seq > t.seen_seq and sender = 'user') u
    cross join lateral (select min(created_at) as unanswered_at from message
      where agent_id = t.agent_id and conversation_id = t.conversation_id and seq > h.replied_seq and sender = 'user') w
    order by t.place`;
}

export function describeTalk(row: TalkRow, caller: OperatorCaller): Talk {
  return {
    talk_id: row.id,
    agent_id: row.agent_id,
    conversation_id: row.conversation_id,
    kind: row.reason === "message_left" ? "left_message" : "chat",
    state: row.state,
    holder: holderOf(row),
    is_mine: isHeldBy(row, caller),
    offered_to: row.offered_to === null ? null : { account_id: row.offered_to, name: row.offered_name ?? "" },
    team:
      row.team_id === null || row.team_name === null ? null : { team_id: row.team_id, name: row.team_name },
    trigger: row.trigger,
    reason: row.reason,
    channel: row.channel,
    user: { user_id: row.user_id, anonymous_id: row.anonymous_id, email: row.email, phone: row.phone },
    unread_count: row.unread,
    last_user_message:
      row.last_at === null ? null : { text: row.last_text ?? "", time: row.last_at.getTime() },
    waiting_since: row.state === "closed" ? null : (row.unanswered_at?.getTime() ?? null),
    request_time: row.requested_at.getTime(),
    take_time: row.taken_at?.getTime() ?? null,
    close_time: row.closed_at?.getTime() ?? null,
  };
}

type Held = Pick<TalkRow, "holder" | "holder_id" | "holder_name">;

function holderOf({ holder, holder_id, holder_name }: Held): Talk["holder"] {
  if (holder === null) return null;
  return { account_id: holder === "account" ? holder_id : null, name: holder_name ?? "" };
}

export function isHeldBy(
  { holder, holder_id }: Pick<Held, "holder" | "holder_id">,
  { actor, actorId }: Operator,
): boolean {
  return holder === actor && holder_id === actorId;
}

export async function findTalk(
  db: Database,
  { agent_id, talk_id }: { agent_id: string; talk_id: string },
): Promise<TalkRow | Refusal> {
  const { rows } = await talkRows(
    sql`select * from inbox_talk where agent_id = ${agent_id} and id = ${talk_id}`,
  ).execute(db);
  return rows[0] ?? noTalk();
}

/** As it is now, for the caller who has just changed it. */
export async function showTalk(
  db: Database,
  caller: OperatorCaller,
  path: { agent_id: string; talk_id: string },
): Promise<Talk | Refusal> {
  const row = await findTalk(db, path);
  return row instanceof Refusal ? row : describeTalk(row, caller);
}

export function noTalk(): Refusal {
  return refuse("notFound", "this agent's inbox has no chat with this talk_id; it may be erased");
}

/** The present holder, without a lock. */
export async function readHolder(
  db: Database,
  { agent_id, talk_id }: { agent_id: string; talk_id: string },
): Promise<(Pick<TalkRow, "state"> & Held) | undefined> {
  const { rows } = await sql<Pick<TalkRow, "state"> & Held>`
    select state, holder, holder_id, holder_name from inbox_talk
    where agent_id = ${agent_id} and id = ${talk_id}`.execute(db);
  return rows[0];
}

/** The row alone, held until the commit. */
export async function lockTalk(
  db: Database,
  { agent_id, talk_id }: { agent_id: string; talk_id: string },
): Promise<LockedTalk | undefined> {
  const { rows } = await sql<LockedTalk>`
    select t.id, t.conversation_id, t.state, t.holder, t.holder_id, t.holder_name, t.offered_to,
      h.state not in ('requested', 'connecting', 'active') and h.reason <> 'message_left' as is_over
    from inbox_talk t join handoff h on h.agent_id = t.agent_id and h.id = t.id
    where t.agent_id = ${agent_id} and t.id = ${talk_id} for update of t`.execute(db);
  return rows[0];
}

export type LockedTalk = Pick<TalkRow, "id" | "conversation_id" | "state" | "offered_to"> &
  Held & {
    /** Its handoff has ended, though nobody said so to the inbox yet. */
    is_over: boolean;
  };

export function refuseOver(): Refusal {
  return refuse("stateConflict", "this chat is closed");
}

export function refuseHeld({ holder_name }: Held): Refusal {
  return refuse("stateConflict", `${holder_name ?? "somebody else"} has taken this chat`);
}
