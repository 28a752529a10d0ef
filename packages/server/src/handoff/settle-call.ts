import {
  giveUpRest,
  settle,
  type HandoffCall,
  type SettleHandoffCall,
  type Settled,
} from "../delivery/index.ts";
import { makeCalls, type Engine, type EngineCall } from "../engine/index.ts";
import { inTransaction, type Database } from "../platform/index.ts";
import { applyStep } from "./apply-step.ts";
import { lockLanes } from "./lock-lanes.ts";
import { isOpen, transition, type HandoffEvent } from "./machine.ts";
import { lengthsOf, openScene, type Scene } from "./scene.ts";

/** The answer of the desk and what it makes of the handoff commit together: neither can be known without the other. */
export function createCallSettler({ db, engine }: { db: Database; engine: Engine }): SettleHandoffCall {
  return async (call) => {
    const calls: EngineCall[] = [];
    const settled = await inTransaction(db, (db) => settleCall(db, call, calls));
    await makeCalls(engine, calls);
    return settled;
  };
}

async function settleCall(db: Database, call: HandoffCall, calls: EngineCall[]): Promise<Settled> {
  const { settlement, conversationId, handoffId } = call;
  const { agentId } = settlement;
  const scene = await openScene(db, agentId, conversationId, handoffId);
  await lockLanes(db, { agentId, id: conversationId });
  const [settled = { held: false }] = await settle(db, agentId, [settlement]);
  const kept = scene?.kept;
  if (!settled.held || scene === undefined || kept === undefined) return settled;
  // A user who left meanwhile: a desk that was never reached has nothing to close.
  if (call.event === "handoff_requested" && call.reach === "unreached") await giveUpRest(db, settlement);
  const event = await eventOf(db, scene, call);
  const step = transition(kept.handoff, event, lengthsOf(scene));
  if (step.kind === "moved") calls.push(...(await applyStep(db, scene, kept, step)));
  return settled;
}

async function eventOf(
  db: Database,
  scene: Scene,
  { event, settlement, reach }: HandoffCall,
): Promise<HandoffEvent> {
  const { at } = scene.conversation;
  const isDelivered = settlement.state === "delivered";
  if (event === "handoff_requested")
    return isDelivered
      ? { kind: "establish_accepted", at }
      : { kind: "establish_refused", at, uncertain: reach === "uncertain" };
  return isDelivered
    ? { kind: "chat_delivered", at, seq: await nextUnheard(db, scene) }
    : { kind: "chat_given_up", at };
}

/** Chats are delivered in order, so the one just delivered is the first that the desk had not heard. */
async function nextUnheard(db: Database, { conversation, kept }: Scene): Promise<number> {
  const heardSeq = kept !== undefined && isOpen(kept.handoff) ? kept.handoff.marks.heardSeq : 0;
  const row = await db
    .selectFrom("message")
    .select("seq")
    .where("agent_id", "=", conversation.agentId)
    .where("conversation_id", "=", conversation.id)
    .where("seq", ">", heardSeq)
    .where("sender", "=", "user")
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? heardSeq;
}
