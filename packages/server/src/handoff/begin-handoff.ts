import { randomUUID } from "node:crypto";
import type { HandoffTrigger } from "@signalbox/contract";
import { sql } from "kysely";
import { enqueue } from "../delivery/index.ts";
import type { EngineCall } from "../engine/index.ts";
import type { Database } from "../platform/index.ts";
import { addressOf } from "./apply-step.ts";
import { chooseComponent, readComponents, type Component } from "./choose-component.ts";
import { leaveMessage, offerToLeaveMessage } from "./leave-message.ts";
import { begin } from "./machine.ts";
import { establishBytes } from "./protocol-bodies.ts";
import { announcing, reachesUser, type KeptHandoff, type Scene } from "./scene.ts";
import { readTranscript } from "./transcript.ts";

export interface Occasion {
  trigger: HandoffTrigger;
  /** The user's message that said so; answered by this, whatever comes of it. */
  answeredSeq?: number;
}

export type Begun =
  | { kind: "begun"; kept: KeptHandoff; calls: EngineCall[] }
  | { kind: "away"; calls: EngineCall[] }
  /** No component fits the occasion, or nothing a human writes would reach the user. */
  | { kind: "no_desk" };

/**
 * Moves control to the human side and queues the call to the desk, in the transaction of whatever asked for it: the bot is
 * silent before anybody outside hears of it. The caller holds the conversation's lock, and control is the bot's.
 */
export async function beginHandoff(db: Database, scene: Scene, occasion: Occasion): Promise<Begun> {
  const { conversation } = scene;
  if (!reachesUser(scene)) return { kind: "no_desk" };
  const [components, transcript] = await Promise.all([
    readComponents(db, conversation.agentId),
    readTranscript(db, scene),
  ]);
  const words = transcript.filter(({ message_type }) => message_type === "QUESTION").map(({ text }) => text);
  const choice = chooseComponent(components, { trigger: occasion.trigger, words, at: conversation.at });
  if (choice.kind === "none") return { kind: "no_desk" };
  if (choice.kind === "away") {
    const away = { ...occasion, ...choice, transcript };
    const calls =
      conversation.email === null
        ? await offerToLeaveMessage(db, scene, away)
        : await leaveMessage(db, scene, away, conversation.email);
    return { kind: "away", calls };
  }
  const kept = await insertHandoff(db, scene, choice.component, occasion.trigger);
  await takeControl(db, scene, kept, occasion.answeredSeq);
  const asked = await readAsking(db, scene, occasion.answeredSeq);
  const calls = await enqueue(db, {
    ...addressOf(scene, kept),
    event: "handoff_requested",
    sender: "user",
    items: [{ body: establishBytes(scene.conversation, kept.id, transcript), ...asked }],
  });
  return { kind: "begun", kept, calls: [...calls, ...announcing(conversation)] };
}

/** The message that asked for a person, if one did: what is sent because of it can be found by its id and its trace. */
async function readAsking(
  db: Database,
  { conversation }: Scene,
  seq: number | undefined,
): Promise<{ inReplyTo?: string; traceparent?: string | null }> {
  if (seq === undefined) return {};
  const asking = await db
    .selectFrom("message")
    .select(["id as inReplyTo", "traceparent"])
    .where("agent_id", "=", conversation.agentId)
    .where("conversation_id", "=", conversation.id)
    .where("seq", "=", seq)
    .executeTakeFirst();
  return asking ?? {};
}

async function insertHandoff(
  db: Database,
  { conversation }: Scene,
  { id: componentId, name, firstReply }: Component,
  trigger: HandoffTrigger,
): Promise<KeptHandoff> {
  const handoff = begin(conversation.lastSeq);
  const kept: KeptHandoff = {
    // Drawn by chance as a whole: for a desk that calls without a key, knowing it is the proof.
    id: randomUUID(),
    conversationId: conversation.id,
    componentId,
    componentName: name,
    firstReply,
    trigger,
    handoff,
    timerCallAt: null,
    endedAt: null,
  };
  await db
    .insertInto("handoff")
    .values({
      agent_id: conversation.agentId,
      id: kept.id,
      conversation_id: conversation.id,
      component_id: componentId,
      trigger,
      state: handoff.state,
      told_seq: handoff.marks.toldSeq,
      requested_at: sql<Date>`date_trunc('milliseconds', now())`,
    })
    .execute();
  return kept;
}

/** Every turn that is under way has begun in another epoch from here on, and commits nothing. */
async function takeControl(
  db: Database,
  { conversation }: Scene,
  { id: handoffId }: KeptHandoff,
  answeredSeq = 0,
): Promise<void> {
  await db
    .updateTable("conversation")
    .set({
      control: "human",
      epoch: sql`epoch + 1`,
      handoff_id: handoffId,
      away_component_id: null,
      turn_awake: false,
      turn_done_seq: sql`greatest(turn_done_seq, ${answeredSeq})`,
    })
    .where("agent_id", "=", conversation.agentId)
    .where("id", "=", conversation.id)
    .execute();
}
