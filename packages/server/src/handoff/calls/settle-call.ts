import {
  giveUpRest,
  settle,
  type HandoffCall,
  type SettleHandoffCall,
  type Settled,
} from "../../delivery/index.ts";
import { makeCalls, type Engine, type EngineCall } from "../../engine/index.ts";
import { inTransaction, type Database } from "../../platform/index.ts";
import { isOpen, type HandoffEvent } from "../machine/machine.ts";
import { advance } from "../steps/apply-step.ts";
import { lockConversation, type LockedConversation, lockLanes } from "../steps/lock-conversation.ts";

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
  const locked = await lockConversation(db, agentId, conversationId, handoffId);
  await lockLanes(db, { agentId, id: conversationId });
  const [settled = { held: false }] = await settle(db, agentId, [settlement]);
  const handoff = locked?.handoff;
  if (!settled.held || locked === undefined || handoff === undefined) return settled;
  // A user who left meanwhile: a desk that was never reached has nothing to close.
  if (call.event === "handoff_requested" && call.reach === "unreached") await giveUpRest(db, settlement);
  const event = await eventOf(db, locked, call);
  calls.push(...(await advance(db, locked, handoff, event)));
  return settled;
}

async function eventOf(
  db: Database,
  locked: LockedConversation,
  { event, settlement, reach }: HandoffCall,
): Promise<HandoffEvent> {
  const { at } = locked.conversation;
  const isDelivered = settlement.state === "delivered";
  if (event === "handoff_requested")
    return isDelivered
      ? { kind: "establish_accepted", at }
      : { kind: "establish_refused", at, uncertain: reach === "uncertain" };
  return isDelivered
    ? { kind: "chat_delivered", at, seq: await nextUnacknowledged(db, locked) }
    : { kind: "chat_given_up", at };
}

/** Messages are delivered in order, so the one just delivered is the first that was not acknowledged. */
async function nextUnacknowledged(
  db: Database,
  { conversation, handoff }: LockedConversation,
): Promise<number> {
  const acknowledgedSeq =
    handoff !== undefined && isOpen(handoff.current) ? handoff.current.marks.acknowledgedSeq : 0;
  const row = await db
    .selectFrom("message")
    .select("seq")
    .where("agent_id", "=", conversation.agentId)
    .where("conversation_id", "=", conversation.id)
    .where("seq", ">", acknowledgedSeq)
    .where("sender", "=", "user")
    .orderBy("seq")
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? acknowledgedSeq;
}
