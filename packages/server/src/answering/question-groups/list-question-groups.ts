import type { InputOf, QuestionGroup, QuestionGroupPage } from "@signalbox/contract";
import { auditRead } from "../../agents/index.ts";
import { questionKey, type Encoder } from "../../knowledge/index.ts";
import { readPoorRatings, type PoorRating } from "../ratings.ts";
import { LruMap, refuse, type Database, type OperatorCaller, type Refusal } from "../../platform/index.ts";
import { proposalOf, type Proposal } from "../proposed-pairs.ts";
import { groupQuestions } from "./group-questions.ts";

/** Those asked last: what is older than these is not grouped. */
const GROUPED_MAX = 2_000;
/** The encoder takes milliseconds for each; the rest is compared by words. */
const ENCODED_MAX = 200;
const VECTORS_KEPT = 4_000;
const SHOWN_OF_A_GROUP = 50;
const RATINGS_SHOWN = 5;
const QUESTION_CHARACTERS_SHOWN = 2_000;
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

/** What users asked in vain, or were answered badly, with one entry for what is alike: computed when somebody looks. */
export async function listQuestionGroups(
  { db, encoder, vectors }: QuestionGroupParts,
  caller: OperatorCaller,
  { agent_id, cursor, limit }: InputOf<"listQuestionGroups">,
): Promise<QuestionGroupPage | Refusal> {
  if (cursor !== undefined && !CURSOR.test(cursor))
    return refuse("badParameter", "cursor must be the next_cursor of an earlier page of this list");
  const questions = withRatings(await readQuestions(db, agent_id), await readPoorRatings(db, agent_id));
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

interface QuestionRow extends Proposal {
  id: string;
  question: string;
  asked: number;
  best_question: string | null;
  best_score: number;
  first_asked_at: Date;
  last_asked_at: Date;
  ratings: PoorRating[];
}

function readQuestions(db: Database, agentId: string): Promise<Omit<QuestionRow, "ratings">[]> {
  return db
    .selectFrom("unanswered_question")
    .select(["id", "question", "asked", "best_question", "best_score", "first_asked_at", "last_asked_at"])
    .select(["proposed_answer", "proposed_by", "proposed_at"])
    .where("agent_id", "=", agentId)
    .orderBy("last_asked_at", "desc")
    .orderBy("id", "desc")
    .limit(GROUPED_MAX)
    .execute();
}

/** A question whose answer was rated as bad joins the same one asked in vain; by itself it goes by the id of its first rating. */
function withRatings(unanswered: Omit<QuestionRow, "ratings">[], ratings: PoorRating[]): QuestionRow[] {
  const byKey = Map.groupBy(ratings, ({ question }) => questionKey(question));
  const known = unanswered.map((row) => {
    const key = questionKey(row.question);
    const own = byKey.get(key) ?? [];
    byKey.delete(key);
    const last = Math.max(row.last_asked_at.getTime(), own[0]?.at.getTime() ?? 0);
    return { ...row, asked: row.asked + own.length, last_asked_at: new Date(last), ratings: own };
  });
  return [...known, ...[...byKey.values()].flatMap(rowOf)].slice(0, GROUPED_MAX);
}

function rowOf(ratings: PoorRating[]): QuestionRow[] {
  const [last] = ratings;
  const first = ratings.at(-1);
  if (first === undefined || last === undefined) return [];
  return [
    {
      id: first.id,
      question: [...first.question].slice(0, QUESTION_CHARACTERS_SHOWN).join(""),
      asked: ratings.length,
      best_question: null,
      best_score: 0,
      first_asked_at: first.at,
      last_asked_at: last.at,
      proposed_answer: null,
      proposed_by: null,
      proposed_at: null,
      ratings,
    },
  ];
}

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
  const made = await encoder.encode(question);
  vectors.set(question, made ?? null);
  return made;
}

/** The question asked most stands for its group. */
function describe(members: EncodedRow[]): QuestionGroup {
  const [first] = members;
  if (first === undefined) throw new Error("a group without a question");
  return {
    question_id: first.id,
    question: first.question,
    asked: members.reduce((sum, { asked }) => sum + asked, 0),
    poorly_rated: members.reduce((sum, { ratings }) => sum + ratings.length, 0),
    phrasings: members.length,
    questions: members.slice(0, SHOWN_OF_A_GROUP).map((row) => ({
      question_id: row.id,
      question: row.question,
      asked: row.asked,
      poorly_rated: row.ratings.length,
      proposal: proposalOf(row),
      last_time: row.last_asked_at.getTime(),
    })),
    poor_ratings: members
      .flatMap(({ ratings }) => ratings)
      .toSorted((one, other) => other.at.getTime() - one.at.getTime())
      .slice(0, RATINGS_SHOWN)
      .map(({ conversationId, messageId, answer, comment, at }) => ({
        conversation_id: conversationId,
        message_id: messageId,
        answer,
        comment,
        time: at.getTime(),
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
