import type { ExportedConversation, ExportedMessage, InputOf, UserExport } from "@signalbox/contract";
import { sql } from "kysely";
import { requireAgent } from "../agents/index.ts";
import { readDeliveriesOf } from "../delivery/index.ts";
import { readHandoffsOf } from "../handoff/index.ts";
import {
  audit,
  JsonStream,
  type Database,
  type OperatorCaller,
  type Refusal,
  type Streamable,
} from "../platform/index.ts";
import { isAbout, subjectOf, type Subject } from "./subject.ts";

const READ_TOGETHER_MAX = 500;

/** Everything about one user, read while it is written: neither side holds more than a page. That it was read is recorded, not of whom. */
export async function exportUser(
  { db }: { db: Database },
  caller: OperatorCaller,
  { agent_id, ...user }: InputOf<"exportUser">,
): Promise<JsonStream | Refusal> {
  const missing = await requireAgent(db, agent_id);
  if (missing !== undefined) return missing;
  const subject = subjectOf(agent_id, user);
  await audit(db, caller, {
    action: "user.export",
    agentId: agent_id,
    subjectId: agent_id,
    detail: { scope: subject.scope },
  });
  return JsonStream.of<UserExport>({
    agent_id,
    user_id: user.user_id ?? null,
    anonymous_id: user.anonymous_id ?? null,
    create_time: Date.now(),
    bindings: await readBindings(db, subject),
    conversations: readConversations(db, subject),
  });
}

async function readBindings(db: Database, subject: Subject): Promise<UserExport["bindings"]> {
  const { rows } = await sql<Omit<UserExport["bindings"][number], "create_time"> & { bound_at: Date }>`
    select anonymous_id, conversation_type, source_id, user_id, bound_at from user_binding
    where ${isAbout(subject)} order by bound_at, anonymous_id`.execute(db);
  return rows.map(({ bound_at, ...binding }) => ({ ...binding, create_time: bound_at.getTime() }));
}

type ConversationRow = Pick<
  ExportedConversation,
  "channel" | "user_id" | "anonymous_id" | "email" | "phone"
> & { id: string; created_at: Date };

async function* readConversations(
  db: Database,
  subject: Subject,
): AsyncGenerator<Streamable<ExportedConversation>> {
  let after = "00000000-0000-0000-0000-000000000000";
  for (;;) {
    const { rows } = await sql<ConversationRow>`
      select id, channel, user_id, anonymous_id, email, phone, created_at from conversation
      where ${isAbout(subject)} and id > ${after}::uuid order by id limit ${READ_TOGETHER_MAX}`.execute(db);
    for (const row of rows) yield await exportConversation(db, subject.agentId, row);
    const last = rows.at(-1);
    if (last === undefined || rows.length < READ_TOGETHER_MAX) return;
    after = last.id;
  }
}

async function exportConversation(
  db: Database,
  agentId: string,
  { id, created_at, ...row }: ConversationRow,
): Promise<Streamable<ExportedConversation>> {
  return {
    conversation_id: id,
    ...row,
    create_time: created_at.getTime(),
    messages: readMessages(db, agentId, id),
    handoffs: await readHandoffsOf(db, agentId, id),
    deliveries: readDeliveriesOf(db, agentId, id),
    notes: await readNotes(db, agentId, id),
    unanswered_questions: await readQuestions(db, agentId, id),
    offers: await readOffers(db, agentId, id),
    ratings: await readRatings(db, agentId, id),
    speech: readSpeech(db, agentId, id),
  };
}

async function* readMessages(
  db: Database,
  agentId: string,
  conversationId: string,
): AsyncGenerator<ExportedMessage> {
  let after = 0;
  for (;;) {
    const rows = await db
      .selectFrom("message")
      .select([
        "id",
        "seq",
        "sender",
        "branch",
        "text",
        "attachments",
        "sources",
        "answer_with",
        "client_id",
        "created_at",
      ])
      .where("agent_id", "=", agentId)
      .where("conversation_id", "=", conversationId)
      .where("seq", ">", after)
      .orderBy("seq")
      .limit(READ_TOGETHER_MAX)
      .execute();
    for (const { id, seq, created_at, ...row } of rows)
      yield {
        ...row,
        message_id: id,
        sequence: seq,
        sender: row.sender as ExportedMessage["sender"],
        attachments: (row.attachments ?? []) as ExportedMessage["attachments"],
        sources: (row.sources ?? []) as ExportedMessage["sources"],
        answer_with: withoutPayer(row.answer_with as ExportedMessage["answer_with"]),
        create_time: created_at.getTime(),
      };
    const last = rows.at(-1);
    if (last === undefined || rows.length < READ_TOGETHER_MAX) return;
    after = last.seq;
  }
}

async function readNotes(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<ExportedConversation["notes"]> {
  const { rows } = await sql<{ actor_name: string; text: string; created_at: Date }>`
    select actor_name, text, created_at from inbox_note
    where agent_id = ${agentId} and conversation_id = ${conversationId} order by id`.execute(db);
  return rows.map(({ created_at, ...note }) => ({ ...note, create_time: created_at.getTime() }));
}

async function readQuestions(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<ExportedConversation["unanswered_questions"]> {
  const { rows } = await sql<{ question: string; asked: number }>`
    select q.question, a.asked from unanswered_question_asker a
    join unanswered_question q on q.agent_id = a.agent_id and q.question_key = a.question_key
    where a.agent_id = ${agentId} and a.conversation_id = ${conversationId} order by q.id`.execute(db);
  return rows;
}

async function readOffers(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<ExportedConversation["offers"]> {
  const { rows } = await sql<{ question: string; offered: { question: string }[]; offered_at: Date }>`
    select question, offered, offered_at from question_offer
    where agent_id = ${agentId} and conversation_id = ${conversationId} order by id`.execute(db);
  return rows.map(({ question, offered, offered_at }) => ({
    question,
    offered: offered.map((one) => one.question),
    create_time: offered_at.getTime(),
  }));
}

async function readRatings(
  db: Database,
  agentId: string,
  conversationId: string,
): Promise<ExportedConversation["ratings"]> {
  const { rows } = await sql<
    Omit<ExportedConversation["ratings"][number], "create_time"> & { created_at: Date }
  >`
    select rating, comment, message_id, created_at from conversation_rating
    where agent_id = ${agentId} and conversation_id = ${conversationId} order by id`.execute(db);
  return rows.map(({ created_at, ...row }) => ({ ...row, create_time: created_at.getTime() }));
}

/** One at a time: each may have megabytes. */
async function* readSpeech(
  db: Database,
  agentId: string,
  conversationId: string,
): AsyncGenerator<ExportedConversation["speech"][number]> {
  const ids = await db
    .selectFrom("speech")
    .select("id")
    .where("agent_id", "=", agentId)
    .where("conversation_id", "=", conversationId)
    .orderBy("created_at")
    .execute();
  for (const { id } of ids) {
    const spoken = await db
      .selectFrom("speech")
      .select(["content_type", "audio", "created_at"])
      .where("agent_id", "=", agentId)
      .where("id", "=", id)
      .executeTakeFirst();
    if (spoken === undefined) continue;
    const { content_type, audio, created_at } = spoken;
    yield { content_type, audio_base64: audio.toString("base64"), create_time: created_at.getTime() };
  }
}

/** A number among 65,536 that many visitors share is nobody's data. */
function withoutPayer(answerWith: ExportedMessage["answer_with"]): ExportedMessage["answer_with"] {
  if (answerWith === null) return null;
  const { payer: _payer, ...given } = answerWith;
  return Object.keys(given).length === 0 ? null : given;
}
