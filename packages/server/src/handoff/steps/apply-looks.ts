import { sql } from "kysely";
import {
  claimAtCommit,
  enqueueManyWith,
  laneIdOf,
  raisedLanes,
  type Claim,
  type LaneAddition,
  type RaisedLane,
} from "../../delivery/index.ts";
import { objectKey, type AfterCommit } from "../../engine/index.ts";
import { newId, type Database } from "../../platform/index.ts";
import { isOpen, type Effect, type Handoff, type Marks } from "../machine/machine.ts";
import { TIMER_ALARM, wakeAt } from "../machine/timers.ts";
import { noticeText } from "../settings/agent-settings.ts";
import {
  announcing,
  timerLengthsOf,
  type LockedConversation,
  type StoredHandoff,
} from "./lock-conversation.ts";
import { noticeBytes } from "./notify-user.ts";
import { closeBytes } from "./protocol-bodies.ts";

/** What a look at a timer makes of a handoff, and whose call it was. */
export interface LookStep {
  locked: LockedConversation;
  handoff: StoredHandoff;
  next: Handoff;
  effects: readonly Effect[];
  callId: string;
  /** From the call to now: what delays that is what delays everybody's messages. */
  lateMs: () => number;
}

/** A lane that the call has to drain: as it claimed it with the commit, or as it finds it. */
export interface LaneToDrain {
  id: string;
  claim: Claim | undefined;
}

export interface AppliedLook {
  lanes: LaneToDrain[];
  calls: AfterCommit[];
}

/** A look as the statement writes it. */
interface Written extends LookStep {
  marks: Marks;
  wakesAt: number | undefined;
  notice: { id: string; text: string } | undefined;
  /** The agent has control again, and answers what comes after; undefined when it has not. */
  answerAfterSeq: number | undefined;
  additions: LaneAddition[];
}

/**
 * `applyStep` for looks at timers of any agents, in one statement: handoffs, control, notices and calls to the desks commit together.
 * The caller holds the row locks of the conversations. A lane that wakes is claimed for its call (ADR 0024).
 */
export async function applyLooks(db: Database, steps: readonly LookStep[]): Promise<AppliedLook[]> {
  const written = steps.map((step, index) => write(step, index + 1));
  const column = <Value>(read: (one: Written) => Value) => written.map(read);
  const timerOf = ({ next }: Written) => ("timer" in next ? next.timer : undefined);
  const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms));
  const lanes = raisedLanes();
  // Rows are written by `on conflict`: no join that could be planned as a scan (ADR 0032). They are locked, so each is there.
  const { rows } = await sql<{ answering: string[] } & (RaisedLane | { lane_id: null })>`
    with looked as (
      select * from unnest(
        ${column(({ locked }) => locked.conversation.agentId)}::uuid[], ${column(({ locked }) => locked.conversation.id)}::uuid[],
        ${column(({ locked }) => locked.conversation.channel)}::text[], ${column(({ locked }) => locked.conversation.lastSeq)}::bigint[],
        ${column(({ handoff }) => handoff.id)}::uuid[], ${column(({ handoff }) => handoff.deskId)}::uuid[],
        ${column(({ handoff }) => handoff.trigger)}::text[], ${column(({ next }) => next.state)}::text[],
        ${column(({ next }) => ("reason" in next ? next.reason : null))}::text[],
        ${column(({ marks }) => marks.forwardedSeq)}::bigint[], ${column(({ marks }) => marks.acknowledgedSeq)}::bigint[],
        ${column(({ marks }) => marks.repliedSeq)}::bigint[], ${column((one) => timerOf(one)?.kind ?? null)}::text[],
        ${column((one) => time(timerOf(one)?.setAt))}::timestamptz[], ${column((one) => time(timerOf(one)?.dueAt))}::timestamptz[],
        ${column((one) => timerOf(one)?.warnings ?? 0)}::integer[], ${column((one) => timerOf(one)?.graced ?? false)}::boolean[],
        ${column(({ wakesAt }) => time(wakesAt))}::timestamptz[], ${column(({ notice }) => notice?.id ?? null)}::uuid[],
        ${column(({ notice }) => notice?.text ?? null)}::text[], ${column(({ answerAfterSeq }) => answerAfterSeq ?? null)}::bigint[],
        ${column(({ locked }) => locked.agent?.settings.quiet_seconds ?? 0)}::integer[]
      ) with ordinality as l(agent_id, conversation_id, channel, last_seq, handoff_id, component_id, trigger, state, reason, forwarded_seq,
        acknowledged_seq, replied_seq, timer_kind, timer_set_at, timer_due_at, timer_warnings, timer_graced, timer_wake_at, notice_id, notice_text,
        answer_after_seq, quiet_seconds, place)
    ),
    saved as (
      insert into handoff (agent_id, id, conversation_id, component_id, trigger, state, reason, forwarded_seq, acknowledged_seq, replied_seq,
        timer_kind, timer_set_at, timer_due_at, timer_warnings, timer_graced, timer_wake_at, ended_at)
      select agent_id, handoff_id, conversation_id, component_id, trigger, state, reason, forwarded_seq, acknowledged_seq, replied_seq,
        timer_kind, timer_set_at, timer_due_at, timer_warnings, timer_graced, timer_wake_at, case when reason is not null then now() end
      from looked
      on conflict (agent_id, id) do update set state = excluded.state, reason = excluded.reason, timer_kind = excluded.timer_kind,
        timer_set_at = excluded.timer_set_at, timer_due_at = excluded.timer_due_at, timer_warnings = excluded.timer_warnings,
        timer_graced = excluded.timer_graced, timer_wake_at = excluded.timer_wake_at, ended_at = excluded.ended_at,
        timer_call_at = null
    ),
    warned as (
      insert into conversation (agent_id, id, channel, last_seq)
      select agent_id, conversation_id, channel, last_seq + 1 from looked where notice_id is not null and answer_after_seq is null
      on conflict (agent_id, id) do update set last_seq = excluded.last_seq
    ),
    returned as (
      insert into conversation (agent_id, id, channel, last_seq, handoff_quiet_until, turn_due_seq, turn_done_seq)
      select l.agent_id, l.conversation_id, l.channel, l.last_seq + case when l.notice_id is null then 0 else 1 end,
        now() + l.quiet_seconds * interval '1 second', coalesce(waiting.seq, 0), l.answer_after_seq
      from looked l left join lateral (
        select seq from message where agent_id = l.agent_id and conversation_id = l.conversation_id and sender = 'user' order by seq desc limit 1
      ) waiting on true
      where l.answer_after_seq is not null
      on conflict (agent_id, id) do update set control = 'bot', epoch = conversation.epoch + 1, handoff_id = null, no_answers = 0,
        last_seq = excluded.last_seq, handoff_quiet_seq = excluded.last_seq, handoff_quiet_until = excluded.handoff_quiet_until,
        turn_due_seq = excluded.turn_due_seq,
        turn_done_seq = least(greatest(conversation.turn_done_seq, excluded.turn_done_seq), excluded.turn_due_seq),
        turn_awake = excluded.turn_due_seq > greatest(conversation.turn_done_seq, excluded.turn_done_seq),
        turn_due_since = now(), turn_beat_at = now()
      returning conversation.id, conversation.turn_awake
    ),
    message_made as (
      insert into message (agent_id, conversation_id, seq, id, sender, text)
      select agent_id, conversation_id, last_seq + 1, notice_id, 'system', notice_text from looked where notice_id is not null
    ),
    ${enqueueManyWith(
      sql`select place from looked`,
      written.flatMap(({ additions }) => additions),
    )}
    select array(select id from returned where turn_awake) as answering, ${lanes.columns}
    from (select) as one left join lane_raised on true ${lanes.joins}`.execute(db);
  const committedAt = performance.now();
  const raised = new Map(rows.flatMap((row) => (row.lane_id === null ? [] : [[row.lane_id, row]])));
  const answering = new Set(rows[0]?.answering);
  return written.map((one) => ({
    lanes: one.additions.flatMap((added) => laneToDrain(one, added, raised, committedAt)),
    calls: callsOf(one, answering),
  }));
}

