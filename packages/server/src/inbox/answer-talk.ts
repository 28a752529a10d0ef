import { ACKNOWLEDGED, type Acknowledged, type InputOf, type Talk } from "@signalbox/contract";
import { sql } from "kysely";
import { writeAsOperator } from "../agents/index.ts";
import { closeByHuman, receiveHumanMessage, typeAsHuman, type DeskParts } from "../handoff/index.ts";
import { refuse, Refusal, type Database, type InboxCaller, type OperatorCaller } from "../platform/index.ts";
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
function deskCaller(caller: OperatorCaller, path: { agent_id: string; talk_id: string }): InboxCaller {
  const { idempotency, trace } = caller;
  const holdChat = (db: Database) => prepareReply(db, caller, path);
  return { kind: "inbox", agentId: path.agent_id, author: personOf(caller), holdChat, idempotency, trace };
}

/** The holder's words go out by 4.9, with its order, its repeats and its refusals. */
export async function replyInTalk(
  parts: AnswerParts,
  caller: OperatorCaller,
  { text, attachments, ...path }: InputOf<"replyInTalk">,
): Promise<Acknowledged | Refusal> {
  const { agent_id: agentId, talk_id: talkId } = path;
  if ((await readHolder(parts.db, path)) === undefined) return noTalk();
  const result = await receiveHumanMessage(parts.desk, deskCaller(caller, path), {
    conversation_id: talkId,
    timestamp: Date.now(),
    body: text ?? "",
    attachments,
  });
  if (result instanceof Refusal) await closeEndedTalks(parts, agentId);
  announceTalk(parts, { agentId, talkId });
  return isErased(result) ? noTalk() : result;
}

/** A reply in a chat that nobody holds takes it. The row's lock holds it until the reply is stored. */
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

/** Writes nothing: the holder's page calls this every three seconds while they type. */
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
  return typeAsHuman(parts.desk, deskCaller(caller, path), { conversation_id: path.talk_id });
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
  const desk: InboxCaller = { ...deskCaller(caller, path), idempotency: undefined };
  const ended = await closeByHuman(parts.desk, desk, { conversation_id: talkId, timestamp: Date.now() });
  if (isErased(ended)) return noTalk();
  return ended instanceof Refusal ? ended : shown(parts, caller, path);
}

/** The user was erased after this call had found the chat. */
function isErased(result: unknown): boolean {
  return result instanceof Refusal && result.failure === "unknownConversation";
}
