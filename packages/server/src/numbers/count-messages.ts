import { sql } from "kysely";
import { firstIdAt, type Database } from "../platform/index.ts";
import { countNewHandoffs } from "./count-handoffs.ts";
import { conversationLanguage } from "./language.ts";

/** Rows of one step, so that it takes milliseconds. */
const STEP_MAX = 500;
/** Messages of one conversation in one step. The steps that come to its other messages find those. */
const CONVERSATION_STEP_MAX = 1_000;
/** Characters of a user's first messages, which tell the language. */
const WORDS_MAX_CHARACTERS = 300;
/** When each pass looks at what was said. The first finds nearly all; the others what was committed after it had passed. */
export const PASS_LAGS_MS = [5_000, 120_000, 3_600_000] as const;

/** Who counts holds the only row; undefined: somebody else does. */
export async function holdSweep(db: Database): Promise<{ messageIds: string[]; nowMs: number } | undefined> {
  const { rows } = await sql<{ message_ids: string[]; now_ms: number }>`
    select message_ids, (extract(epoch from clock_timestamp()) * 1000)::bigint as now_ms
    from numbers_sweep for update skip locked`.execute(db);
  const [held] = rows;
  return held && { messageIds: held.message_ids, nowMs: held.now_ms };
}

interface Touched {
  agentId: string;
  conversationId: string;
}

/**
 * One step of one pass, in the transaction that holds the sweep: which conversations something was said in, and what of them is not
 * counted. False: the pass has come to its end. A message is found by its id, which is about when it was made; whether it is
 * counted is decided by its number in the conversation, so finding it again changes nothing.
 */
export async function countMessagesOnce(
  db: Database,
  pass: number,
  { messageIds, nowMs }: { messageIds: string[]; nowMs: number },
): Promise<boolean> {
  const { rows } = await sql<Touched & { id: string }>`
    select agent_id as "agentId", conversation_id as "conversationId", id from message
    where id > ${messageIds[pass]}::uuid and id < ${firstIdAt(nowMs - (PASS_LAGS_MS[pass] ?? 0))}::uuid
    order by id limit ${STEP_MAX}`.execute(db);
  const last = rows.at(-1);
  if (last === undefined) return false;
  const touched = [...new Map(rows.map((row) => [row.conversationId, row])).values()].toSorted((one, other) =>
    one.conversationId < other.conversationId ? -1 : 1,
  );
  const behind = await readBehind(db, touched);
  if (behind.length > 0) await count(db, behind);
  const [agentIds, conversationIds] = columnsOf(touched);
  await countNewHandoffs(
    db,
    sql`select h.* from unnest(${agentIds}::uuid[], ${conversationIds}::uuid[]) as t(agent_id, conversation_id),
      lateral (select * from handoff where agent_id = t.agent_id and conversation_id = t.conversation_id) h`,
  );
  await sql`update numbers_sweep set message_ids[${sql.lit(pass + 1)}] = ${last.id}::uuid`.execute(db);
  return rows.length === STEP_MAX;
}

interface Behind extends Touched {
  channel: string;
  language: string;
  countedSeq: number;
  toSeq: number;
}

interface BehindRow extends Omit<Behind, "language"> {
  language: string | null;
  words: string[] | null;
  agentLanguage: string;
}

/**
 * Conversations with messages that are not counted. What of them is visible has no gap below it: numbers are given under the row's
 * lock. Nothing is written about a deleted agent: it would outlive the purge.
 */
async function readBehind(db: Database, touched: Touched[]): Promise<Behind[]> {
  const [agentIds, conversationIds] = columnsOf(touched);
  const { rows } = await sql<BehindRow>`
    select t.agent_id as "agentId", t.conversation_id as "conversationId", c.channel, p.language,
      coalesce(p.counted_seq, 0) as "countedSeq",
      least(c.last_seq, coalesce(p.counted_seq, 0) + ${CONVERSATION_STEP_MAX})::bigint as "toSeq",
      a.language as "agentLanguage", w.words
    from unnest(${agentIds}::uuid[], ${conversationIds}::uuid[]) as t(agent_id, conversation_id)
    cross join lateral (select channel, last_seq from conversation where agent_id = t.agent_id and id = t.conversation_id) c
    cross join lateral (select language from agent where id = t.agent_id and deleted_at is null) a
    left join lateral (select counted_seq, language from numbers_conversation
      where agent_id = t.agent_id and conversation_id = t.conversation_id) p on true
    left join lateral (select array_agg(left(text, ${WORDS_MAX_CHARACTERS}) order by seq) as words from (
      select seq, text from message where p.language is null and agent_id = t.agent_id and conversation_id = t.conversation_id
        and seq <= 8 and sender = 'user' order by seq limit 3) said) w on true
    where c.last_seq > coalesce(p.counted_seq, 0)`.execute(db);
  return rows.map(({ words, agentLanguage, language, ...row }) => ({
    ...row,
    language: language ?? conversationLanguage(words ?? [], agentLanguage),
  }));
}

/** Adds the messages between two numbers of each conversation, and raises the numbers, in one statement. */
async function count(db: Database, behind: Behind[]): Promise<void> {
  const column = <Value>(read: (one: Behind) => Value) => behind.map(read);
  await sql`
    with behind as (
      select * from unnest(
        ${column(({ agentId }) => agentId)}::uuid[], ${column(({ conversationId }) => conversationId)}::uuid[],
        ${column(({ countedSeq }) => countedSeq)}::bigint[], ${column(({ toSeq }) => toSeq)}::bigint[],
        ${column(({ channel }) => channel)}::text[], ${column(({ language }) => language)}::text[]
      ) as b(agent_id, conversation_id, counted_seq, to_seq, channel, language)
    ),
    raised as (
      insert into numbers_conversation (agent_id, conversation_id, counted_seq, language)
      select agent_id, conversation_id, to_seq, language from behind
      on conflict (agent_id, conversation_id) do update set counted_seq = excluded.counted_seq
    ),
    said as materialized (
      select b.agent_id, date_trunc('hour', m.created_at, 'UTC') as hour, b.channel, b.language, m.seq, m.sender,
        case when m.sender <> 'ai' then null
          when m.branch = 'fallback' and m.suggestions is not null then 'suggestion'
          when m.branch = 'fallback' then 'unanswered'
          else coalesce(m.branch, 'direct') end as answer
      from behind b, lateral (
        select seq, sender, branch, suggestions, created_at from message
        where agent_id = b.agent_id and conversation_id = b.conversation_id and seq > b.counted_seq and seq <= b.to_seq
      ) m
    ),
    facts as (
      select agent_id, hour, channel, language, 'message' as kind, sender as detail, count(*) as n from said group by 1, 2, 3, 4, 6
      union all
      select agent_id, hour, channel, language, 'answer', answer, count(*) from said where answer is not null group by 1, 2, 3, 4, 6
      union all
      select agent_id, hour, channel, language, 'conversation', '', count(*) from said where seq = 1 group by 1, 2, 3, 4
    )
    insert into numbers_hour as n (agent_id, hour, channel, language, kind, detail, count)
    select agent_id, hour, channel, language, kind, detail, n from facts
    on conflict (agent_id, hour, channel, language, kind, detail) do update set count = n.count + excluded.count`.execute(
    db,
  );
}

function columnsOf(touched: Touched[]): [agentIds: string[], conversationIds: string[]] {
  return [touched.map(({ agentId }) => agentId), touched.map(({ conversationId }) => conversationId)];
}
