import { contentTermsOf, createSynonyms, letterPairs } from "../../knowledge/index.ts";
import { createTimeSlice } from "../../platform/index.ts";

export interface QuestionToGroup {
  id: string;
  question: string;
  asked: number;
  /** Where the built-in encoder can read it; of length one. */
  vector?: readonly number[] | undefined;
}

/** Dice coefficient of telling terms from which two questions are alike. */
const TERMS_ALIKE = 0.65;
/** Where all telling terms of one are in the other: then it says less, or the same with more words. */
const CONTAINED_TERMS_ALIKE = 0.4;
const CONTAINED_TERMS_ALIKE_WITHOUT_MEANING = 0.5;
const CONTAINED_MEANING_ALIKE = 0.5;
/**
 * Without a term in common. The encoder puts opposites near to each other ("When do you open?" and "When do you close?": 0.71),
 * so meaning alone counts only when it is very near, and never against telling terms that differ.
 */
const MEANING_ALIKE = 0.85;
/** Dice coefficient of letter pairs from which two words are one, misspelt. */
const SPELLED_ALIKE = 0.7;
const SPELLED_CHARACTERS_MIN = 4;

interface Leader<Question> {
  members: Question[];
  terms: number;
  vector: readonly number[] | undefined;
}

/**
 * Each question joins the group whose first question is most like it, or begins one. The questions asked most come first, so the
 * same questions always give the same groups. Groups are not joined to each other: chains of likeness lead anywhere.
 */
export async function groupQuestions<Question extends QuestionToGroup>(
  questions: readonly Question[],
): Promise<Question[][]> {
  const ordered = questions.toSorted((one, other) => other.asked - one.asked || (one.id < other.id ? -1 : 1));
  const termsOf = new Map(ordered.map((question) => [question, contentTermsOf(question.question)]));
  const equals = equalsOf([...new Set([...termsOf.values()].flat())]);
  const leaders: Leader<Question>[] = [];
  const byTerm = new Map<string, number[]>();
  const giveWay = createTimeSlice();
  for (const question of ordered) {
    const terms = termsOf.get(question) ?? [];
    const shared = sharedTerms(terms, equals, byTerm);
    const at = nearestLeader(leaders, question, terms.length, shared);
    if (at === undefined) {
      for (const term of terms) put(byTerm, term, leaders.length);
      leaders.push({ members: [question], terms: terms.length, vector: question.vector });
    } else leaders[at]?.members.push(question);
    await giveWay();
  }
  return leaders.map(({ members }) => members);
}

/** How many terms of a question each leader has, whatever the spelling. */
function sharedTerms(
  terms: readonly string[],
  equals: ReadonlyMap<string, readonly string[]>,
  byTerm: ReadonlyMap<string, readonly number[]>,
): Map<number, number> {
  const shared = new Map<number, number>();
  for (const term of terms) {
    const having = new Set((equals.get(term) ?? [term]).flatMap((equal) => byTerm.get(equal) ?? []));
    for (const leader of having) shared.set(leader, (shared.get(leader) ?? 0) + 1);
  }
  return shared;
}

function nearestLeader<Question extends QuestionToGroup>(
  leaders: readonly Leader<Question>[],
  { vector }: Question,
  terms: number,
  shared: ReadonlyMap<number, number>,
): number | undefined {
  let best: { at: number; likeness: number } | undefined;
  for (const [at, leader] of leaders.entries()) {
    const common = shared.get(at) ?? 0;
    const byTerms = (2 * common) / Math.max(1, terms + leader.terms);
    const byMeaning = cosine(vector, leader.vector);
    const isContained = common > 0 && common >= Math.min(terms, leader.terms);
    const isAlike =
      byTerms >= TERMS_ALIKE ||
      (isContained && isAlikeContained(byTerms, byMeaning)) ||
      (common === 0 && (byMeaning ?? 0) >= MEANING_ALIKE);
    const likeness = byTerms + (byMeaning ?? 0) / 2;
    if (isAlike && (best === undefined || likeness > best.likeness)) best = { at, likeness };
  }
  return best?.at;
}

function isAlikeContained(byTerms: number, byMeaning: number | undefined): boolean {
  return byMeaning === undefined
    ? byTerms >= CONTAINED_TERMS_ALIKE_WITHOUT_MEANING
    : byTerms >= CONTAINED_TERMS_ALIKE && byMeaning >= CONTAINED_MEANING_ALIKE;
}

/** Undefined where one of them has no vector. */
function cosine(
  one: readonly number[] | undefined,
  other: readonly number[] | undefined,
): number | undefined {
  if (one === undefined || other === undefined) return undefined;
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

const SYNONYMS = createSynonyms();

/** For each term those that count as the same: its synonyms of one word, and other spellings of it. */
function equalsOf(vocabulary: readonly string[]): Map<string, string[]> {
  const known = new Set(vocabulary);
  const pairsOf = new Map(
    vocabulary
      .filter((term) => term.length >= SPELLED_CHARACTERS_MIN)
      .map((term) => [term, letterPairs(term)]),
  );
  const byPair = new Map<string, string[]>();
  for (const [term, pairs] of pairsOf) for (const pair of pairs) put(byPair, pair, term);
  const equals = new Map<string, string[]>();
  for (const term of vocabulary) {
    const synonyms = (SYNONYMS.alternativesOf([term]).get(term) ?? [])
      .filter(({ terms }) => terms.length === 1 && known.has(terms[0] ?? ""))
      .map(({ terms }) => terms[0] ?? "");
    equals.set(term, [...new Set([term, ...synonyms, ...spelledAlike(term, pairsOf, byPair)])]);
  }
  return equals;
}

function spelledAlike(
  term: string,
  pairsOf: ReadonlyMap<string, ReadonlySet<string>>,
  byPair: ReadonlyMap<string, readonly string[]>,
): string[] {
  const own = pairsOf.get(term);
  if (own === undefined) return [];
  const shared = new Map<string, number>();
  for (const pair of own)
    for (const other of byPair.get(pair) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
  return [...shared]
    .filter(([other, count]) => (2 * count) / (own.size + (pairsOf.get(other)?.size ?? 0)) >= SPELLED_ALIKE)
    .map(([other]) => other);
}

function put<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
