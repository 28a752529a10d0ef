import {
  commonPolicies,
  findSettled,
  giveUpRest,
  nextUrgentStep,
  settle,
  type DeliveryPolicies,
  type DeliveryTimes,
  type EndedDelivery,
  type Settled,
} from "../../delivery/index.ts";
import { actAfterCommit, type AfterCommit, type AfterCommitParts } from "../../engine/index.ts";
import { inTransaction, outcomeOf, type Database } from "../../platform/index.ts";
import { isOpen, type HandoffEvent } from "../machine/machine.ts";
import { advance } from "../steps/apply-step.ts";
import { lockConversation, type LockedConversation, lockLanes } from "../steps/lock-conversation.ts";

/** The calls that a handoff waits for. */
type AwaitedCall = "handoff_requested" | "user_message";

/**
 * How the calls to a desk are made that a handoff waits for. Rule 4.6: a user waits while a desk is asked, so that call
 * follows the desk's own timeout and tries. As shipped, three of three seconds end within the ten a user is made to wait.
 */
export function deskCallPolicies(
  parts: AfterCommitParts & DeliveryTimes & { db: Database },
): Pick<DeliveryPolicies, AwaitedCall> {
  const settleAs = (event: AwaitedCall) => async (ended: EndedDelivery) => {
    const calls: AfterCommit[] = [];
    const settled = await inTransaction(parts.db, (db) => settleCall(db, event, ended, calls)).catch(
      (error: unknown) => readBack(parts.db, ended, error),
    );
    await actAfterCommit(parts, calls);
    return settled;
  };
  const { user_message } = commonPolicies(parts);
  return {
    handoff_requested: {
      timeoutMs: (desk) => Math.min(desk?.establish_timeout_ms ?? 0, parts.timeoutMs),
      nextStep: (outcome, { number }, desk) => nextUrgentStep(outcome, number, desk?.establish_tries ?? 0),
      isUrgent: true,
      settle: settleAs("handoff_requested"),
    },
    user_message: { ...user_message, settle: settleAs("user_message") },
  };
}

/** A commit without an answer is read back: what the desk was sent meanwhile is not sent to it again. */
async function readBack(db: Database, { settlement }: EndedDelivery, error: unknown): Promise<Settled> {
  const [found] = outcomeOf(error) === "unknown" ? await findSettled(db, [settlement]) : [];
  if (found === undefined) throw error;
  return found;
}

/** The answer of the desk and what it makes of the handoff commit together: neither can be known without the other. */
async function settleCall(
  db: Database,
  call: AwaitedCall,
  { settlement, reach, conversationId, handoffId }: EndedDelivery,
  calls: AfterCommit[],
): Promise<Settled> {
  const { agentId } = settlement;
  const locked = await lockConversation(db, agentId, conversationId, handoffId);
  await lockLanes(db, { agentId, id: conversationId });
  const [settled = { held: false }] = await settle(db, [settlement]);
  const handoff = locked?.handoff;
  if (!settled.held || locked === undefined || handoff === undefined) return settled;
  // A user who left meanwhile: a desk that was never reached has nothing to close.
  if (call === "handoff_requested" && reach === "unreached") await giveUpRest(db, settlement);
  const event = await eventOf(db, locked, call, { settlement, reach });
  calls.push(...(await advance(db, locked, handoff, event)));
  return settled;
}

async function eventOf(
  db: Database,
  locked: LockedConversation,
  call: AwaitedCall,
  { settlement, reach }: Pick<EndedDelivery, "settlement" | "reach">,
): Promise<HandoffEvent> {
  const { at } = locked.conversation;
  const isDelivered = settlement.state === "delivered";
  if (call === "handoff_requested")
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
