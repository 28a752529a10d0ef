import type { InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { questionKey } from "../knowledge/index.ts";
import { newId, type Database } from "../platform/index.ts";

/** Those of the last time: what is older than these is not looked at. */
const RATINGS_MAX = 2_000;

export interface PoorRating {
  id: string;
  conversationId: string;
  messageId: string;
  question: string;
  answer: string;
  comment: string | null;
  at: Date;
}

/** Answers that users rated as bad and nobody has dealt with, newest first, each with the question it replied to. */
export async function readPoorRatings(db: Database, agentId: string): Promise<PoorRating[]> {
  const { rows } = await sql<PoorRating>`
    select r.id, r.conversation_id as "conversationId", r.message_id as "messageId", q.text as question, a.text as answer,
      r.comment, r.updated_at as at
    from conversation_rating r
    join message q on q.id = r.question_id and q.agent_id = r.agent_id
    join message a on a.id = r.message_id and a.agent_id = r.agent_id
    where r.agent_id = ${agentId} and r.rating = 'bad' and r.question_id is not null and r.closed_at is null and q.text <> ''
    order by r.updated_at desc, r.id desc limit ${RATINGS_MAX}`.execute(db);
  return rows;
}

/** They have the same question, and it is answered or dismissed now. */
export async function closePoorRatings(db: Database, agentId: string, question: string): Promise<void> {
  const key = questionKey(question);
  const ids = (await readPoorRatings(db, agentId))
    .filter((rated) => questionKey(rated.question) === key)
    .map(({ id }) => id);
  if (ids.length === 0) return;
  await db
    .updateTable("conversation_rating")
    .set({ closed_at: sql`now()` })
    .where("agent_id", "=", agentId)
    .where("id", "in", ids)
    .execute();
}

export interface RatedReply {
  conversationId: string;
  /** An answer of the agent, or a handoff. */
  messageId: string | null;
  handoffId: string | null;
  questionId: string | null;
}

/** A later rating replaces the earlier one. If it differs, the question is open again for an editor. */
export async function storeRating(
  db: Database,
  agentId: string,
  { conversationId, messageId, handoffId, questionId }: RatedReply,
  { rating, comment }: Pick<InputOf<"rateChat">, "rating" | "comment">,
): Promise<void> {
  await sql`
    insert into conversation_rating as r
      (agent_id, id, conversation_id, message_id, handoff_id, question_id, rating, comment)
    values (${agentId}, ${newId()}, ${conversationId}, ${messageId}, ${handoffId}, ${questionId}, ${rating}, ${comment ?? null})
    on conflict (agent_id, conversation_id, message_id, handoff_id) do update set rating = excluded.rating,
      comment = excluded.comment, updated_at = now(),
      closed_at = case when r.rating = excluded.rating then r.closed_at end`.execute(db);
}
