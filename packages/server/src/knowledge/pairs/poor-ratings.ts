import { sql } from "kysely";
import type { Database } from "../../platform/index.ts";

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
