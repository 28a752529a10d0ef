import { textWithAttachments, type MessageAttachment } from "@signalbox/contract";
import { sql } from "kysely";
import { enqueue } from "../../delivery/index.ts";
import { objectKey, type AfterCommit } from "../../engine/index.ts";
import type { Database } from "../../platform/index.ts";
import {
  isOpen,
  transition,
  type Effect,
  type Handoff,
  type HandoffEvent,
  type Step,
} from "../machine/machine.ts";
import { TIMER_ALARM, wakeAt } from "../machine/timers.ts";
import { noticeText } from "../settings/agent-settings.ts";
import {
  announcing,
  lockLanes,
  timerLengthsOf,
  type LockedConversation,
  type StoredHandoff,
} from "./lock-conversation.ts";
import { notifyUser } from "./notify-user.ts";
import { chatBytes, closeBytes } from "./protocol-bodies.ts";

/** Lets the state machine judge what happened, and writes what it decides. It decides nothing for a handoff that has ended. */
export async function advance(
  db: Database,
  locked: LockedConversation,
  handoff: StoredHandoff,
  event: HandoffEvent,
): Promise<AfterCommit[]> {
  const step = transition(handoff.current, event, timerLengthsOf(locked));
  return step.kind === "moved" ? applyStep(db, locked, handoff, step) : [];
}

/**
 * Writes what a step makes of a handoff: its row, the calls to the desk, notices to the user, and who may speak. The caller
 * holds the conversation's row lock; the engine is called with what comes back, after the commit.
 */
export async function applyStep(
  db: Database,
  locked: LockedConversation,
  handoff: StoredHandoff,
  { handoff: next, effects }: Extract<Step, { kind: "moved" }>,
): Promise<AfterCommit[]> {
  if (effects.length > 1) await lockLanes(db, locked.conversation);
  const calls: AfterCommit[] = [];
  let forwardedSeq = isOpen(next) ? next.marks.forwardedSeq : undefined;
  for (const effect of effects) {
    if (effect.do === "forward_held") {
      const after = isOpen(handoff.current) ? handoff.current.marks.forwardedSeq : 0;
      const forwarded = await forwardSince(db, locked, handoff, after);
      calls.push(...forwarded.calls);
      forwardedSeq = Math.max(forwardedSeq ?? 0, forwarded.forwardedSeq);
    } else calls.push(...(await applyEffect(db, locked, handoff, effect)));
  }
  calls.push(...(await saveHandoff(db, locked, handoff, next, forwardedSeq)));
  return calls;
}

function applyEffect(
  db: Database,
  locked: LockedConversation,
  handoff: StoredHandoff,
  effect: Exclude<Effect, { do: "forward_held" }>,
): Promise<AfterCommit[]> {
  switch (effect.do) {
    case "close_desk":
      return enqueue(db, {
        ...addressOf(locked, handoff),
        event: "handoff_closed",
        sender: effect.type === "USER_CLOSED" ? "user" : "system",
        items: [{ body: closeBytes(handoff.id, locked.conversation.at, effect.type) }],
      });
    case "notify_user": {
      const text = locked.agent && noticeText(locked.agent, effect.notice);
      if (text === undefined) return Promise.resolve([]);
      return notifyUser(db, locked.conversation, { sender: "system", deskName: handoff.deskName, text });
    }
    case "return_control":
      return returnControl(db, locked, effect.answerAfterSeq);
  }
}

type DeskOfHandoff = Pick<StoredHandoff, "id" | "deskId">;

/** The calls of one handoff share a lane: establish, then chats, then close. */
export function addressOf({ conversation }: LockedConversation, { id, deskId }: DeskOfHandoff) {
  return {
    agentId: conversation.agentId,
    destinationId: deskId,
    conversationId: conversation.id,
    handoffId: id,
  };
}

