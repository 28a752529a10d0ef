import { commonShare } from "./common-terms.ts";
import type { FieldStatistics, Statistics } from "./statistics.ts";
import { termsOf, trigramsOf } from "./terms.ts";

/** How often a term occurs in a text, and how long the text is. */
export interface CountedText {
  counts: Map<string, number>;
  length: number;
}

export function countedText(terms: string[]): CountedText {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { counts, length: terms.length };
}

// Chosen on one half of StackFAQ, Banking77 and CLINC150 and reported on the other: docs/knowledge.md has the table.
const SATURATION = 1.6;
const LENGTH_WEIGHT = 0.75;
const ANSWER_LENGTH_WEIGHT = 0.9;
const ANSWER_WEIGHT = 0.5;
const TRIGRAM_WEIGHT = 0.25;

/** Counts as if so many questions about anything at all had been read first: a small base knows too little of its own. */
const TEXTS_ASSUMED = 100;

function rarity({ texts, occurrences }: FieldStatistics, term: string): number {
  const all = texts + TEXTS_ASSUMED;
  const count = Math.min(occurrences.get(term) ?? 0, texts) + TEXTS_ASSUMED * commonShare(term);
  return Math.log(1 + (all - count + 0.5) / (count + 0.5));
}

function bm25(field: FieldStatistics, text: CountedText, asked: CountedText, lengthWeight: number): number {
  const averageLength = field.texts === 0 ? 1 : Math.max(1, field.length / field.texts);
  const damping = SATURATION * (1 - lengthWeight + (lengthWeight * text.length) / averageLength);
  let sum = 0;
  for (const term of asked.counts.keys()) {
    const count = text.counts.get(term);
    if (count === undefined) continue;
    sum += (rarity(field, term) * count * (SATURATION + 1)) / (count + damping);
  }
  return sum;
}

/** What was asked, read once for all candidates, and the score of the one question that would fit it best: itself. */
export interface Asked {
  terms: CountedText;
  trigrams: CountedText;
  ideal: number;
}

export function readAsked(statistics: Statistics, text: string): Asked {
  const terms = countedText(termsOf(text));
  const trigrams = countedText(trigramsOf(text));
  const ideal =
    bm25(statistics.question, terms, terms, LENGTH_WEIGHT) +
    TRIGRAM_WEIGHT * bm25(statistics.trigram, trigrams, trigrams, LENGTH_WEIGHT);
  return { terms, trigrams, ideal };
}

export interface CandidateTexts {
  /** The question and its alternates. */
  questions: { terms: CountedText; trigrams: CountedText }[];
  answer: CountedText;
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
export function lexicalScore(statistics: Statistics, asked: Asked, candidate: CandidateTexts): LexicalScore {
  if (asked.ideal === 0) return { question: 0, trigram: 0, answer: 0, lexical: 0 };
  let question = 0;
  let trigram = 0;
  for (const form of candidate.questions) {
    const byTerms = bm25(statistics.question, form.terms, asked.terms, LENGTH_WEIGHT);
    const byTrigrams =
      TRIGRAM_WEIGHT * bm25(statistics.trigram, form.trigrams, asked.trigrams, LENGTH_WEIGHT);
    if (byTerms + byTrigrams > question + trigram) [question, trigram] = [byTerms, byTrigrams];
  }
  const answerWeight = candidate.isQuestionWritten ? ANSWER_WEIGHT : 1;
  const answer = answerWeight * bm25(statistics.answer, candidate.answer, asked.terms, ANSWER_LENGTH_WEIGHT);
  const share = (part: number) => part / asked.ideal;
  return {
    question: share(question),
    trigram: share(trigram),
    answer: share(answer),
    lexical: Math.min(1, share(question + trigram + answer)),
  };
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
  const counted = [...asked.terms.counts.keys()].map((term) => ({
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
