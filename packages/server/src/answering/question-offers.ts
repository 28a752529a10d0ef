import { createHash } from "node:crypto";
import { sql } from "kysely";
import { questionKey, type FoundPair } from "../knowledge/index.ts";
import { newId, type Database } from "../platform/index.ts";
import { chosenQuestion } from "./suggestions.ts";
import type { Asking } from "./unanswered-questions.ts";

/** A stored question, where it was found. */
export interface OfferedQuestion {
  document_id: string;
  question: string;
}

/** As long as an alternate may be: what is longer will not become one. */
const QUESTION_CHARACTERS_MAX = 1_000;

/**
 * Keeps what a user asked with the stored questions offered for it. The conversation is held: one that is erased at this
 * moment leaves nothing here.
 */
export async function recordOffer(
  db: Database,
  { agentId, conversationId }: Asking,
  asked: string,
  pairs: FoundPair[],
): Promise<void> {
  const question = asked.replaceAll(/\s+/g, " ").trim();
  if (pairs.length === 0 || question === "" || [...question].length > QUESTION_CHARACTERS_MAX) return;
  const key = createHash("sha256").update(questionKey(question)).digest();
  const offered = pairs.map((pair): OfferedQuestion => {
    return { document_id: pair.documentId, question: pair.question };
  });
  await sql`
    with asker as (
      select id from conversation where agent_id = ${agentId} and id = ${conversationId} for key share
    )
    insert into question_offer (agent_id, conversation_id, question_key, id, question, offered)
    select ${agentId}::uuid, id, ${key}::bytea, ${newId()}::uuid, ${question}, ${JSON.stringify(offered)}::jsonb from asker
    on conflict (agent_id, conversation_id, question_key) do update set id = excluded.id, question = excluded.question,
      offered = excluded.offered, offered_at = now(), chosen_document_id = null, chosen_question = null, approved_at = null`.execute(
    db,
  );
}

const DECIDED_AT_ONCE = 500;
/** Nobody waits for more than this; the next look goes on. */
const ROUNDS_MAX = 20;
/** An offer that nobody replied to for so long will not be chosen from. */
const UNDECIDED_KEPT_DAYS = 1;

interface UndecidedRow {
  id: string;
  offered: OfferedQuestion[];
  reply: string;
}

/**
 * Finds out which offered question users chose, by what they wrote next. Done when somebody looks: a look at every message that
 * could be a choice would cost each message of every conversation.
 */
export async function decideOffers(db: Database, agentId: string): Promise<void> {
  let rounds = 0;
  while ((await decideSome(db, agentId)) === DECIDED_AT_ONCE) if (++rounds === ROUNDS_MAX) return;
  // None of these has a reply.
  await sql`
    delete from question_offer where agent_id = ${agentId} and chosen_question is null
      and offered_at < now() - ${UNDECIDED_KEPT_DAYS} * interval '1 day'`.execute(db);
}

async function decideSome(db: Database, agentId: string): Promise<number> {
  const { rows } = await sql<UndecidedRow>`
    select o.id, o.offered, reply.text as reply from question_offer o, lateral (
      select text from message m
      where m.agent_id = ${agentId} and m.conversation_id = o.conversation_id and m.sender = 'user' and m.created_at > o.offered_at
      order by m.seq limit 1) reply
    where o.agent_id = ${agentId} and o.chosen_question is null
    order by o.offered_at limit ${DECIDED_AT_ONCE}`.execute(db);
  const decided = rows.map(({ id, offered, reply }) => ({ id, choice: chosenFrom(reply, offered) }));
  await sql`
    with decided as (
      select * from unnest(${decided.map(({ id }) => id)}::uuid[], ${decided.map(({ choice }) => choice?.document_id ?? null)}::uuid[],
        ${decided.map(({ choice }) => choice?.question ?? null)}::text[]) as decided(id, document_id, question)),
    chosen as (
      update question_offer o set chosen_document_id = d.document_id, chosen_question = d.question from decided d
      where o.agent_id = ${agentId} and o.id = d.id and d.question is not null)
    delete from question_offer o using decided d
    where o.agent_id = ${agentId} and o.id = d.id and d.question is null`.execute(db);
  return rows.length;
}

/** By its number, or by its words as a button sends them. */
function chosenFrom(reply: string, offered: OfferedQuestion[]): OfferedQuestion | undefined {
  const byNumber = chosenQuestion(
    reply,
    offered.map(({ question }) => question),
  );
  const key = questionKey(byNumber ?? reply);
  return offered.find(({ question }) => questionKey(question) === key);
}
