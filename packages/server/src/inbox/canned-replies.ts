import {
  ACKNOWLEDGED,
  fillPlaceholders,
  type Acknowledged,
  type CannedReply,
  type CannedReplyList,
  type FilledReply,
  type InputOf,
} from "@signalbox/contract";
import { sql } from "kysely";
import { requireAgent, requireLiveAgent, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { audit, newId, Refusal, refuse, type Database, type OperatorCaller } from "../platform/index.ts";
import { personOf } from "./person.ts";
import { findTalk } from "./talk-row.ts";

const REPLIES_MAX = 500;

interface ReplyRow {
  id: string;
  title: string;
  text: string;
  created_at: Date;
  updated_at: Date;
}

export async function listCannedReplies(
  { db }: { db: Database },
  { agent_id }: InputOf<"listCannedReplies">,
): Promise<CannedReplyList | Refusal> {
  const missing = await requireAgent(db, agent_id);
  if (missing !== undefined) return missing;
  const { rows } = await sql<ReplyRow>`
    select * from canned_reply where agent_id = ${agent_id} order by title, id limit ${REPLIES_MAX}`.execute(
    db,
  );
  return { list: rows.map(describe) };
}

export function createCannedReply(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, title, text }: InputOf<"createCannedReply">,
): Promise<CannedReply | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const { rows: known } = await sql<{ count: number }>`
      select count(*)::integer as count from canned_reply where agent_id = ${agent_id}`.execute(db);
    if ((known[0]?.count ?? 0) >= REPLIES_MAX)
      return refuse("stateConflict", `an agent has at most ${REPLIES_MAX} canned replies; delete one first`);
    const { rows } = await sql<ReplyRow>`
      insert into canned_reply (agent_id, id, title, text) values (${agent_id}, ${newId()}, ${title}, ${text})
      returning *`.execute(db);
    return saved(db, caller, agent_id, "canned_reply.create", rows[0]);
  });
}

export function updateCannedReply(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, reply_id, title, text }: InputOf<"updateCannedReply">,
): Promise<CannedReply | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const { rows } = await sql<ReplyRow>`
      update canned_reply set title = ${title}, text = ${text}, updated_at = now()
      where agent_id = ${agent_id} and id = ${reply_id} returning *`.execute(db);
    return saved(db, caller, agent_id, "canned_reply.update", rows[0]);
  });
}

export function deleteCannedReply(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, reply_id }: InputOf<"deleteCannedReply">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const { rows } = await sql<ReplyRow>`
      delete from canned_reply where agent_id = ${agent_id} and id = ${reply_id} returning *`.execute(db);
    const result = await saved(db, caller, agent_id, "canned_reply.delete", rows[0]);
    return result instanceof Refusal ? result : ACKNOWLEDGED;
  });
}

/** Filled in here, so that every client fills in the same; the human sees it before it is sent. */
export async function fillCannedReply(
  { db }: { db: Database },
  caller: OperatorCaller,
  { agent_id, talk_id, reply_id }: InputOf<"fillCannedReply">,
): Promise<FilledReply | Refusal> {
  const talk = await findTalk(db, { agent_id, talk_id });
  if (talk instanceof Refusal) return talk;
  const { rows } = await sql<{ text: string; agent_name: string }>`
    select r.text, a.name as agent_name from canned_reply r join agent a on a.id = r.agent_id
    where r.agent_id = ${agent_id} and r.id = ${reply_id}`.execute(db);
  const [reply] = rows;
  if (reply === undefined) return noReply();
  return fillPlaceholders(reply.text, {
    "user.id": talk.user_id,
    "user.email": talk.email,
    "user.phone": talk.phone,
    "human.name": personOf(caller).name,
    "agent.name": reply.agent_name,
  });
}

async function saved(
  db: Database,
  caller: OperatorCaller,
  agentId: string,
  action: string,
  row: ReplyRow | undefined,
): Promise<CannedReply | Refusal> {
  if (row === undefined) return noReply();
  await audit(db, caller, { action, agentId, subjectId: row.id, detail: { title: row.title } });
  return describe(row);
}

function noReply(): Refusal {
  return refuse("notFound", "this agent has no canned reply with this reply_id");
}

function describe(row: ReplyRow): CannedReply {
  return {
    reply_id: row.id,
    title: row.title,
    text: row.text,
    create_time: row.created_at.getTime(),
    update_time: row.updated_at.getTime(),
  };
}
