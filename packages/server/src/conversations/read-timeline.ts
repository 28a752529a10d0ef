import type {
  AnswerSource,
  ConversationTimeline,
  GivenRating,
  HandoffView,
  InputOf,
  MessageAttachment,
  TimelineItem,
} from "@signalbox/contract";
import { sql } from "kysely";
import { auditRead } from "../agents/index.ts";
import { findConversationDeliveries, type ConversationDelivery } from "../delivery/index.ts";
import { readHandoffsOf } from "../handoff/index.ts";
import { refuse, type Database, type OperatorCaller, type Refusal } from "../platform/index.ts";
import { CONVERSATION_COLUMNS, describeConversation, type ConversationRow } from "./conversation-row.ts";

const CURSOR = /^\d{1,15}$/;
/** A delivery is stamped by the database at about the time of its message. */
const SLACK_MS = 60_000;

/** One conversation in order: what was said, who took over when, and what became of each delivery. The read is audited. */
export async function getConversation(
  { db }: { db: Database },
  caller: OperatorCaller,
  { agent_id: agentId, conversation_id: conversationId, cursor, limit }: InputOf<"getConversation">,
): Promise<ConversationTimeline | Refusal> {
  if (cursor !== undefined && !CURSOR.test(cursor))
    return refuse("badParameter", "cursor must be a next_cursor of this list");
  const { rows } = await sql<ConversationRow>`
    select ${CONVERSATION_COLUMNS} from conversation c
    where c.agent_id = ${agentId} and c.id = ${conversationId}`.execute(db);
  const [row] = rows;
  if (row === undefined)
    return refuse("notFound", "this agent has no conversation with this conversation_id; it may be erased");
  const afterSeq = Number(cursor ?? 0);
  const messages = await readMessages(db, { agentId, conversationId, afterSeq, limit: limit + 1 });
  const page = messages.slice(0, limit);
  const following = messages[limit];
  const isOnPage = (time: number) =>
    (afterSeq === 0 || time >= (page[0]?.created_at.getTime() ?? Infinity)) &&
    (following === undefined || time < following.created_at.getTime());
  const steps = (await readSteps(db, agentId, conversationId)).filter(({ time }) => isOnPage(time));
  const first = Math.min(page[0]?.created_at.getTime() ?? Infinity, steps[0]?.time ?? Infinity);
  const deliveries = await findConversationDeliveries(db, {
    agentId,
    conversationId,
    messageIds: page.map(({ id }) => id),
    handoffIds: steps.map(({ handoff }) => handoff.handoff_id),
    from: new Date(Number.isFinite(first) ? first - SLACK_MS : 0),
  });
  const ratings = (await readRatings(db, agentId, conversationId)).filter(
    ({ message_id, time }) => message_id !== null || isOnPage(time),
  );
  const list = [
    ...page.map((message) => messageItem(message, deliveries, ratings)),
    ...steps.map((step) => handoffItem(step, deliveries)),
    ...ratings.flatMap(({ message_id, ...rating }) =>
      message_id === null ? [{ kind: "rating" as const, ...rating }] : [],
    ),
  ];
  const timeline: ConversationTimeline = {
    ...describeConversation(row),
    email: row.email,
    phone: row.phone,
    list: list.toSorted((a, b) => a.time - b.time || placeOf(a) - placeOf(b)),
    next_cursor: following === undefined ? null : String(page.at(-1)?.seq),
  };
  const read = { action: "conversation.read", agentId, subjectId: conversationId };
  return auditRead({ db }, caller, read, timeline);
}

interface MessageRow {
  id: string;
  seq: number;
  sender: Extract<TimelineItem, { kind: "message" }>["sender"];
  branch: string | null;
  text: string;
  attachments: MessageAttachment[] | null;
  suggestions: string[] | null;
  sources: AnswerSource[] | null;
  created_at: Date;
  epoch: number | null;
}

