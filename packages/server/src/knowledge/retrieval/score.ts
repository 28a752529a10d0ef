import { commonShare } from "./common-terms.ts";
import { hanShare, readHan, withHan, type HanCharacters } from "./han-characters.ts";
import { nearTerms } from "./near-terms.ts";
import type { FieldStatistics, Statistics } from "./statistics.ts";
import type { Synonyms } from "./synonyms.ts";
import { isUnspaced, readWords, termsOf, trigramsOf } from "./terms.ts";
import type { IndexedText } from "./text-index.ts";
import { createTextMatcher, type Counts, type TextMatcher } from "./text-matcher.ts";

// Chosen on StackFAQ, Banking77 and CLINC150: docs/benchmarks.md has the results and the command.
const SATURATION = 1.6;
const LENGTH_WEIGHT = 0.75;
const ANSWER_LENGTH_WEIGHT = 0.9;
const ANSWER_WEIGHT = 0.5;
const TRIGRAM_WEIGHT = 0.25;

/** Counts as if this many questions on any subject had been read first: a small base knows too little of its own. */
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

function dampingOf({ averageLength }: Field, { length }: Counts, lengthWeight: number): number {
  return SATURATION * (1 - lengthWeight + (lengthWeight * length) / averageLength);
}

/** What one occurrence of a term in this text counts, times its rarity. */
function weightOfOne(field: Field, counted: Counts, lengthWeight: number): number {
  return (SATURATION + 1) / (1 + dampingOf(field, counted, lengthWeight));
}

/** Scores the terms at the first `places` places. */
function bm25(field: Field, counted: Counts, lengthWeight: number, places: number): number {
  const { rarities } = field;
  const { found, counts } = counted;
  const damping = dampingOf(field, counted, lengthWeight);
  let sum = 0;
  for (const place of found) {
    if (place >= places) continue;
    const count = counts[place]!;
    sum += (rarities[place]! * count * (SATURATION + 1)) / (count + damping);
  }
  return sum;
}

/** What was asked, read once for all candidates, and the score of the one question that would fit it best: itself. */
export interface Asked {
  terms: string[];
  /** Other terms that may stand for an asked one, in the order of their places, which follow the asked ones. */
  alternatives: string[];
  /** Those that help to find candidates and count for nothing. */
  hints: string[];
  matcher: TextMatcher;
  question: Field;
  answer: Field;
  trigram: Field;
  /** By the place of an asked term, what may stand for it. */
  standIns: StandIn[][];
  /** How much the term says, or 0 for one that any question may have. */
  contentWeights: Float64Array;
  han: HanCharacters | undefined;
  ideal: number;
}

/** One way to say a term otherwise: the places of all its words, and how much less it says. */
interface StandIn {
  places: number[];
  factor: number;
}

/** Shares of the weight that the very word has. */
const SYNONYM_FACTOR = 0.7;
const NEAR_FACTOR = 0.8;
/** A synonym in an answer is two steps away. */
const IN_ANSWER_FACTOR = 0.7;

export function readAsked(statistics: Statistics, text: string, synonyms: Synonyms): Asked {
  const inOrder = termsOf(text);
  const terms = [...new Set(inOrder)];
  const trigrams = contentTrigrams(text);
  const near = nearTerms(statistics, terms);
  const meant = synonyms.alternativesOf(inOrder);
  const places = new Map(terms.map((term, place) => [term, place]));
  const placeOf = (term: string) => {
    const known = places.get(term);
    if (known !== undefined) return known;
    places.set(term, places.size);
    return places.size - 1;
  };
  const hints: string[] = [];
  const standIns = terms.map((term) => {
    const ways = (meant.get(term) ?? []).map((other) => ({
      places: other.terms.map(placeOf),
      factor: SYNONYM_FACTOR,
    }));
    for (const { term: other, alikeness } of near.get(term) ?? [])
      // Two characters that share one are told apart by the characters themselves.
      if (isUnspaced(other)) hints.push(other);
      else if (commonShare(other) === 0 && commonShare(term) === 0)
        ways.push({ places: [placeOf(other)], factor: NEAR_FACTOR * alikeness });
    return ways;
  });
  const matcher = createTextMatcher([...places.keys()], trigrams);
  const question = fieldOf(statistics.question, terms);
  const trigram = fieldOf(statistics.trigram, trigrams);
  const itself = matcher.termsAndTrigrams(text);
  return {
    terms,
    alternatives: [...places.keys()].slice(terms.length),
    hints,
    matcher,
    question,
    answer: fieldOf(statistics.answer, terms),
    trigram,
    standIns,
    contentWeights: question.rarities.map((rarity, place) => (commonShare(terms[place]!) === 0 ? rarity : 0)),
    han: readHan(statistics, text),
    ideal:
      bm25(question, itself.terms, LENGTH_WEIGHT, terms.length) +
      TRIGRAM_WEIGHT * bm25(trigram, itself.trigrams, LENGTH_WEIGHT, trigrams.length),
  };
}

