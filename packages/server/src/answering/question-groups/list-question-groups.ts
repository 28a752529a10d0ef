import type { InputOf, QuestionGroup, QuestionGroupPage } from "@signalbox/contract";
import { auditRead } from "../../agents/index.ts";
import type { Encoder } from "../../knowledge/index.ts";
import { LruMap, refuse, type Database, type OperatorCaller, type Refusal } from "../../platform/index.ts";
import { groupQuestions } from "./group-questions.ts";

/** Those asked last: what is older than these is not grouped. */
const GROUPED_MAX = 2_000;
/** The encoder takes milliseconds for each; the rest is compared by words. */
const ENCODED_MAX = 200;
const VECTORS_KEPT = 4_000;
const SHOWN_OF_A_GROUP = 50;
const CURSOR = /^\d{1,6}$/;

export interface QuestionGroupParts {
  db: Database;
  encoder?: Encoder | undefined;
  vectors: QuestionVectors;
}

export type QuestionVectors = LruMap<string, readonly number[] | null>;

export function createQuestionVectors(): QuestionVectors {
  return new LruMap(VECTORS_KEPT);
}

/** What users asked in vain, with one entry for what is alike: computed when somebody looks. */
export async function listQuestionGroups(
  { db, encoder, vectors }: QuestionGroupParts,
  caller: OperatorCaller,
  { agent_id, cursor, limit }: InputOf<"listQuestionGroups">,
): Promise<QuestionGroupPage | Refusal> {
  if (cursor !== undefined && !CURSOR.test(cursor))
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  const questions = await readQuestions(db, agent_id);
  const encoded = await withVectors(questions, encoder, vectors);
  const groups = (await groupQuestions(encoded)).map(describe).toSorted(mostAskedFirst);
  const from = Number(cursor ?? 0);
  const page = {
    list: groups.slice(from, from + limit),
    next_cursor: groups.length > from + limit ? String(from + limit) : null,
  };
  const read = { action: "unanswered_questions.read", agentId: agent_id, subjectId: agent_id };
  return auditRead({ db }, caller, read, page);
}

function readQuestions(db: Database, agentId: string) {
  return db
    .selectFrom("unanswered_question")
    .selectAll()
    .where("agent_id", "=", agentId)
    .orderBy("last_asked_at", "desc")
    .orderBy("id", "desc")
    .limit(GROUPED_MAX)
    .execute();
}

type QuestionRow = Awaited<ReturnType<typeof readQuestions>>[number];
type EncodedRow = QuestionRow & { vector: readonly number[] | undefined };

/** Those asked most often, and of those asked as often the newest: the same ones each time. */
async function withVectors(
  questions: QuestionRow[],
  encoder: Encoder | undefined,
  vectors: QuestionVectors,
): Promise<EncodedRow[]> {
  const ordered = questions.toSorted((one, other) => other.asked - one.asked || (one.id > other.id ? -1 : 1));
  const encoded: EncodedRow[] = [];
  for (const [at, row] of ordered.entries())
    encoded.push({
      ...row,
      vector: at < ENCODED_MAX ? await vectorOf(row.question, encoder, vectors) : undefined,
    });
  return encoded;
}

async function vectorOf(
  question: string,
  encoder: Encoder | undefined,
  vectors: QuestionVectors,
): Promise<readonly number[] | undefined> {
  if (encoder === undefined) return undefined;
  const known = vectors.get(question);
  if (known !== undefined) return known ?? undefined;
  const made = (await encoder.encode(question))?.numbers;
  vectors.set(question, made === undefined ? null : unit(made));
  return vectors.get(question) ?? undefined;
}

function unit(numbers: number[]): number[] {
  const length = Math.hypot(...numbers) || 1;
  return numbers.map((number) => number / length);
}

/** The question asked most stands for its group. */
function describe(members: EncodedRow[]): QuestionGroup {
  const [first] = members;
  if (first === undefined) throw new Error("a group without a question");
  return {
    question_id: first.id,
    question: first.question,
    asked: members.reduce((sum, { asked }) => sum + asked, 0),
    phrasings: members.length,
    questions: members.slice(0, SHOWN_OF_A_GROUP).map((row) => ({
      question_id: row.id,
      question: row.question,
      asked: row.asked,
      last_time: row.last_asked_at.getTime(),
    })),
    best_question: first.best_question,
    best_score: first.best_score,
    first_time: Math.min(...members.map((row) => row.first_asked_at.getTime())),
    last_time: Math.max(...members.map((row) => row.last_asked_at.getTime())),
  };
}

function mostAskedFirst(one: QuestionGroup, other: QuestionGroup): number {
  return (
    other.asked - one.asked ||
    other.last_time - one.last_time ||
    (one.question_id > other.question_id ? -1 : 1)
  );
}
