import { sql, type RawBuilder } from "kysely";
import type { LaneAddition } from "../outbox/enqueue-many.ts";
import { claimOf, destinationOf, type Claim, type ClaimRow } from "./lane-store.ts";

/** What the statement that commits deliveries tells of a lane that they were added to. */
export type RaisedLane = Pick<
  ClaimRow,
  | "lane_id"
  | "fence"
  | "done_seq"
  | "conversation_id"
  | "destination_id"
  | "awake_since"
  | "breaker"
  | "claimed_at"
> &
  Omit<ClaimRow, "handoff_id" | "trying" | "late_ms" | "not_before" | "blocked_for_ms" | "pending_since"> & {
    tail_seq: number;
    made_at: Date;
    /** It was idle before. */
    woke: boolean;
    held_by: string | null;
  };

/** Columns and joins for a statement that has `lane_raised` of `enqueueManyWith`. */
export function raisedLanes(): { columns: RawBuilder<unknown>; joins: RawBuilder<unknown> } {
  const { columns, joins } = destinationOf(sql`lane_raised`, sql`lane_raised.agent_id`);
  return {
    columns: sql`lane_raised.id as lane_id, lane_raised.woke, lane_raised.held_by, lane_raised.fence, lane_raised.done_seq, lane_raised.tail_seq, lane_raised.conversation_id,
      lane_raised.destination_id, lane_raised.awake_since, now() as claimed_at, date_trunc('milliseconds', now()) as made_at, ${columns}`,
    joins,
  };
}

/**
 * The claim of a lane that a commit woke and that the call which made it holds, under the fence that was raised with it. Nothing else waits in it:
 * it was idle. `lateMs` stands for the time from due to claimed, which here is none.
 */
export function claimAtCommit(
  row: RaisedLane,
  committedAt: number,
  { handoffId, event, sender, items }: Pick<LaneAddition, "handoffId" | "event" | "sender" | "items">,
  lateMs: number,
): Claim {
  const lane = {
    ...row,
    handoff_id: handoffId ?? null,
    trying: false,
    late_ms: lateMs,
    not_before: null,
    blocked_for_ms: 0,
    pending_since: row.made_at,
  };
  const deliveries = items.map(({ id, body, messageId, inReplyTo, traceparent }, index) => ({
    id,
    seq: row.tail_seq - (items.length - 1 - index),
    createdAt: row.made_at,
    event,
    sender,
    body,
    attempts: 0,
    replayOf: null,
    replaySeq: null,
    messageId: messageId ?? null,
    inReplyTo: inReplyTo ?? null,
    traceparent: traceparent ?? null,
  }));
  return claimOf(lane, committedAt, deliveries);
}