/** Trigrams of content words: what all questions share, as "do you have", makes none of them alike. */
function contentTrigrams(text: string): string[] {
  const words = readWords(text).words.filter((word) => termsOf(word).some((term) => commonShare(term) === 0));
  return [...new Set(words.flatMap(trigramsOf))];
}

export interface CandidateTexts {
  /** The question and its alternates. */
  questions: string[];
  answer: string;
  /** The same texts, where they were read before. */
  indexed?: IndexedTexts | undefined;
  /** A first sentence is no question: the answer then says as much as a question would. */
  isQuestionWritten: boolean;
}

/** A pair's texts in the index of its base. */
export interface IndexedTexts {
  questions: IndexedText[];
  answer: IndexedText;
}

/** Parts of the score, each as a share of the ideal; `lexical` is their sum, 1 at most. */
export interface LexicalScore {
  question: number;
  trigram: number;
  answer: number;
  lexical: number;
  /** The share of what was asked that nothing in the pair speaks of, by how much each word says. */
  unsupported: number;
}

/**
 * BM25 of question, answer and character trigrams, as a share of what the question itself would score: a sum alone
 * grows with the length of what is asked and says nothing about whether it is an answer.
 */
export function lexicalScore(asked: Asked, candidate: CandidateTexts): LexicalScore {
  if (asked.ideal === 0) return { question: 0, trigram: 0, answer: 0, lexical: 0, unsupported: 1 };
  const size = asked.terms.length;
  const support = new Float64Array(size);
  const supportOfForm = new Float64Array(size);
  let question = 0;
  let trigram = 0;
  for (const form of candidate.indexed?.questions ?? candidate.questions) {
    supportOfForm.fill(0);
    const counted = asked.matcher.termsAndTrigrams(form);
    const byTerms = withStandIns(asked, asked.question, counted.terms, LENGTH_WEIGHT, 1, supportOfForm);
    const byTrigrams =
      TRIGRAM_WEIGHT * bm25(asked.trigram, counted.trigrams, LENGTH_WEIGHT, asked.trigram.rarities.length);
    if (byTerms + byTrigrams <= question + trigram) continue;
    [question, trigram] = [byTerms, byTrigrams];
    support.set(supportOfForm);
  }
  const answerWeight = candidate.isQuestionWritten ? ANSWER_WEIGHT : 1;
  const inAnswer = asked.matcher.terms(candidate.indexed?.answer ?? candidate.answer);
  const answer =
    answerWeight *
    withStandIns(asked, asked.answer, inAnswer, ANSWER_LENGTH_WEIGHT, IN_ANSWER_FACTOR, support);
  const share = (part: number) => part / asked.ideal;
  const byWords = Math.min(1, share(question + trigram + answer));
  return {
    question: share(question),
    trigram: share(trigram),
    answer: share(answer),
    lexical: asked.han === undefined ? byWords : withHan(byWords, hanShare(asked.han, candidate)),
    unsupported: unsupportedShare(asked, support),
  };
}

/** BM25 of the asked terms; one that is not there may be there by another word. Notes in `support` how each is borne out. */
function withStandIns(
  { standIns, terms }: Asked,
  field: Field,
  counted: Counts,
  lengthWeight: number,
  standInFactor: number,
  support: Float64Array,
): number {
  let sum = bm25(field, counted, lengthWeight, terms.length);
  const once = weightOfOne(field, counted, lengthWeight);
  // By index, as below: of each candidate each term is looked at, and an iterator would make an object of each.
  for (let place = 0; place < standIns.length; place += 1) {
    if (counted.counts[place]! > 0) {
      support[place] = 1;
      continue;
    }
    let best = 0;
    for (const { places, factor } of standIns[place]!)
      if (factor > best && places.every((one) => counted.counts[one]! > 0)) best = factor;
    if (best === 0) continue;
    sum += best * standInFactor * field.rarities[place]! * once;
    support[place] = Math.max(support[place]!, best);
  }
  return sum;
}

