import type { InputOf, TopQuestion, TopQuestions } from "@signalbox/contract";
import { sql } from "kysely";
import { auditRead, requireAgent } from "../../agents/index.ts";
import { questionKey } from "../../knowledge/index.ts";
import {
  firstIdAt,
  inTransaction,
  planForValues,
  type Database,
  type OperatorCaller,
  type Refusal,
} from "../../platform/index.ts";
import { maskPersonalData } from "../human-answers/mask-personal-data.ts";
import { readSmallTalk } from "../small-talk.ts";
import { groupQuestions, type QuestionToGroup } from "./group-questions.ts";

/** The newest of the range: more are not read, however many there are. */
const MESSAGES_MAX = 20_000;
const WORDINGS_MAX = 1_000;
const QUESTION_MAX_CHARACTERS = 300;
/** What one user says over and over is nobody's question but theirs. */
const CONVERSATIONS_MIN = 2;

type Query = InputOf<"listTopQuestions">;

/** Read from where the words are: nothing is kept of them elsewhere, so they go with their conversations. */
export async function listTopQuestions(
  { db }: { db: Database },
  caller: OperatorCaller,
  query: Query,
): Promise<TopQuestions | Refusal> {
  const { agent_id: agentId, limit } = query;
  const missing = await requireAgent(db, agentId);
  if (missing !== undefined) return missing;
  const { wordings, read } = await inTransaction(db, async (db) => {
    await planForValues(db);
    return readWordings(db, query);
  });
  const page = {
    asked: await topOf(byKey(wordings), limit),
    unanswered: await topOf(await readUnanswered(db, query), limit),
    is_partial: read >= MESSAGES_MAX,
  };
  return auditRead({ db }, caller, { action: "top_questions.read", agentId, subjectId: agentId }, page);
}

interface Wording {
  text: string;
  asked: number;
  conversations: number;
}

async function readWordings(
  db: Database,
  { agent_id, from_time, to_time }: Query,
): Promise<{ wordings: Wording[]; read: number }> {
  const { rows } = await sql<Wording & { read: number }>`
    with said as materialized (
      select left(text, ${QUESTION_MAX_CHARACTERS}) as text, conversation_id from message
      where agent_id = ${agent_id}::uuid and sender = 'user' and text <> ''
        and id >= ${firstIdAt(from_time)}::uuid and id < ${firstIdAt(to_time)}::uuid
      order by id desc limit ${MESSAGES_MAX}
    )
    select text, count(*)::integer as asked, count(distinct conversation_id)::integer as conversations,
      (select count(*)::integer from said) as read
    from said group by lower(text), text order by 2 desc, 1 limit ${WORDINGS_MAX}`.execute(db);
  return { wordings: rows, read: rows[0]?.read ?? 0 };
}

/** Wordings that differ in case, blanks and punctuation alone are one. */
function byKey(wordings: Wording[]): QuestionToGroup[] {
  const questions = wordings.filter(({ text }) => readSmallTalk(text) === undefined);
  const groups = Map.groupBy(questions, ({ text }) => questionKey(maskPersonalData(text)));
  return [...groups].flatMap(([id, members]) => {
    const sum = (field: "asked" | "conversations") => members.reduce((total, one) => total + one[field], 0);
    const [first] = members;
    if (first === undefined || id === "" || sum("conversations") < CONVERSATIONS_MIN) return [];
    return [{ id, question: maskPersonalData(first.text), asked: sum("asked") }];
  });
}

async function readUnanswered(
  db: Database,
  { agent_id, from_time, to_time }: Query,
): Promise<QuestionToGroup[]> {
  const rows = await db
    .selectFrom("unanswered_question")
    .select(["id", "question", "asked"])
    .where("agent_id", "=", agent_id)
    .where("asked", ">", 0)
    .where("last_asked_at", ">=", new Date(from_time))
    .where("last_asked_at", "<", new Date(to_time))
    .orderBy("asked", "desc")
    .orderBy("id")
    .limit(WORDINGS_MAX)
    .execute();
  return rows.map((row) => ({
    ...row,
    question: maskPersonalData([...row.question].slice(0, QUESTION_MAX_CHARACTERS).join("")),
  }));
}

async function topOf(questions: QuestionToGroup[], limit: number): Promise<TopQuestion[]> {
  const groups = await groupQuestions(questions);
  return groups
    .flatMap(([first, ...others]) => {
      if (first === undefined) return [];
      const asked = others.reduce((sum, other) => sum + other.asked, first.asked);
      return [{ question: first.question, asked, phrasings: others.length + 1 }];
    })
    .toSorted((one, other) => other.asked - one.asked)
    .slice(0, limit);
}