function write(step: LookStep, place: number): Written {
  const { locked, handoff, next, effects, callId } = step;
  const { agentId, id: conversationId, messageWebhookId, at } = locked.conversation;
  const marks = isOpen(next) ? next.marks : isOpen(handoff.current) ? handoff.current.marks : undefined;
  if (marks === undefined) throw new Error("a handoff that has ended has no timer");
  const timer = "timer" in next ? next.timer : undefined;
  const written: Written = {
    ...step,
    marks,
    wakesAt: timer && wakeAt(timer, timerLengthsOf(locked)),
    notice: undefined,
    answerAfterSeq: undefined,
    additions: [],
  };
  const lane = { acceptedAs: place, agentId, conversationId, heldBy: callId };
  for (const effect of effects)
    switch (effect.do) {
      case "close_desk":
        written.additions.push({
          ...lane,
          destinationId: handoff.deskId,
          handoffId: handoff.id,
          event: "handoff_closed",
          sender: effect.type === "USER_CLOSED" ? "user" : "system",
          items: [{ id: newId(), body: closeBytes(handoff.id, at, effect.type) }],
        });
        break;
      case "notify_user": {
        const text = locked.agent && noticeText(locked.agent, effect.notice);
        if (text === undefined) break;
        const messageId = newId();
        written.notice = { id: messageId, text };
        if (messageWebhookId === null) break;
        const body = noticeBytes(locked.conversation, messageId, handoff.deskName, text);
        written.additions.push({
          ...lane,
          destinationId: messageWebhookId,
          event: "message",
          sender: "system",
          items: [{ id: newId(), body, messageId }],
        });
        break;
      }
      case "return_control":
        if (effect.answerAfterSeq === "nothing") throw new Error("a timer does not end what the user left");
        written.answerAfterSeq = effect.answerAfterSeq;
        break;
      case "forward_held":
        throw new Error("a timer forwards nothing");
    }
  return written;
}

/** One that was awake already is drained by others, unless it is this very call, made again, that holds it. */
function laneToDrain(
  { callId, lateMs }: Written,
  added: LaneAddition,
  raised: Map<string, RaisedLane>,
  committedAt: number,
): LaneToDrain[] {
  const id = laneIdOf(added.destinationId, added.handoffId ?? added.conversationId);
  const row = raised.get(id);
  if (row === undefined || row.held_by !== callId) return [];
  return [{ id, claim: row.woke ? claimAtCommit(row, committedAt, added, lateMs()) : undefined }];
}

function callsOf({ locked, wakesAt }: Written, answering: Set<string>): AfterCommit[] {
  const { agentId, id, at } = locked.conversation;
  const calls = announcing(locked.conversation);
  if (wakesAt !== undefined) calls.push({ alarm: TIMER_ALARM, dueAt: wakesAt, at });
  if (answering.has(id)) calls.push({ object: "turn", handler: "run", key: objectKey(agentId, id) });
  return calls;
}
