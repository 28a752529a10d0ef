import { commonShare } from "./common-terms.ts";
import type { FieldStatistics, Statistics } from "./statistics.ts";
import { termsOf, trigramCode, trigramCodesOf, trigramsOf } from "./terms.ts";

// Chosen on StackFAQ, Banking77 and CLINC150: docs/knowledge.md has what they reach, and the command.
const SATURATION = 1.6;
const LENGTH_WEIGHT = 0.75;
const ANSWER_LENGTH_WEIGHT = 0.9;
const ANSWER_WEIGHT = 0.5;
const TRIGRAM_WEIGHT = 0.25;

/** Counts as if so many questions about anything at all had been read first: a small base knows too little of its own. */
const TEXTS_ASSUMED = 100;

function rarityOf({ texts, occurrences }: FieldStatistics, term: string): number {
  const all = texts + TEXTS_ASSUMED;
  const count = Math.min(occurrences.get(term) ?? 0, texts) + TEXTS_ASSUMED * commonShare(term);
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

/** Terms of what was asked, and how much each of them says in one field of this base. */
interface AskedField<Term> {
  places: Map<Term, number>;
  rarities: number[];
  averageLength: number;
}

function askedField<Term extends string>(field: FieldStatistics, terms: Term[]): AskedField<Term> {
  const different = [...new Set(terms)];
  return {
    places: new Map(different.map((term, place) => [term, place])),
    rarities: different.map((term) => rarityOf(field, term)),
    averageLength: field.texts === 0 ? 1 : Math.max(1, field.length / field.texts),
  };
}

/** BM25 of a text's terms; only those that were asked for are counted. */
function bm25<Term>(
  { places, rarities, averageLength }: AskedField<Term>,
  terms: Term[],
  lengthWeight: number,
): number {
  const counts: number[] = [];
  for (const term of terms) {
    const place = places.get(term);
    if (place !== undefined) counts[place] = (counts[place] ?? 0) + 1;
  }
  const damping = SATURATION * (1 - lengthWeight + (lengthWeight * terms.length) / averageLength);
  let sum = 0;
  for (const [place, rarity] of rarities.entries()) {
    const count = counts[place];
    if (count !== undefined) sum += (rarity * count * (SATURATION + 1)) / (count + damping);
  }
  return sum;
}

/** What was asked, read once for all candidates, and the score of the one question that would fit it best: itself. */
export interface Asked {
  terms: string[];
  question: AskedField<string>;
  answer: AskedField<string>;
  trigram: AskedField<string>;
  trigramCodes: AskedField<number>;
  ideal: number;
}

export function readAsked(statistics: Statistics, text: string): Asked {
  const terms = termsOf(text);
  const trigrams = trigramsOf(text);
  const question = askedField(statistics.question, terms);
  const trigram = askedField(statistics.trigram, trigrams);
  const codes = [...trigram.places].flatMap(([one, place]) => {
    const code = trigramCode(one);
    return code === undefined ? [] : [[code, place] as const];
  });
  return {
    terms: [...question.places.keys()],
    question,
    answer: askedField(statistics.answer, terms),
    trigram,
    trigramCodes: { ...trigram, places: new Map(codes) },
    ideal: bm25(question, terms, LENGTH_WEIGHT) + TRIGRAM_WEIGHT * bm25(trigram, trigrams, LENGTH_WEIGHT),
  };
}

export interface CandidateTexts {
  /** The question and its alternates. */
  questions: string[];
  answer: string;
  /** A first sentence is no question: the answer then says as much as a question would. */
  isQuestionWritten: boolean;
}

/** Parts of the score, each as a share of the ideal; `lexical` is their sum, 1 at most. */
export interface LexicalScore {
  question: number;
  trigram: number;
  answer: number;
  lexical: number;
}

/**
 * BM25 of question, answer and character trigrams, as a share of what the question itself would score: a sum alone
 * grows with the length of what is asked and says nothing about whether it is an answer.
 */
export function lexicalScore(asked: Asked, candidate: CandidateTexts): LexicalScore {
  if (asked.ideal === 0) return { question: 0, trigram: 0, answer: 0, lexical: 0 };
  let question = 0;
  let trigram = 0;
  for (const form of candidate.questions) {
    const byTerms = bm25(asked.question, termsOf(form), LENGTH_WEIGHT);
    const byTrigrams = TRIGRAM_WEIGHT * trigramScore(asked, form);
    if (byTerms + byTrigrams > question + trigram) [question, trigram] = [byTerms, byTrigrams];
  }
  const answerWeight = candidate.isQuestionWritten ? ANSWER_WEIGHT : 1;
  const answer = answerWeight * bm25(asked.answer, termsOf(candidate.answer), ANSWER_LENGTH_WEIGHT);
  const share = (part: number) => part / asked.ideal;
  return {
    question: share(question),
    trigram: share(trigram),
    answer: share(answer),
    lexical: Math.min(1, share(question + trigram + answer)),
  };
}

function trigramScore({ trigram, trigramCodes }: Asked, text: string): number {
  const codes = trigramCodesOf(text);
  return codes === undefined
    ? bm25(trigram, trigramsOf(text), LENGTH_WEIGHT)
    : bm25(trigramCodes, codes, LENGTH_WEIGHT);
}

/** Terms of what was asked, rarest first. */
export interface TermsByRarity {
  /** Until enough pairs have one of them: a pair that has none shares only words that most pairs have. */
  telling: string[];
  /** As many as are worth comparing; a message of more terms than this is like no question. */
  all: string[];
}

const TERMS_COMPARED_MAX = 64;

/** One telling term more than would do is taken, because a rare word may be a slip of the pen. */
export function termsByRarity(statistics: Statistics, asked: Asked, pairsEnough: number): TermsByRarity {
  const { question, answer } = statistics;
  // Of a large base only some answers were counted.
  const answersEach = statistics.pairs / Math.max(1, answer.texts);
  const counted = asked.terms.map((term) => ({
    term,
    pairs: (question.occurrences.get(term) ?? 1) + (answer.occurrences.get(term) ?? 1) * answersEach,
  }));
  counted.sort((one, other) => one.pairs - other.pairs);
  const compared = counted.slice(0, TERMS_COMPARED_MAX);
  const telling: string[] = [];
  let pairs = 0;
  for (const { term, pairs: more } of compared) {
    if (pairs >= pairsEnough) break;
    telling.push(term);
    pairs += more;
  }
  return { telling, all: compared.map(({ term }) => term) };
}