async function readMessages(
  db: Database,
  of: { agentId: string; conversationId: string; afterSeq: number; limit: number },
): Promise<MessageRow[]> {
  const { rows } = await sql<MessageRow>`
    with page as (
      select id, seq, sender, branch, text, attachments, suggestions, sources, created_at from message
      where agent_id = ${of.agentId} and conversation_id = ${of.conversationId} and seq > ${of.afterSeq}
      order by seq limit ${of.limit}
    ),
    taken_up as (
      select first_seq, last_seq, epoch from turn
      where agent_id = ${of.agentId} and conversation_id = ${of.conversationId} and last_seq > ${of.afterSeq}
    )
    select page.*, (select max(epoch) from taken_up where page.sender = 'user' and page.seq between first_seq and last_seq) as epoch
    from page order by seq`.execute(db);
  return rows;
}

interface Step {
  time: number;
  step: Extract<TimelineItem, { kind: "handoff" }>["step"];
  handoff: HandoffView;
}

/** A human joins with the first reply, and stands before it: the two are stamped by different clocks. */
async function readSteps(db: Database, agentId: string, conversationId: string): Promise<Step[]> {
  const handoffs = await readHandoffsOf(db, agentId, conversationId);
  const { rows } = await sql<{ id: string; said_at: Date }>`
    select h.id, reply.created_at as said_at from handoff h cross join lateral (
      select m.created_at from message m where m.agent_id = h.agent_id and m.conversation_id = h.conversation_id
        and m.sender = 'human' and m.created_at >= h.requested_at order by m.seq limit 1) reply
    where h.agent_id = ${agentId} and h.conversation_id = ${conversationId} and h.first_reply_at is not null`.execute(
    db,
  );
  const repliedAt = new Map(rows.map(({ id, said_at }) => [id, said_at.getTime()]));
  return handoffs.flatMap((handoff) => {
    const { handoff_id, request_time, first_reply_time, end_time } = handoff;
    const joined = first_reply_time === null ? null : (repliedAt.get(handoff_id) ?? first_reply_time);
    return [
      { time: request_time, step: "requested" as const, handoff },
      ...(joined === null ? [] : [{ time: joined, step: "joined" as const, handoff }]),
      ...(end_time === null ? [] : [{ time: end_time, step: "ended" as const, handoff }]),
    ];
  });
}

interface RatingOfConversation extends GivenRating {
  message_id: string | null;
  handoff_id: string | null;
}

async function readRatings(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<RatingOfConversation[]> {
  const { rows } = await sql<Omit<RatingOfConversation, "time"> & { updated_at: Date }>`
    select rating, comment, updated_at, message_id, handoff_id from conversation_rating
    where agent_id = ${agentId} and conversation_id = ${conversationId} order by updated_at, id`.execute(db);
  return rows.map(({ updated_at, ...row }) => ({ ...row, time: updated_at.getTime() }));
}

function messageItem(
  message: MessageRow,
  deliveries: ConversationDelivery[],
  ratings: RatingOfConversation[],
): TimelineItem {
  const rated = ratings.find(({ message_id }) => message_id === message.id);
  const own = deliveries.filter(({ message_id }) => message_id === message.id);
  return {
    kind: "message",
    time: message.created_at.getTime(),
    message_id: message.id,
    sequence: message.seq,
    sender: message.sender,
    branch: message.branch,
    text: message.text,
    attachments: message.attachments ?? [],
    suggestions: message.suggestions ?? [],
    sources: message.sources ?? [],
    in_reply_to: own[0]?.in_reply_to ?? null,
    epoch: message.epoch,
    rating: rated === undefined ? null : { rating: rated.rating, comment: rated.comment, time: rated.time },
    deliveries: own,
  };
}

/** Which calls to the desk each step explains. */
const EVENT_OF_STEP = { requested: "handoff_requested", joined: undefined, ended: "handoff_closed" } as const;

function handoffItem({ time, step, handoff }: Step, deliveries: ConversationDelivery[]): TimelineItem {
  return {
    kind: "handoff",
    time,
    step,
    handoff,
    deliveries: deliveries.filter(
      ({ handoffId, event }) => handoffId === handoff.handoff_id && event === EVENT_OF_STEP[step],
    ),
  };
}

/** At one time: a step of a handoff, then what was said, in its order. A request follows the message that asked for it. */
function placeOf(item: TimelineItem): number {
  if (item.kind === "message") return item.sequence;
  if (item.kind === "rating") return Infinity;
  return item.step === "requested" ? Infinity : 0;
}
