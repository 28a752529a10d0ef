import type { AnswerSource } from "@signalbox/contract";
import { sql } from "kysely";
import {
  claimAtCommit,
  enqueueManyWith,
  raisedLanes,
  type Claim,
  type RaisedLane,
} from "../delivery/index.ts";
import { forUpdate, LOCKED, newId, type Database, type LockedRows } from "../platform/index.ts";
import { IS_LEASED, type Turn } from "./turn-store.ts";

/** As stored: a reply to small talk is `direct` on the wire. */
export type StoredBranch = "direct" | "model" | "fallback" | "notice" | "small_talk";

export interface Reply {
  /** The user's message it answers. */
  toSeq: number;
  messageId: string;
  createdAt: Date;
  text: string;
  branch: StoredBranch;
  /** The bytes of 2.5; undefined for a reply that goes to its caller and nowhere else. */
  body: Buffer | undefined;
  /** Questions in a row that had no answer, this one included. */
  noAnswers: number;
  /** Stored questions offered with it. */
  suggestions?: string[] | undefined;
  /** The pairs it stands on. */
  sources?: AnswerSource[] | undefined;
  /** The id of the user's message it answers. */
  inReplyTo: string;
  /** W3C trace context in which it is delivered. */
  traceparent?: string | undefined;
}

/** Replies of one turn, at least one, in order. */
export interface TurnReplies {
  turn: Turn;
  replies: Reply[];
  /** Which call sends them at once if they wake their lane; undefined when the lane is to be called. */
  sentBy?: string | undefined;
}

/**
 * `woken`: somebody has to call it. `claimed`: the call that committed holds it, and sends. `held`: that call held it before, so that it
 * is sending, or was made again and has to.
 */
export type CommittedLane =
  | { id: string; is: "woken" | "held" }
  | { id: string; is: "claimed"; claim: Claim };

export type CommitResult =
  /** No lane: nothing was to be sent, or others are sending. */
  { kind: "committed"; moreDue: boolean; lane: CommittedLane | undefined } | { kind: "superseded" };

const FROM_AGENT = { event: "message", sender: "ai" } as const;

/**
 * The accept transaction of replies in conversations of any agents, in one statement: messages, deliveries and the lanes' wake
 * bits commit together, under each conversation's row lock, and only while what the turn was made of holds: its epoch, its
 * speaker, nothing answered since, nobody else at work on it, and not erased. At most one of two turns of a conversation commits.
 */
