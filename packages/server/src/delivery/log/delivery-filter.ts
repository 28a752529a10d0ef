import type { Cause, DeliveryEvent, DeliveryState } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";

/** Which deliveries are meant: for the log, and for replays. */
export interface DeliveryFilter {
  agentId?: string | undefined;
  /** Needs an agent, as every key that leads to a row does. */
  webhookId?: string | undefined;
  /** Needs an agent. */
  conversationId?: string | undefined;
  /** The message it carries or answers. Needs its conversation. */
  messageId?: string | undefined;
  state?: DeliveryState | undefined;
  cause?: Cause | undefined;
  event?: DeliveryEvent | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** Only what can be sent again: finished, not erased, no replay itself, of a webhook that lives. */
  replayable?: true;
}

/** Deliveries are ordered by these two, which never change. */
export interface Position {
  at: Date;
  id: string;
}

export interface Scan {
  filter: DeliveryFilter;
  direction: "newest_first" | "oldest_first";
  /** Where an earlier scan came to. */
  after: Position | undefined;
  /** Deliveries looked at, whether they fit or not. */
  most: number | undefined;
}

export interface DeliveryRow {
  agent_id: string;
  lane_id: string;
  seq: number;
  created_at: Date;
  id: string;
  event: DeliveryEvent;
  sender: "user" | "ai" | "human" | "system";
  state: DeliveryState;
  cause: Cause | null;
  attempts: number;
  finished_at: Date | null;
  replay_of: string | null;
  replay_seq: number | null;
  message_id: string | null;
  in_reply_to: string | null;
  destination_id: string;
  conversation_id: string;
}

type Sql = RawBuilder<unknown>;

const COLUMNS = sql`d.agent_id, d.lane_id, d.seq, d.created_at, d.id, d.event, d.sender, d.state, d.cause, d.attempts,
  d.finished_at, d.replay_of, d.replay_seq, octet_length(d.body) > 0 as has_body, d.message_id, d.in_reply_to`;

/** The first that fit, in order. The limit makes the join ask for one lane after the other: the scan ends with the last one wanted. */
export function findDeliveries(scan: Scan, wanted: number): RawBuilder<DeliveryRow> {
  return sql<DeliveryRow>`${matching(scan, sql`limit 1`)} ${inScanOrder(scan)} limit ${wanted}`;
}

export function countDeliveries(filter: DeliveryFilter, most: number): RawBuilder<{ matched: number }> {
  const all: Scan = { filter, direction: "oldest_first", after: undefined, most: undefined };
  return sql`select count(*)::integer as matched from (${matching(all, sql``)} limit ${most}) found`;
}

/** Where the scan came to, if it ended because it had looked at as many as it may. */
export function endOfScan(scan: Scan & { most: number }): RawBuilder<Position> {
  return sql<Position>`
    select s.created_at as at, s.id from (${scanned(scan)}) s ${inScanOrder(scan)} offset ${scan.most - 1} limit 1`;
}

function matching(scan: Scan, ofLanes: Sql): Sql {
  return sql`
    select s.*, l.destination_id, l.conversation_id
    from (${scanned(scan)}) s
    cross join lateral (
      select destination_id, conversation_id from lane where agent_id = s.agent_id and id = s.lane_id ${ofLanes}) l
    where ${and(tests(scan.filter))}`;
}

/** The narrowest source there is an index for; the rest of the filter is judged row by row, over a bounded number. */
function scanned(scan: Scan): Sql {
  const { filter, most } = scan;
  const { agentId, conversationId, state } = filter;
  if (conversationId !== undefined) {
    // The offset keeps the order out of the inner query, which would otherwise read the agent's whole history for it.
    return sql`select * from (
      select ${COLUMNS} from delivery d
      where ${and([sql`agent_id = ${agentId}`, ...bounds(scan, sql`id`)])}
        and lane_id = any(array(select id from lane where agent_id = ${agentId} and conversation_id = ${conversationId}))
      offset 0) d ${sorted([sql`created_at`, sql`id`], scan, most)}`;
  }
  // As a range, so that only an index that begins with the agent gives this order: the planner likes the one by time
  // better, and would read everybody's deliveries in search of those of an agent that has been silent.
  const ofAgent = agentId === undefined ? [] : [sql`agent_id >= ${agentId}`, sql`agent_id <= ${agentId}`];
  const lead = agentId === undefined ? [] : [sql`agent_id`];
  if (state === "dead") {
    return sql`
      select ${COLUMNS} from (
        select created_at, delivery_id as id from dead_letter
        where ${and([...ofAgent, ...bounds(scan, sql`delivery_id`)])}
        ${sorted([...lead, sql`created_at`, sql`delivery_id`], scan, most)}) x
      join delivery d on d.id = x.id and d.created_at = x.created_at`;
  }
  return sql`
    select ${COLUMNS} from delivery d where ${and([...ofAgent, ...bounds(scan, sql`id`)])}
    ${sorted([...lead, sql`created_at`, sql`id`], scan, most)}`;
}

function inScanOrder(scan: Scan): Sql {
  const isOfAgent = scan.filter.agentId !== undefined && scan.filter.conversationId === undefined;
  return sorted([...(isOfAgent ? [sql`s.agent_id`] : []), sql`s.created_at`, sql`s.id`], scan, undefined);
}

function sorted(columns: Sql[], scan: Scan, most: number | undefined): Sql {
  // A count needs no order.
  if (scan.most === undefined) return sql``;
  const by = sql.join(columns.map((column) => sql`${column} ${order(scan)}`));
  return most === undefined ? sql`order by ${by}` : sql`order by ${by} limit ${most}`;
}

function bounds({ filter: { from, to }, direction, after }: Scan, id: Sql): Sql[] {
  const isNewest = direction === "newest_first";
  return [
    ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`created_at < ${to}`]),
    ...(after === undefined
      ? []
      : [
          // The pair is what counts; its first half alone lets the planner leave out whole days.
          isNewest ? sql`created_at <= ${after.at}` : sql`created_at >= ${after.at}`,
          isNewest
            ? sql`(created_at, ${id}) < (${after.at}, ${after.id}::uuid)`
            : sql`(created_at, ${id}) > (${after.at}, ${after.id}::uuid)`,
        ]),
  ];
}

function tests({ webhookId, messageId, state, cause, event, replayable }: DeliveryFilter): Sql[] {
  return [
    ...(state === undefined ? [] : [sql`s.state = ${state}`]),
    ...(cause === undefined ? [] : [sql`s.cause = ${cause}`]),
    ...(event === undefined ? [] : [sql`s.event = ${event}`]),
    ...(webhookId === undefined ? [] : [sql`l.destination_id = ${webhookId}`]),
    ...(messageId === undefined ? [] : [sql`(s.message_id = ${messageId} or s.in_reply_to = ${messageId})`]),
    ...(replayable === undefined
      ? []
      : [
          sql`s.state <> 'pending' and s.replay_of is null and s.has_body`,
          sql`exists (select from webhook w join agent a on a.id = w.agent_id
            where w.id = l.destination_id and w.deleted_at is null and a.deleted_at is null)`,
        ]),
  ];
}

function order({ direction }: Scan): Sql {
  return direction === "newest_first" ? sql`desc` : sql`asc`;
}

function and(conditions: Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
