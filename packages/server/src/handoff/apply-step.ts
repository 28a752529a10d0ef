import { textWithAttachments, type MessageAttachment } from "@signalbox/contract";
import { sql } from "kysely";
import { enqueue } from "../delivery/index.ts";
import { objectKey, type EngineCall } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import { lockLanes } from "./lock-lanes.ts";
import { isOpen, type Effect, type Handoff, type Step } from "./machine.ts";
import { chatBytes, closeBytes } from "./protocol-bodies.ts";
import { announcing, lengthsOf, type KeptHandoff, type Scene } from "./scene.ts";
import { noticeText } from "./settings.ts";
import { tellUser } from "./tell-user.ts";
import { wakeAt } from "./timers.ts";

/**
 * Writes what a step makes of a handoff: its row, the calls to the desk, what the user is told, and who may speak. The caller
 * holds the conversation's row lock; the engine is called with what comes back, after the commit.
 */
export async function applyStep(
  db: Database,
  scene: Scene,
  kept: KeptHandoff,
  { handoff, effects }: Extract<Step, { kind: "moved" }>,
): Promise<EngineCall[]> {
  if (effects.length > 1) await lockLanes(db, scene.conversation);
  const calls: EngineCall[] = [];
  let toldSeq = isOpen(handoff) ? handoff.marks.toldSeq : undefined;
  for (const effect of effects) {
    if (effect.do === "forward_held") {
      const after = isOpen(kept.handoff) ? kept.handoff.marks.toldSeq : 0;
      const forwarded = await forwardSince(db, scene, kept, after);
      calls.push(...forwarded.calls);
      toldSeq = Math.max(toldSeq ?? 0, forwarded.toldSeq);
    } else calls.push(...(await applyEffect(db, scene, kept, effect)));
  }
  calls.push(...(await saveHandoff(db, scene, kept, handoff, toldSeq)));
  return calls;
}

function applyEffect(
  db: Database,
  scene: Scene,
  kept: KeptHandoff,
  effect: Exclude<Effect, { do: "forward_held" }>,
): Promise<EngineCall[]> {
  switch (effect.do) {
    case "close_desk":
      return enqueue(db, {
        ...addressOf(scene, kept),
        event: "handoff_closed",
        sender: effect.type === "USER_CLOSED" ? "user" : "system",
        items: [{ body: closeBytes(kept.id, scene.conversation.at, effect.type) }],
      });
    case "tell_user": {
      const text = scene.agent && noticeText(scene.agent, effect.notice);
      if (text === undefined) return Promise.resolve([]);
      return tellUser(db, scene.conversation, { sender: "system", componentName: kept.componentName, text });
    }
    case "return_control":
      return returnControl(db, scene, effect.answerAfterSeq);
  }
}

type DeskOfHandoff = Pick<KeptHandoff, "id" | "componentId">;

/** The calls of one handoff share a lane: establish, then chats, then close. */
export function addressOf({ conversation }: Scene, { id, componentId }: DeskOfHandoff) {
  return {
    agentId: conversation.agentId,
    destinationId: componentId,
    conversationId: conversation.id,
    handoffId: id,
  };
}

/** 4.7 for each user message behind the last one the desk was told of, in their order. */
export async function forwardSince(
  db: Database,
  scene: Scene,
  handoff: DeskOfHandoff,
  after: number,
): Promise<{ calls: EngineCall[]; toldSeq: number }> {
  const { agentId, id: conversationId } = scene.conversation;
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
  if (last === undefined) return { calls: [], toldSeq: after };
  const calls = await enqueue(db, {
    ...addressOf(scene, handoff),
    event: "user_message",
    sender: "user",
    items: held.map(({ id: messageId, text, attachments, created_at, traceparent }) => {
      const said = textWithAttachments(text, attachments as MessageAttachment[] | null);
      return { body: chatBytes(handoff.id, created_at.getTime(), said), messageId, traceparent };
    }),
  });
  return { calls, toldSeq: last.seq };
}

/**
 * Control goes back under a new epoch. What the desk has not heard becomes one turn of the bot; nothing said until now asks
 * for a person again, and for a while the bot asks for none by itself.
 */
async function returnControl(
  db: Database,
  { conversation, agent }: Scene,
  answerAfterSeq: number | "nothing",
): Promise<EngineCall[]> {
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

/** Rule 10: one call of the engine is outstanding; a look that is due before it needs another, a later one does not. */
async function saveHandoff(
  db: Database,
  scene: Scene,
  kept: KeptHandoff,
  handoff: Handoff,
  toldSeq: number | undefined,
): Promise<EngineCall[]> {
  const { agentId, at } = scene.conversation;
  const marks = isOpen(handoff) ? handoff.marks : undefined;
  const timer = "timer" in handoff ? handoff.timer : undefined;
  const lookAt = timer && wakeAt(timer, lengthsOf(scene));
  const asksForCall =
    lookAt !== undefined &&
    (kept.timerCallAt === null || kept.timerCallAt <= at || lookAt < kept.timerCallAt);
  const callAt = asksForCall ? lookAt : kept.timerCallAt;
  const time = (value: number | null = null) => (value === null ? null : new Date(value));
  await db
    .updateTable("handoff")
    .set({
      state: handoff.state,
      reason: "reason" in handoff ? handoff.reason : null,
      ...(marks === undefined
        ? {}
        : { told_seq: toldSeq ?? marks.toldSeq, heard_seq: marks.heardSeq, replied_seq: marks.repliedSeq }),
      timer_kind: timer?.kind ?? null,
      timer_set_at: time(timer?.setAt),
      timer_due_at: time(timer?.dueAt),
      timer_warnings: timer?.warnings ?? 0,
      timer_graced: timer?.graced ?? false,
      timer_wake_at: time(lookAt),
      timer_call_at: time(callAt),
      ...(handoff.state === "active" ? { first_reply_at: sql<Date>`coalesce(first_reply_at, now())` } : {}),
      ...(isOpen(handoff) ? {} : { ended_at: sql<Date>`now()` }),
    })
    .where("agent_id", "=", agentId)
    .where("id", "=", kept.id)
    .execute();
  const announced = announcing(scene.conversation);
  if (!asksForCall) return announced;
  return [
    ...announced,
    {
      object: "handoff",
      handler: "look",
      key: objectKey(agentId, kept.id),
      delayMs: Math.max(0, lookAt - at),
    },
  ];
}
