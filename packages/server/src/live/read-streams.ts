import type { ChatHolder, MessageAttachment } from "@signalbox/contract";
import { sql } from "kysely";
import type { ChatUser, Database } from "../platform/index.ts";

/** One stream; its cursor says what it has told. */
export interface Follower {
  agentId: string;
  user: ChatUser;
  conversationId: string;
  seq: number;
  epoch: number;
  holder: ChatHolder | undefined;
  /** How far a human has seen what the user wrote. */
  seen: number;
  /** History is told; what comes now is new. */
  isReady: boolean;
  frames: string[];
  /** The conversation was erased: there is nothing more to tell. */
  isOver: boolean;
  /** There is more to read once the client has taken what waits for it. */
  isBehind: boolean;
  /** The token ended, or the conversation became another's. */
  isRefused: boolean;
  wake: () => void;
}

export interface MessageRow {
  seq: number;
  id: string;
  sender: "user" | "ai" | "human" | "system";
  text: string;
  attachments: MessageAttachment[] | null;
  author_name: string | null;
  client_id: string | null;
  suggestions: string[] | null;
  created_at: Date;
}

/** What a stream has not told yet, a page at most, and who speaks. */
export interface News {
  messages: MessageRow[];
  epoch: number;
  holder: ChatHolder;
  seen: number;
}

interface StateRow {
  place: number;
  epoch: number;
  control: "bot" | "human";
  state: string | null;
  seen: number;
}

/** Without a message the rest of its columns are null. */
type Row = StateRow & ({ seq: null } | MessageRow);

function cursorsOf(followers: Follower[]) {
  const column = <Value>(read: (follower: Follower, place: number) => Value) => followers.map(read);
  return sql`unnest(${column((_, place) => place)}::integer[], ${column(({ agentId }) => agentId)}::uuid[],
    ${column(({ conversationId }) => conversationId)}::uuid[], ${column(({ seq }) => seq)}::bigint[],
    ${column(({ epoch }) => epoch)}::bigint[], ${column(({ seen }) => seen)}::bigint[])
    as f(place, agent_id, conversation_id, seq, epoch, seen)`;
}

/** For each of them, in their order; undefined for a conversation that is gone. */
export async function readNew(
  db: Database,
  followers: Follower[],
  most: number,
): Promise<(News | undefined)[]> {
  // One statement, so that who speaks and what was said are of one moment.
  const { rows } = await sql<Row>`
    select f.place, c.epoch, c.control, h.state, coalesce(s.seen, 0) as seen, m.*
    from ${cursorsOf(followers)} join conversation c on c.agent_id = f.agent_id and c.id = f.conversation_id
    left join handoff h on h.agent_id = c.agent_id and h.id = c.handoff_id
    left join lateral (
      select max(seen_seq) as seen from inbox_talk
      where agent_id = f.agent_id and conversation_id = f.conversation_id and holder is not null
    ) s on true
    left join lateral (
      select seq, id, sender, text, attachments, author_name, client_id, suggestions, created_at from message
      where agent_id = f.agent_id and conversation_id = f.conversation_id and seq > f.seq
      order by seq limit ${most}
    ) m on true
    order by f.place, m.seq`.execute(db);
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return followers.map((_, place) => {
    const found = byPlace.get(place) ?? [];
    const [state] = found;
    if (state === undefined) return undefined;
    const messages = found.filter((row) => row.seq !== null);
    return { messages, epoch: state.epoch, holder: holderOf(state), seen: state.seen };
  });
}

/** The followers that have missed something, or whose conversation is gone, in case a signal was lost. */
export async function readBehind(db: Database, followers: Follower[]): Promise<Follower[]> {
  const { rows } = await sql<{ place: number }>`
    select f.place from ${cursorsOf(followers)}
    left join conversation c on c.agent_id = f.agent_id and c.id = f.conversation_id
    left join inbox_talk t on t.agent_id = c.agent_id and t.id = c.handoff_id and t.holder is not null
    where c.id is null or c.last_seq > f.seq or c.epoch <> f.epoch or t.seen_seq > f.seen`.execute(db);
  return rows.flatMap(({ place }) => followers[place] ?? []);
}

function holderOf({ control, state }: StateRow): ChatHolder {
  if (control === "bot") return "agent";
  return state === "active" ? "human" : "waiting";
}
