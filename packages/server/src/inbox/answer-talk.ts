import { ACKNOWLEDGED, type Acknowledged, type InputOf, type Talk } from "@signalbox/contract";
import { sql } from "kysely";
import { writeAsOperator } from "../agents/index.ts";
import { closeByHuman, receiveHumanMessage, typeAsHuman, type DeskParts } from "../handoff/index.ts";
import {
  inTransaction,
  recall,
  refuse,
  Refusal,
  type Database,
  type InboxCaller,
  type OperatorCaller,
} from "../platform/index.ts";
import { announceTalk } from "./announce-talk.ts";
import { closeEndedTalks } from "./inbox-sweeps.ts";
import { personOf } from "./person.ts";
import { auditTalk, holdTalk, shown, type TalkParts } from "./take-talk.ts";
import { isHeldBy, lockTalk, noTalk, readHolder, refuseHeld, refuseOver } from "./talk-row.ts";

export interface AnswerParts extends TalkParts {
  /** What a desk's calls of 4.9 and 4.10 are answered with. */
  desk: DeskParts;
}

/** As the desk that the chat came to, in the name of the person who writes. */
function deskCaller(agentId: string, caller: OperatorCaller): InboxCaller {
  const { idempotency, trace } = caller;
  return { kind: "inbox", agentId, author: personOf(caller), idempotency, trace };
}

/** The holder's words go out by 4.9, with its order, its repeats and its refusals. */
export async function replyInTalk(
  parts: AnswerParts,
  caller: OperatorCaller,
  { text, attachments, ...path }: InputOf<"replyInTalk">,
): Promise<Acknowledged | Refusal> {
  const { agent_id: agentId, talk_id: talkId } = path;
  const { idempotency } = caller;
  // A repeat is answered as before, whoever holds the chat by now.
  const earlier = await recall<Acknowledged>(parts.db, parts.sealer, { agentId, idempotency });
  if (earlier !== undefined) return earlier;
  const refused = await inTransaction(parts.db, (db) => prepareReply(db, caller, path));
  if (refused !== undefined) return refused;
  const result = await receiveHumanMessage(parts.desk, deskCaller(agentId, caller), {
    conversation_id: talkId,
    timestamp: Date.now(),
    body: text ?? "",
    attachments,
  });
  if (result instanceof Refusal) await closeEndedTalks(parts, agentId);
  announceTalk(parts, { agentId, talkId });
  return result;
}

async function prepareReply(
  db: Database,
  caller: OperatorCaller,
  path: { agent_id: string; talk_id: string },
): Promise<Refusal | undefined> {
  const talk = await lockTalk(db, path);
  if (talk === undefined) return noTalk();
  if (talk.state === "closed") return refuseOver();
  if (talk.state === "waiting") await holdTalk(db, caller, path);
  else if (!isHeldBy(talk, caller)) return refuseHeld(talk);
  await sql`update inbox_talk set active_at = date_trunc('milliseconds', now()), changed_at = now(), seen_seq = (
      select last_seq from conversation c where c.agent_id = ${path.agent_id} and c.id = ${talk.conversation_id})
    where agent_id = ${path.agent_id} and id = ${path.talk_id}`.execute(db);
  return undefined;
}

/** Writes nothing: whoever holds the chat calls this every three seconds while they type. */
export async function typeInTalk(
  parts: AnswerParts,
  caller: OperatorCaller,
  path: InputOf<"typeInTalk">,
): Promise<Acknowledged | Refusal> {
  const talk = await readHolder(parts.db, path);
  if (talk === undefined) return noTalk();
  if (talk.state === "closed") return refuseOver();
  if (talk.state === "waiting") return refuse("stateConflict", "take this chat first");
  if (!isHeldBy(talk, caller)) return refuseHeld(talk);
  return typeAsHuman(parts.desk, deskCaller(path.agent_id, caller), { conversation_id: path.talk_id });
}

/** Closed here first: a crash before 4.10 leaves a handoff that the same call, made again, ends. One that nobody ends times out. */
export async function closeTalk(
  parts: AnswerParts,
  caller: OperatorCaller,
  path: InputOf<"closeTalk">,
): Promise<Talk | Refusal> {
  const { agent_id: agentId, talk_id: talkId } = path;
  const closed = await writeAsOperator(parts, caller, async (db) => {
    const talk = await lockTalk(db, path);
    if (talk === undefined) return noTalk();
    if (talk.state === "closed") return ACKNOWLEDGED;
    if (talk.state === "taken" && !isHeldBy(talk, caller)) return refuseHeld(talk);
    if (talk.state === "waiting") await holdTalk(db, caller, path);
    await sql`update inbox_talk set state = 'closed', closed_at = date_trunc('milliseconds', now()), changed_at = now()
      where agent_id = ${agentId} and id = ${talkId}`.execute(db);
    await auditTalk(db, caller, path, "inbox.close", {});
    return ACKNOWLEDGED;
  });
  if (closed instanceof Refusal) return closed;
  const desk: InboxCaller = { ...deskCaller(agentId, caller), idempotency: undefined };
  const ended = await closeByHuman(parts.desk, desk, { conversation_id: talkId, timestamp: Date.now() });
  return ended instanceof Refusal ? ended : shown(parts, caller, path);
}
