import type { InputOf, SuggestedAnswers, TriedPair } from "@signalbox/contract";
import { sql } from "kysely";
import { Refusal, type Database } from "../platform/index.ts";
import { findTalk } from "./talk-row.ts";

export interface SuggestParts {
  db: Database;
  /** What the agent's knowledge has for a question, best first. */
  nearestPairs: (agentId: string, question: string) => Promise<TriedPair[] | Refusal>;
}

const QUESTION_MAX_CHARACTERS = 2_000;
const SUGGESTED_MAX = 3;

/** What the agent's knowledge says to the user's last words: the human decides what of it is sent. */
export async function suggestAnswers(
  { db, nearestPairs }: SuggestParts,
  { agent_id, talk_id }: InputOf<"suggestAnswers">,
): Promise<SuggestedAnswers | Refusal> {
  const talk = await findTalk(db, { agent_id, talk_id });
  if (talk instanceof Refusal) return talk;
  const { rows } = await sql<{ text: string }>`
    select left(text, ${QUESTION_MAX_CHARACTERS}) as text from message
    where agent_id = ${agent_id} and conversation_id = ${talk.conversation_id} and sender = 'user'
      and text ~ '\\S' order by seq desc limit 1`.execute(db);
  const question = rows[0]?.text;
  if (question === undefined) return { question: null, list: [] };
  const pairs = await nearestPairs(agent_id, question);
  if (pairs instanceof Refusal) return pairs;
  const list = pairs
    .slice(0, SUGGESTED_MAX)
    .map(({ pair_id, doc_id, question, answer, score }) => ({ pair_id, doc_id, question, answer, score }));
  return { question, list };
}
