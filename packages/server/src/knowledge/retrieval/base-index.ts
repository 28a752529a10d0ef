import {
  ANSWER_FORM,
  ANSWER_RANK_WEIGHT,
  BY_VECTOR_MAX,
  BY_WORDS_MAX,
  PAIR_FORM,
  type Candidate,
  type CandidateSearch,
  type QueryVector,
} from "./candidates.ts";
import { exactLexeme } from "./lexemes.ts";

/** A pair in memory: what PostgreSQL would give of it, and its lexemes there without the prefix of the base. */
export interface IndexedCandidate {
  candidate: Candidate;
  questionLexemes: string[];
  answerLexemes: string[];
}

/** A vector of one form of a pair. */
export interface IndexedVector {
  /** The pair's place in the index. */
  place: number;
  form: number;
  /** Has length 1. */
  numbers: Float32Array;
}

/** Vectors of every pair, all of one model. */
export interface VectorIndex {
  model: string;
  dimensions: number;
  vectors: IndexedVector[];
}

/** Finds in memory what `findCandidates` finds in PostgreSQL, in the same order. */
export interface BaseIndex {
  /** Undefined where the search needs vectors that are not here, or terms that only a large base has. */
  find(search: CandidateSearch): Candidate[] | undefined;
}

/** Pairs are given in the order of their documents' ids and ordinals. */
export function createBaseIndex(pairs: IndexedCandidate[], vectorIndex: VectorIndex | undefined): BaseIndex {
  const postings = postingsOf(pairs);
  return {
    find(search) {
      const { vector, commonTerms } = search;
      if (commonTerms.length > 0) return undefined;
      const isChosen = chosenBy(search, pairs);
      if (vector === undefined)
        return byWords(postings, pairs.length, search, isChosen).map((place) => pairs[place]!.candidate);
      if (vectorIndex?.model !== vector.model || vectorIndex.dimensions !== vector.numbers.length)
        return undefined;
      const { nearest, question, answer, pair } = byVector(vectorIndex, pairs.length, vector, isChosen);
      const found = either(byWords(postings, pairs.length, search, isChosen), nearest);
      return found.map((place) => ({
        ...pairs[place]!.candidate,
        questionCosine: cosineAt(question, place),
        answerCosine: cosineAt(answer, place),
        pairCosine: cosineAt(pair, place),
      }));
    },
  };
}

/** Where a lexeme occurs: places of pairs, in their questions and in their answers alone. */
interface Postings {
  questions: number[];
  answers: number[];
}

function postingsOf(pairs: IndexedCandidate[]): Map<string, Postings> {
  const postings = new Map<string, Postings>();
  const of = (lexeme: string) => {
    const known = postings.get(lexeme);
    if (known !== undefined) return known;
    const made: Postings = { questions: [], answers: [] };
    postings.set(lexeme, made);
    return made;
  };
  for (const [place, { questionLexemes, answerLexemes }] of pairs.entries()) {
    for (const lexeme of questionLexemes) of(lexeme).questions.push(place);
    for (const lexeme of answerLexemes) of(lexeme).answers.push(place);
  }
  return postings;
}

function chosenBy({ documentIds }: CandidateSearch, pairs: IndexedCandidate[]): (place: number) => boolean {
  if (documentIds === undefined) return () => true;
  const chosen = new Set(documentIds);
  return (place) => chosen.has(pairs[place]!.candidate.documentId);
}

function byWords(
  postings: Map<string, Postings>,
  pairs: number,
  { tellingTerms, allTerms, exactQuestion }: CandidateSearch,
  isChosen: (place: number) => boolean,
): number[] {
  const exact = exactLexeme(exactQuestion);
  const telling = ranks(postings, pairs, [exact, ...tellingTerms]);
  const all = ranks(postings, pairs, allTerms);
  const isExact = new Set(postings.get(exact)?.questions);
  const found: number[] = [];
  for (const [place, rank] of telling.entries()) if (rank > 0 && isChosen(place)) found.push(place);
  return found
    .toSorted(
      (one, other) =>
        Number(isExact.has(other)) - Number(isExact.has(one)) ||
        telling[other]! - telling[one]! ||
        all[other]! - all[one]! ||
        one - other,
    )
    .slice(0, BY_WORDS_MAX);
}

/** What the weights of all positions of a word could sum up to, in PostgreSQL's ts_rank. */
const RANK_LIMIT = 1.64493406685;

/** ts_rank of each pair for any of the lexemes, to the last bit: PostgreSQL adds in single precision, by the order of bytes. */
function ranks(postings: Map<string, Postings>, pairs: number, lexemes: string[]): Float32Array {
  const sums = new Float32Array(pairs);
  const sorted = [...new Set(lexemes)]
    .map((lexeme) => Buffer.from(lexeme))
    .toSorted((one, other) => Buffer.compare(one, other));
  const ofAnswer = Math.fround(ANSWER_RANK_WEIGHT) / RANK_LIMIT;
  for (const lexeme of sorted) {
    const { questions = [], answers = [] } = postings.get(lexeme.toString()) ?? {};
    for (const place of questions) sums[place]! += 1 / RANK_LIMIT;
    for (const place of answers) sums[place]! += ofAnswer;
  }
  for (const place of sums.keys()) sums[place]! /= sorted.length;
  return sums;
}

interface ByVector {
  /** A pair stands here once for each of its forms that is near. */
  nearest: number[];
  question: Float64Array;
  answer: Float64Array;
  pair: Float64Array;
}

function byVector(
  { vectors }: VectorIndex,
  pairs: number,
  { numbers }: QueryVector,
  isChosen: (place: number) => boolean,
): ByVector {
  const asked = unitVector(Float32Array.from(numbers, Math.f16round));
  const question = new Float64Array(pairs).fill(-Infinity);
  const answer = new Float64Array(pairs).fill(-Infinity);
  const pair = new Float64Array(pairs).fill(-Infinity);
  const near: { place: number; cosine: number }[] = [];
  for (const { place, form, numbers: other } of vectors) {
    if (!isChosen(place)) continue;
    let cosine = 0;
    for (let at = 0; at < asked.length; at += 1) cosine += asked[at]! * other[at]!;
    let best = question;
    if (form === ANSWER_FORM) best = answer;
    else if (form === PAIR_FORM) best = pair;
    best[place] = Math.max(best[place]!, cosine);
    near.push({ place, cosine });
  }
  near.sort((one, other) => other.cosine - one.cosine);
  return { nearest: near.slice(0, BY_VECTOR_MAX).map(({ place }) => place), question, answer, pair };
}

function cosineAt(cosines: Float64Array, place: number): number | undefined {
  const cosine = cosines[place]!;
  return cosine === -Infinity ? undefined : cosine;
}

/** One that both found stands where the better of them put it. */
function either(byWords: number[], byVector: number[]): number[] {
  const positions = new Map<number, number>();
  for (const found of [byWords, byVector])
    for (const [position, place] of found.entries())
      positions.set(place, Math.min(position, positions.get(place) ?? position));
  return [...positions].toSorted(([, one], [, other]) => one - other).map(([place]) => place);
}

export function unitVector(numbers: Float32Array): Float32Array {
  let square = 0;
  for (const number of numbers) square += number * number;
  const length = Math.sqrt(square);
  return length === 0 ? numbers : numbers.map((number) => number / length);
}
