import type { InputOf, MessageAttachment, TalkDetail, TalkMessage, TalkNote } from "@signalbox/contract";
import { sql } from "kysely";
import { auditRead } from "../agents/index.ts";
import { Refusal, refuse, type Database, type OperatorCaller } from "../platform/index.ts";
import { describeTalk, findTalk, isHeldBy, talkRows, type TalkRow } from "./talk-row.ts";

const CURSOR = /^\d{1,15}$/;
const EARLIER_MAX = 20;

/** One chat with all that helps to answer it. Who reads a chat that is not theirs is recorded. */
export async function getTalk(
  { db }: { db: Database },
  caller: OperatorCaller,
  { agent_id, talk_id, cursor, limit }: InputOf<"getTalk">,
): Promise<TalkDetail | Refusal> {
  if (cursor !== undefined && !CURSOR.test(cursor))
    return refuse("badParameter", "cursor must be a next_cursor of this chat");
  const row = await findTalk(db, { agent_id, talk_id });
  if (row instanceof Refusal) return row;
  const [messages, notes, earlier] = await Promise.all([
    readMessages(db, row, cursor, limit),
    readNotes(db, row),
    readEarlier(db, row),
  ]);
  const detail: TalkDetail = {
    ...describeTalk(row, caller),
    ...messages,
    seen_sequence: row.seen_seq,
    user_seen_sequence: row.user_seen_seq,
    notes,
    earlier_talks: earlier.map((one) => describeTalk(one, caller)),
  };
  if (isHeldBy(row, caller)) return detail;
  return auditRead({ db }, caller, { action: "inbox.read", agentId: agent_id, subjectId: talk_id }, detail);
}

interface MessageRow {
  id: string;
  seq: number;
  sender: TalkMessage["sender"];
  text: string;
  attachments: MessageAttachment[] | null;
  author_id: string | null;
  author_name: string | null;
  created_at: Date;
}

/** Behind one another from the last: what was said just now is what is answered. */
async function readMessages(
  db: Database,
  { agent_id, conversation_id }: TalkRow,
  cursor: string | undefined,
  limit: number,
): Promise<Pick<TalkDetail, "messages" | "next_cursor">> {
  const { rows } = await sql<MessageRow>`
    select id, seq, sender, text, attachments, author_id, author_name, created_at from message
    where agent_id = ${agent_id} and conversation_id = ${conversation_id}
      ${cursor === undefined ? sql`` : sql`and seq < ${cursor}`}
    order by seq desc limit ${limit + 1}`.execute(db);
  const page = rows.slice(0, limit);
  const first = page.at(-1);
  return {
    messages: page.toReversed().map(describeMessage),
    next_cursor: rows.length > limit && first !== undefined ? String(first.seq) : null,
  };
}

function describeMessage(row: MessageRow): TalkMessage {
  return {
    message_id: row.id,
    sequence: row.seq,
    sender: row.sender,
    text: row.text,
    attachments: row.attachments ?? [],
    author: row.author_name === null ? null : { account_id: row.author_id, name: row.author_name },
    time: row.created_at.getTime(),
  };
}

export interface NoteRow {
  id: string;
  actor_id: string | null;
  actor_name: string;
  text: string;
  created_at: Date;
}

export function describeNote(row: NoteRow): TalkNote {
  return {
    note_id: row.id,
    author: { account_id: row.actor_id, name: row.actor_name },
    text: row.text,
    time: row.created_at.getTime(),
  };
}

async function readNotes(db: Database, { agent_id, id }: TalkRow): Promise<TalkNote[]> {
  const { rows } = await sql<NoteRow>`
    select id, actor_id, actor_name, text, created_at from inbox_note
    where agent_id = ${agent_id} and talk_id = ${id} order by id`.execute(db);
  return rows.map(describeNote);
}

async function readEarlier(db: Database, row: TalkRow): Promise<TalkRow[]> {
  const { agent_id, id, user_id, anonymous_id } = row;
  if (user_id === null && anonymous_id === null) return [];
  const isSame = user_id === null ? sql`c.anonymous_id = ${anonymous_id}` : sql`c.user_id = ${user_id}`;
  const { rows } = await talkRows(sql`
    select t.* from conversation c join inbox_talk t on t.agent_id = c.agent_id and t.conversation_id = c.id
    where c.agent_id = ${agent_id} and ${isSame} and t.id <> ${id}
    order by t.requested_at desc, t.id desc limit ${EARLIER_MAX}`).execute(db);
  return rows;
}