/** Enqueues 4.7 for each user message after `after`, in order. */
export async function forwardSince(
  db: Database,
  locked: LockedConversation,
  handoff: DeskOfHandoff,
  after: number,
): Promise<{ calls: AfterCommit[]; forwardedSeq: number }> {
  const { agentId, id: conversationId } = locked.conversation;
  const held = await db
    .selectFrom("message")
    .select(["id", "seq", "text", "attachments", "created_at", "traceparent"])
    .where("agent_id", "=", agentId)
    .where("conversation_id", "=", conversationId)
    .where("seq", ">", after)
    .where("sender", "=", "user")
    .orderBy("seq")
    .execute();
  const last = held.at(-1);
  if (last === undefined) return { calls: [], forwardedSeq: after };
  const calls = await enqueue(db, {
    ...addressOf(locked, handoff),
    event: "user_message",
    sender: "user",
    items: held.map(({ id: messageId, text, attachments, created_at, traceparent }) => {
      const said = textWithAttachments(text, attachments as MessageAttachment[] | null);
      return { body: chatBytes(handoff.id, created_at.getTime(), said), messageId, traceparent };
    }),
  });
  return { calls, forwardedSeq: last.seq };
}

/**
 * Gives control back to the agent in a new epoch. What the desk has not acknowledged becomes one turn of the agent; no message
 * up to here asks for a person again, and for a while the agent asks for none by itself.
 */
async function returnControl(
  db: Database,
  { conversation, agent }: LockedConversation,
  answerAfterSeq: number | "nothing",
): Promise<AfterCommit[]> {
  const { agentId, id } = conversation;
  const doneSeq =
    answerAfterSeq === "nothing" ? sql`waiting.seq` : sql`greatest(turn_done_seq, ${answerAfterSeq})`;
  const { rows } = await sql<{ turn_awake: boolean }>`
    update conversation c set
      control = 'bot', epoch = epoch + 1, handoff_id = null, no_answers = 0,
      handoff_quiet_seq = c.last_seq,
      handoff_quiet_until = now() + ${agent?.settings.quiet_seconds ?? 0} * interval '1 second',
      turn_due_seq = waiting.seq, turn_done_seq = least(${doneSeq}, waiting.seq),
      turn_awake = waiting.seq > ${doneSeq}, turn_due_since = now(), turn_beat_at = now()
    from (select coalesce(max(seq), 0) as seq from message
      where agent_id = ${agentId} and conversation_id = ${id} and sender = 'user') waiting
    where c.agent_id = ${agentId} and c.id = ${id}
    returning c.turn_awake`.execute(db);
  return rows[0]?.turn_awake === true
    ? [{ object: "turn", handler: "run", key: objectKey(agentId, id) }]
    : [];
}

/** Rule 10: the alarm of a timer's time wakes the check. Timers of the same moment share it, so it costs next to nothing. */
async function saveHandoff(
  db: Database,
  locked: LockedConversation,
  handoff: StoredHandoff,
  next: Handoff,
  forwardedSeq: number | undefined,
): Promise<AfterCommit[]> {
  const { agentId, at } = locked.conversation;
  const marks = isOpen(next) ? next.marks : undefined;
  const timer = "timer" in next ? next.timer : undefined;
  const lookAt = timer && wakeAt(timer, timerLengthsOf(locked));
  const time = (value: number | null = null) => (value === null ? null : new Date(value));
  await db
    .updateTable("handoff")
    .set({
      state: next.state,
      reason: "reason" in next ? next.reason : null,
      ...(marks === undefined
        ? {}
        : {
            forwarded_seq: forwardedSeq ?? marks.forwardedSeq,
            acknowledged_seq: marks.acknowledgedSeq,
            replied_seq: marks.repliedSeq,
          }),
      timer_kind: timer?.kind ?? null,
      timer_set_at: time(timer?.setAt),
      timer_due_at: time(timer?.dueAt),
      timer_warnings: timer?.warnings ?? 0,
      timer_graced: timer?.graced ?? false,
      timer_wake_at: time(lookAt),
      // When the reconciler last called for a timer that nobody checked.
      timer_call_at: null,
      ...(next.state === "active" ? { first_reply_at: sql<Date>`coalesce(first_reply_at, now())` } : {}),
      ...(isOpen(next) ? {} : { ended_at: sql<Date>`now()` }),
    })
    .where("agent_id", "=", agentId)
    .where("id", "=", handoff.id)
    .execute();
  const announced = announcing(locked.conversation);
  return lookAt === undefined ? announced : [...announced, { alarm: TIMER_ALARM, dueAt: lookAt, at }];
}
