import { commonShare } from "./common-terms.ts";
import type { FieldStatistics, Statistics } from "./statistics.ts";
import { termsOf, trigramsOf } from "./terms.ts";
import { createTextMatcher, type Counts, type TextMatcher } from "./text-matcher.ts";

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

/** How much each of the sought terms says in one field of this base. */
interface Field {
  rarities: Float64Array;
  averageLength: number;
}

function fieldOf(statistics: FieldStatistics, terms: string[]): Field {
  return {
    rarities: Float64Array.from(terms, (term) => rarityOf(statistics, term)),
    averageLength: statistics.texts === 0 ? 1 : Math.max(1, statistics.length / statistics.texts),
  };
}

function bm25(
  { rarities, averageLength }: Field,
  { length, found, counts }: Counts,
  lengthWeight: number,
): number {
  const damping = SATURATION * (1 - lengthWeight + (lengthWeight * length) / averageLength);
  let sum = 0;
  for (const place of found) {
    const count = counts[place]!;
    sum += (rarities[place]! * count * (SATURATION + 1)) / (count + damping);
  }
  return sum;
}

/** What was asked, read once for all candidates, and the score of the one question that would fit it best: itself. */
export interface Asked {
  terms: string[];
  matcher: TextMatcher;
  question: Field;
  answer: Field;
  trigram: Field;
  ideal: number;
}

export function readAsked(statistics: Statistics, text: string): Asked {
  const terms = [...new Set(termsOf(text))];
  const trigrams = [...new Set(trigramsOf(text))];
  const matcher = createTextMatcher(terms, trigrams);
  const question = fieldOf(statistics.question, terms);
  const trigram = fieldOf(statistics.trigram, trigrams);
  const itself = matcher.termsAndTrigrams(text);
  return {
    terms,
    matcher,
    question,
    answer: fieldOf(statistics.answer, terms),
    trigram,
    ideal:
      bm25(question, itself.terms, LENGTH_WEIGHT) +
      TRIGRAM_WEIGHT * bm25(trigram, itself.trigrams, LENGTH_WEIGHT),
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
    const counted = asked.matcher.termsAndTrigrams(form);
    const byTerms = bm25(asked.question, counted.terms, LENGTH_WEIGHT);
    const byTrigrams = TRIGRAM_WEIGHT * bm25(asked.trigram, counted.trigrams, LENGTH_WEIGHT);
    if (byTerms + byTrigrams > question + trigram) [question, trigram] = [byTerms, byTrigrams];
  }
  const answerWeight = candidate.isQuestionWritten ? ANSWER_WEIGHT : 1;
  const answer =
    answerWeight * bm25(asked.answer, asked.matcher.terms(candidate.answer), ANSWER_LENGTH_WEIGHT);
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
