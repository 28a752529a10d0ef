import { randomUUID } from "node:crypto";
import type { HandoffItem, HandoffTrigger } from "@signalbox/contract";
import { sql } from "kysely";
import { enqueue } from "../delivery/index.ts";
import type { EngineCall } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import { addressOf, forwardSince } from "./apply-step.ts";
import { nextOpening } from "./business-hours.ts";
import { readComponents, type Component } from "./choose-component.ts";
import { lockLanes } from "./lock-lanes.ts";
import { establishBytes } from "./protocol-bodies.ts";
import type { Scene } from "./scene.ts";
import { noticeText } from "./settings.ts";
import { tellUser } from "./tell-user.ts";
import { readTranscript } from "./transcript.ts";

/** Nobody is there: which desk opens first, and when. */
export interface Away {
  trigger: HandoffTrigger;
  answeredSeq?: number;
  component: Component;
  opensAt: number;
  transcript: HandoffItem[];
}

/** The bot keeps control: the user is told, and may leave an address. */
export async function offerToLeaveMessage(db: Database, scene: Scene, away: Away): Promise<EngineCall[]> {
  await settleAway(db, scene, away, { away_component_id: away.component.id });
  return tell(db, scene, away.component, "away");
}

/**
 * The request goes to the desk when it opens, by the ordinary timetable. Nobody waits for it in the conversation, so for us it
 * has ended; at the desk it stays open until a human has seen to it. Until then what the user adds goes behind it.
 */
export async function leaveMessage(
  db: Database,
  scene: Scene,
  away: Away,
  email: string,
): Promise<EngineCall[]> {
  const { conversation } = scene;
  const { agentId, id: conversationId } = conversation;
  const { component, opensAt, transcript, trigger } = away;
  const waiting = await messageThatWaits(db, scene);
  if (waiting !== undefined) return addToMessage(db, scene, away, waiting);
  const handoffId = randomUUID();
  await db
    .insertInto("handoff")
    .values({
      agent_id: agentId,
      id: handoffId,
      conversation_id: conversationId,
      component_id: component.id,
      trigger,
      state: "closed",
      reason: "message_left",
      told_seq: conversation.lastSeq,
      requested_at: sql<Date>`date_trunc('milliseconds', now())`,
      ended_at: sql<Date>`now()`,
    })
    .execute();
  await settleAway(db, scene, away, { away_component_id: null, email });
  const calls = await enqueue(db, {
    ...addressOf(scene, { id: handoffId, componentId: component.id }),
    notBefore: new Date(opensAt),
    event: "message_left",
    sender: "user",
    items: [{ body: establishBytes({ ...conversation, email }, handoffId, transcript) }],
  });
  return [...calls, ...(await tell(db, scene, component, "message_left"))];
}

interface WaitingMessage {
  id: string;
  componentId: string;
  toldSeq: number;
}

/** A message of this conversation that its desk has not been sent, because it is closed. */
async function messageThatWaits(
  db: Database,
  { conversation: { agentId, id } }: Scene,
): Promise<WaitingMessage | undefined> {
  const { rows } = await sql<WaitingMessage>`
    select h.id, h.component_id as "componentId", h.told_seq as "toldSeq" from handoff h
    join lane l on l.agent_id = h.agent_id and l.conversation_id = h.conversation_id and l.handoff_id = h.id
    join webhook w on w.id = h.component_id and w.agent_id = h.agent_id and w.deleted_at is null
    where h.agent_id = ${agentId} and h.conversation_id = ${id} and h.reason = 'message_left' and l.not_before > now()
    order by h.requested_at desc limit 1`.execute(db);
  return rows[0];
}

/** Who asks again opens no second ticket: what was said since goes to the desk as chat, behind the message. */
async function addToMessage(
  db: Database,
  scene: Scene,
  away: Away,
  waiting: WaitingMessage,
): Promise<EngineCall[]> {
  const { agentId } = scene.conversation;
  await lockLanes(db, scene.conversation);
  const { calls, toldSeq } = await forwardSince(db, scene, waiting, waiting.toldSeq);
  await db
    .updateTable("handoff")
    .set({ told_seq: toldSeq })
    .where("agent_id", "=", agentId)
    .where("id", "=", waiting.id)
    .execute();
  await settleAway(db, scene, away, { away_component_id: null });
  return [...calls, ...(await tell(db, scene, away.component, "message_left"))];
}

/** An address, written after the user was told that nobody is there. Undefined when the desk that was meant is gone. */
export async function takeAddress(
  db: Database,
  scene: Scene,
  email: string,
  answeredSeq: number,
): Promise<EngineCall[] | undefined> {
  const { agentId, at, awayComponentId } = scene.conversation;
  const component = (await readComponents(db, agentId)).find(({ id }) => id === awayComponentId);
  if (component === undefined) return undefined;
  const transcript = await readTranscript(db, scene);
  const opensAt = nextOpening(component.hours, at);
  return leaveMessage(db, scene, { trigger: "phrase", answeredSeq, component, opensAt, transcript }, email);
}

/** The message that asked is answered by the notice. Whether anybody was told is no matter: the agent asks no more for a while. */
async function settleAway(
  db: Database,
  { conversation, agent }: Scene,
  { answeredSeq = 0 }: Away,
  changes: { away_component_id: string | null; email?: string },
): Promise<void> {
  const { rows } = await sql<{ awake: boolean }>`
    update conversation set
      away_component_id = ${changes.away_component_id}::uuid,
      email = coalesce(${changes.email ?? null}, email),
      no_answers = 0,
      handoff_quiet_until = now() + ${agent?.settings.quiet_seconds ?? 0} * interval '1 second',
      turn_done_seq = greatest(turn_done_seq, ${answeredSeq}),
      turn_awake = turn_due_seq > greatest(turn_done_seq, ${answeredSeq}),
      turn_due_since = now()
    where agent_id = ${conversation.agentId} and id = ${conversation.id}
    returning turn_awake as awake`.execute(db);
  if (rows.length === 0) throw new Error("a conversation vanished under its lock");
}

async function tell(
  db: Database,
  scene: Scene,
  component: Component,
  notice: "away" | "message_left",
): Promise<EngineCall[]> {
  const text = scene.agent && noticeText(scene.agent, notice);
  if (text === undefined) return [];
  return tellUser(db, scene.conversation, { sender: "system", componentName: component.name, text });
}