/** A spelling that is less alike than this may be another word. */
const SUPPORT_MIN = 0.5;

function unsupportedShare({ contentWeights }: Asked, support: Float64Array): number {
  let all = 0;
  let without = 0;
  for (let place = 0; place < contentWeights.length; place += 1) {
    const weight = contentWeights[place]!;
    all += weight;
    if (support[place]! < SUPPORT_MIN) without += weight;
  }
  return all === 0 ? 0 : without / all;
}

/** Terms to look for, rarest first. */
export interface TermsByRarity {
  /** Asked terms, until enough pairs have one: a pair that has none shares only words that most pairs have. */
  telling: string[];
  /** Synonyms and likely spellings, until as many pairs again have one of them. */
  others: string[];
  /** Where those bring too few pairs: terms that too many have, two to be found together. */
  common: string[][];
  /** As many as are worth comparing; a message of more terms than this is like no question. */
  all: string[];
}

const TERMS_COMPARED_MAX = 64;
/** In a base of fewer pairs, such as every one that is searched in memory, all pairs of a term are read. */
const LARGE_BASE_PAIRS = 5_000;
/** A term of a large base that more pairs have is common. */
const PAIRS_OF_A_TERM_MAX = 2_000;
const COMMON_TERMS_MAX = 4;

/** One telling term more than would do is taken, because a rare word may be a slip of the pen. */
export function termsByRarity(statistics: Statistics, asked: Asked, pairsEnough: number): TermsByRarity {
  const compared = rarestFirst(statistics, asked.terms).slice(0, TERMS_COMPARED_MAX);
  const alternatives = [...new Set([...asked.alternatives, ...asked.hints])].filter(
    (term) => commonShare(term) === 0,
  );
  const standIns = rarestFirst(statistics, alternatives).slice(0, TERMS_COMPARED_MAX);
  const mostPairs = statistics.pairs < LARGE_BASE_PAIRS ? Number.POSITIVE_INFINITY : PAIRS_OF_A_TERM_MAX;
  const isReadWhole = ({ pairs }: CountedTerm) => pairs <= mostPairs;
  const telling = untilEnough(compared.filter(isReadWhole), pairsEnough);
  const others = untilEnough(standIns.filter(isReadWhole), pairsEnough);
  const isEnough = pairsOf([...telling, ...others]) >= pairsEnough;
  const common = isEnough ? [] : [...compared, ...standIns].filter((term) => !isReadWhole(term));
  return {
    telling: telling.map(({ term }) => term),
    others: others.map(({ term }) => term),
    common: twoTogether(statistics, common, pairsEnough),
    all: compared.map(({ term }) => term),
  };
}

interface CountedTerm {
  term: string;
  /** An estimate of how many pairs have it. */
  pairs: number;
}

function pairsOf(counted: { pairs: number }[]): number {
  return counted.reduce((sum, { pairs }) => sum + pairs, 0);
}

function rarestFirst({ pairs, question, answer }: Statistics, terms: string[]): CountedTerm[] {
  // In a large base only some answers were counted.
  const answersEach = pairs / Math.max(1, answer.texts);
  return terms
    .map((term) => ({
      term,
      pairs: (question.occurrences.get(term) ?? 1) + (answer.occurrences.get(term) ?? 1) * answersEach,
    }))
    .toSorted((one, other) => one.pairs - other.pairs);
}

function untilEnough<Counted extends { pairs: number }>(counted: Counted[], pairsEnough: number): Counted[] {
  const taken: Counted[] = [];
  for (const one of counted) {
    if (pairsOf(taken) >= pairsEnough) break;
    taken.push(one);
  }
  return taken;
}

/** Each two of the rarest, until enough pairs have both; one that is the only one, alone. */
function twoTogether({ pairs }: Statistics, common: CountedTerm[], pairsEnough: number): string[][] {
  const rarest = common.toSorted((one, other) => one.pairs - other.pairs).slice(0, COMMON_TERMS_MAX);
  if (rarest.length === 1) return [rarest.map(({ term }) => term)];
  const each = rarest.flatMap((one, at) =>
    rarest.slice(at + 1).map((other) => ({
      terms: [one.term, other.term],
      // As if they had nothing to do with each other.
      pairs: (one.pairs * other.pairs) / pairs,
    })),
  );
  const fewestFirst = each.toSorted((one, other) => one.pairs - other.pairs);
  return untilEnough(fewestFirst, pairsEnough).map(({ terms }) => terms);
}