export function commitReplies(db: Database, answered: TurnReplies[]): Promise<CommitResult[]>;
export function commitReplies(
  db: Database,
  answered: TurnReplies[],
  lockedRows: LockedRows,
): Promise<(CommitResult | typeof LOCKED)[]>;
export async function commitReplies(
  db: Database,
  answered: TurnReplies[],
  lockedRows: LockedRows = "wait",
): Promise<(CommitResult | typeof LOCKED)[]> {
  const sorted = firstOfEach(answered);
  const column = <Value>(read: (item: TurnReplies) => Value) => sorted.map(read);
  const replies = sorted.flatMap(({ replies }, acceptedAs) =>
    replies.map((reply, index) => ({ ...reply, acceptedAs: acceptedAs + 1, position: index + 1 })),
  );
  const outbox = new Map(sorted.map((item) => [item, outboxOf(item)]));
  const lanes = raisedLanes();
  type Row = { accepted_as: number; holds: boolean; more_due: boolean } & (RaisedLane | { lane_id: null });
  // Rows are locked by lateral look-ups and then written by `on conflict`: no join that could be planned as a scan (ADR 0032).
  const { rows } = await sql<Row>`
    with answered as (
      select * from unnest(
        ${column(({ turn }) => turn.agentId)}::uuid[], ${column(({ turn }) => turn.conversationId)}::uuid[],
        ${column(({ turn }) => turn.id ?? newId())}::uuid[], ${column(({ turn }) => turn.id !== undefined)}::boolean[],
        ${column(({ sentBy }) => sentBy ?? "")}::text[], ${column(({ turn }) => turn.epoch)}::bigint[],
        ${column(({ replies }) => replies[0]?.toSeq)}::bigint[], ${column(({ replies }) => replies.at(-1)?.toSeq)}::bigint[],
        ${column(({ replies }) => replies.length)}::integer[], ${column(({ replies }) => replies.at(-1)?.noAnswers)}::integer[]
      ) with ordinality as a(agent_id, conversation_id, turn_id, is_opened, owner, epoch, first_seq, last_seq, added, no_answers, accepted_as)
    ),
    locked as (
      select a.*, c.channel, c.said_seq, c.due_seq > a.last_seq as more_due,
        c.control = 'bot' and c.redacted_at is null
        and c.epoch = a.epoch
        and c.done_seq < a.first_seq
        and (a.is_opened or not exists (
          select from turn where agent_id = a.agent_id and conversation_id = a.conversation_id and state = 'open'
            and owner <> a.owner and ${IS_LEASED})) as holds
      from answered a, lateral (
        select channel, control, epoch, redacted_at, last_seq as said_seq, turn_done_seq as done_seq, turn_due_seq as due_seq
        from conversation where agent_id = a.agent_id and id = a.conversation_id ${forUpdate(lockedRows)}
      ) c
    ),
    raised as (
      insert into conversation (agent_id, id, channel, last_seq, turn_done_seq, turn_awake, no_answers)
      select agent_id, conversation_id, channel, said_seq + added, last_seq, more_due, no_answers from locked where holds
      on conflict (agent_id, id) do update set last_seq = excluded.last_seq, turn_done_seq = excluded.turn_done_seq,
        turn_awake = excluded.turn_awake, no_answers = excluded.no_answers, turn_due_since = now(), turn_beat_at = now()
    ),
    turn_answered as (
      insert into turn (agent_id, conversation_id, id, first_seq, last_seq, epoch, owner, lease_until, state, finished_at)
      select agent_id, conversation_id, turn_id, first_seq, last_seq, epoch, owner, now(), 'answered', now() from locked where holds
      on conflict (agent_id, conversation_id, id) do update set state = 'answered', finished_at = now()
      where turn.state = 'open' and turn.last_seq = excluded.last_seq
    ),
    message_made as (
      insert into message (agent_id, conversation_id, seq, id, sender, text, branch, created_at, suggestions, sources)
      select locked.agent_id, locked.conversation_id, locked.said_seq + reply.position, reply.id,
        -- A notice is the service's: neither a desk nor a model is told that the agent said it.
        case reply.branch when 'notice' then 'system' else 'ai' end, reply.text, reply.branch, reply.created_at,
        (select array_agg(value order by place) from jsonb_array_elements_text(reply.suggestions) with ordinality as offered(value, place)),
        reply.sources
      from locked join unnest(
        ${replies.map(({ acceptedAs }) => acceptedAs)}::integer[], ${replies.map(({ position }) => position)}::integer[],
        ${replies.map(({ messageId }) => messageId)}::uuid[], ${replies.map(({ text }) => text)}::text[],
        ${replies.map(({ branch }) => branch)}::text[], ${replies.map(({ createdAt }) => createdAt)}::timestamptz[],
        ${replies.map(({ suggestions }) => listOrNull(suggestions))}::jsonb[], ${replies.map(({ sources }) => listOrNull(sources))}::jsonb[]
      ) as reply(accepted_as, position, id, text, branch, created_at, suggestions, sources) on reply.accepted_as = locked.accepted_as
      where locked.holds
    ),
    ${enqueueManyWith(
      sql`select accepted_as from locked where holds`,
      sorted.flatMap((item, acceptedAs) => {
        const { agentId, destinationId, conversationId } = item.turn;
        const added = { ...FROM_AGENT, items: outbox.get(item) ?? [], heldBy: item.sentBy };
        return destinationId === undefined
          ? []
          : [{ acceptedAs: acceptedAs + 1, agentId, destinationId, conversationId, ...added }];
      }),
    )}
    select locked.accepted_as, locked.holds, locked.more_due, ${lanes.columns}
    from locked left join lane_raised on lane_raised.conversation_id = locked.conversation_id
    ${lanes.joins}`.execute(db);
  const committedAt = performance.now();
  const found = new Map(rows.map((row) => [sorted[row.accepted_as - 1], row]));
  return answered.map((item) => {
    const row = found.get(item);
    if (row === undefined && lockedRows === "skip" && outbox.has(item)) return LOCKED;
    if (row?.holds !== true) return { kind: "superseded" };
    return { kind: "committed", moreDue: row.more_due, lane: laneOf(row, item) };
  });

  function laneOf(row: Row, item: TurnReplies): CommittedLane | undefined {
    if (row.lane_id === null) return undefined;
    const { lane_id: id, held_by: heldBy, claimed_at: at } = row;
    if (!row.woke) return heldBy !== null && heldBy === item.sentBy ? { id, is: "held" } : undefined;
    if (item.sentBy === undefined) return { id, is: "woken" };
    const added = { ...FROM_AGENT, items: outbox.get(item) ?? [] };
    const claim = claimAtCommit(row, committedAt, added, lateMs(item, at));
    return { id, is: "claimed", claim };
  }
}

function listOrNull(list: readonly unknown[] = []): string | null {
  return list.length === 0 ? null : JSON.stringify(list);
}

/** The first turn of each conversation. Rule 9: conversations of all agents are locked in the order of their ids. */
function firstOfEach(answered: TurnReplies[]): TurnReplies[] {
  const byConversation = new Map(answered.toReversed().map((item) => [item.turn.conversationId, item]));
  return [...byConversation.values()].toSorted((a, b) =>
    a.turn.conversationId < b.turn.conversationId ? -1 : 1,
  );
}

function outboxOf({ replies }: TurnReplies) {
  return replies.flatMap(({ body, messageId, inReplyTo, traceparent }) =>
    body === undefined ? [] : [{ id: newId(), body, messageId, inReplyTo, traceparent }],
  );
}

/** From the accept of the last message that is answered to the commit of its answer: what delays that is what delays everybody's messages. */
function lateMs({ turn, replies }: TurnReplies, committedAt: Date): number {
  const { acceptedAt } = turn.due.find(({ seq }) => seq === replies.at(-1)?.toSeq) ?? {};
  return acceptedAt === undefined ? 0 : Math.max(0, committedAt.getTime() - acceptedAt);
}
