import { PREVIEW_MAX_CHARACTERS, type ConversationPage, type InputOf } from "@signalbox/contract";
import { sql, type RawBuilder } from "kysely";
import { auditRead, pageStart } from "../agents/index.ts";
import {
  firstIdAt,
  inTransaction,
  OPERATOR_SCOPE,
  planForValues,
  Refusal,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { CONVERSATION_COLUMNS, describeConversation, type ConversationRow } from "./conversation-row.ts";
import { findMessages, MESSAGES_FOUND_MAX } from "./message-search.ts";

/** A page costs no more than this, however rare what is sought: it may come back short, with a cursor to go on from. */
const LOOKED_AT_MAX = 10_000;

type Search = InputOf<"searchConversations">;
type LastMessage = NonNullable<ConversationPage["list"][number]["last_message"]>;
type Sql = RawBuilder<unknown>;

/** What one page looks at: a query of conversations, newest first, and where it ends if more follow. */
interface Looked {
  conversations: Sql;
  end: string | undefined;
}

/** Newest first, by id, which is ordered by time. A read of what users said is audited; what was sought is not kept. */
export async function searchConversations(
  { db }: { db: Database },
  caller: OperatorCaller,
  search: Search,
): Promise<ConversationPage | Refusal> {
  const before = pageStart(search.cursor);
  if (before instanceof Refusal) return before;
  const page = await inTransaction(db, async (db) => {
    await planForValues(db);
    const looked = await (search.text === undefined
      ? lookAtAll(db, search, before)
      : lookForText(db, search.agent_id ?? "", search.text, before));
    return readPage(db, search, looked);
  });
  if (!search.with_last_message && search.text === undefined) return page;
  const agentId = search.agent_id ?? OPERATOR_SCOPE;
  return auditRead({ db }, caller, { action: "conversations.read", agentId, subjectId: agentId }, page);
}

async function lookAtAll(db: Database, search: Search, before: string): Promise<Looked> {
  const { agent_id } = search;
  // As a range, so that only an index that begins with the agent gives this order.
  const ofAgent =
    agent_id === undefined ? [] : [sql`c.agent_id >= ${agent_id}`, sql`c.agent_id <= ${agent_id}`];
  const order = agent_id === undefined ? sql`c.id desc` : sql`c.agent_id desc, c.id desc`;
  const source = sql`from conversation c
    where ${and([...ofAgent, ...ofUser(search), ...beganWithin(search), sql`c.id < ${before}::uuid`])} order by ${order}`;
  const { rows } = await sql<{ id: string }>`
    select c.id ${source} offset ${LOOKED_AT_MAX - 1} limit 1`.execute(db);
  return {
    conversations: sql`select ${CONVERSATION_COLUMNS} ${source} limit ${LOOKED_AT_MAX}`,
    end: rows[0]?.id,
  };
}

async function lookForText(db: Database, agentId: string, text: string, before: string): Promise<Looked> {
  const rows = await findMessages(db, agentId, text, before);
  const ids = [...new Set(rows.map((row) => row.conversation_id))];
  return {
    conversations: sql`select ${CONVERSATION_COLUMNS} from conversation c
      where c.agent_id = ${agentId} and c.id = any(${ids}::uuid[])`,
    end: rows.length < MESSAGES_FOUND_MAX ? undefined : ids.at(-1),
  };
}

type FoundRow = ConversationRow & { sender: LastMessage["sender"] | null; text: string; said_at: Date };

async function readPage(
  db: Database,
  search: Search,
  { conversations, end }: Looked,
): Promise<ConversationPage> {
  const { limit, with_last_message } = search;
  const last = with_last_message
    ? sql`m.sender, left(m.text, ${PREVIEW_MAX_CHARACTERS}) as text, m.created_at as said_at`
    : sql`null as sender`;
  const lastMessage = with_last_message
    ? sql`left join lateral (select sender, text, created_at from message
        where agent_id = f.agent_id and conversation_id = f.id and sender <> 'system'
        order by seq desc limit 1) m on true`
    : sql``;
  const { rows } = await sql<FoundRow>`
    select f.*, ${last} from (
      select * from (${conversations}) c where ${and(tests(search))} order by c.id desc limit ${limit + 1}) f ${lastMessage}
    order by f.id desc`.execute(db);
  const page = rows.slice(0, limit);
  const next = rows.length > limit ? page.at(-1)?.id : end;
  return {
    list: page.map((row) => ({ ...describeConversation(row), last_message: lastMessageOf(row) })),
    next_cursor: next ?? null,
  };
}

function lastMessageOf({ sender, text, said_at }: FoundRow): LastMessage | null {
  return sender === null ? null : { sender, text, create_time: said_at.getTime() };
}

function ofUser({ user_id, anonymous_id }: Search): Sql[] {
  return [
    ...(user_id === undefined ? [] : [sql`c.user_id = ${user_id}`]),
    ...(anonymous_id === undefined ? [] : [sql`c.anonymous_id = ${anonymous_id}`]),
  ];
}

/** A node's clock makes the id and the database's the time: between the two lies less than this. */
const CLOCKS_APART_MS = 3_600_000;

/** By id, so that the index is read from where it matters. The exact time is judged row by row. */
function beganWithin({ from_time, to_time }: Search): Sql[] {
  return [
    ...(from_time === undefined
      ? []
      : [
          sql`c.id >= ${firstIdAt(from_time - CLOCKS_APART_MS)}::uuid`,
          sql`c.created_at >= ${new Date(from_time)}`,
        ]),
    ...(to_time === undefined
      ? []
      : [
          sql`c.id < ${firstIdAt(to_time + CLOCKS_APART_MS)}::uuid`,
          sql`c.created_at < ${new Date(to_time)}`,
        ]),
  ];
}

function tests(search: Search): Sql[] {
  const { channel, control, outcome } = search;
  return [
    ...(search.text === undefined ? [] : [...ofUser(search), ...beganWithin(search)]),
    ...(channel === undefined ? [] : [sql`c.channel = ${channel}`]),
    ...(control === undefined ? [] : [sql`c.control = ${control}`]),
    ...(outcome === undefined ? [] : [sql`c.outcome = ${outcome}`]),
  ];
}

function and(conditions: Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
