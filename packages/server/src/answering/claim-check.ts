import { normalized } from "@signalbox/contract";
import { contentTermsOf, createSynonyms, isCommonTerm, languageOf } from "../knowledge/index.ts";
import { addressesIn } from "./addresses.ts";
import { isBeyondSource } from "./consequences.ts";
import { clausesOf, instructionsIn, isOnlyForbidden, partsToldHan } from "./instructions.ts";
import { mayHaveNumberWords, readNumbers, statedBy, states } from "./numbers/read-numbers.ts";
import type { WrittenNumber } from "./numbers/written-number.ts";
import { withoutCitations, withoutListNumbers } from "./reply-text.ts";
import { isSameScript } from "./script.ts";

export interface SourceText {
  question: string;
  answer: string;
}

export type Unsupported =
  | "address_not_in_sources"
  | "markup_not_in_sources"
  | "number_not_in_sources"
  | "claim_not_in_sources"
  | "instruction_not_in_sources"
  | "promise_not_in_sources"
  | "other_language";

/** Holds what a model says against the sources it was given. */
export interface ClaimCheck {
  /** Why a claim is not borne out by the sources it cites, or by any where it cites none. */
  refuse(claim: string, cited: ReadonlySet<number>): Unsupported | undefined;
  /** Whether one of the numbers cited is that of a source. */
  hasSource(cited: ReadonlySet<number>): boolean;
  /**
   * Whether every word of a part stands in a source, or says nothing by itself: then it can be told before its claim is over.
   * Text before the part in its claim may belong to its numbers.
   */
  isAtHome(part: string, before?: string): boolean;
}

/** Share of a claim's words that stand in a source: a model may reword it up to here. The user's words are no source. */
const SUPPORTED_SHARE_MIN = 0.4;
/** The same for a clause of it, and for an instruction to the user in a language without blanks. */
const CLAUSE_SHARE_MIN = 0.25;
const CLAUSE_TERMS_MIN = 3;
const TOLD_SHARE_MIN = 0.5;
/** Words that connect and claim nothing. */
const CONNECTING = new Set(
  contentTermsOf(
    "yes no all also only just sure sorry hello hi thanks however then than 是的 好的 您好 你好 不过",
  ),
);
const MARKUP = /<[a-z/!?]/i;
const SYNONYMS = createSynonyms();

/** A text whose language is found when it is asked for, and once: in a long one that costs much. */
interface Tongued {
  text: string;
  tongue: () => ReturnType<typeof languageOf>;
}

interface ReadSource extends Tongued {
  /** Normalized once for all that read it: characters that become many cost the most. */
  plain: string;
  terms: Set<string>;
  /** What its numbers are, as `states` takes them. */
  numbers: Set<string>;
  /** What stands beside them. */
  besideNumbers: () => Set<string>;
  isOnlyForbidden: (verb: string) => boolean;
  addresses: Set<string>;
  hasMarkup: boolean;
}

export function createClaimCheck(question: string, sources: readonly SourceText[]): ClaimCheck {
  const read = sources.map(readSource);
  const all = joined(read);
  const asked = tongued(question);
  const askedNumbers = statedBy(readNumbers(question));

  return {
    refuse(claim, cited) {
      const said = tongued(withoutListNumbers(withoutCitations(claim)));
      const { text } = said;
      const named = read.filter((_, index) => cited.has(index + 1));
      const source = named.length === 0 ? all : joined(named);
      if (!addressesIn(text).isSubsetOf(source.addresses)) return "address_not_in_sources";
      if (MARKUP.test(text) && !source.hasMarkup) return "markup_not_in_sources";
      if (hasInventedNumber(said, source, askedNumbers)) return "number_not_in_sources";
      if (!isSameTongue(said, asked)) return "other_language";
      const tongue = source.tongue();
      const promisesMore = (tongue === undefined || tongue === "en") && isBeyondSource(text, source.plain);
      // Put into another language, its words cannot be compared: numbers, addresses and promises can.
      if (!isSameTongue(asked, source)) return promisesMore ? "promise_not_in_sources" : undefined;
      if (!isSupported(text, source.terms)) return "claim_not_in_sources";
      if (promisesMore) return "promise_not_in_sources";
      return tellsMore(text, source) ? "instruction_not_in_sources" : undefined;
    },
    hasSource: (cited) => sources.some((_, index) => cited.has(index + 1)),
    isAtHome(part, before = "") {
      const words = withoutListNumbers(`${part} `);
      const numbers = readNumbers(withoutListNumbers(`${before}${part} `));
      const terms = contentTermsOf(words).filter((term) => !CONNECTING.has(term));
      return (
        terms.every((term) => all.terms.has(term)) &&
        numbers.every((number) => number.isIncidental || states(all.numbers, number)) &&
        addressesIn(words).size === 0 &&
        !words.includes("<")
      );
    },
  };
}

function readSource({ question, answer }: SourceText): ReadSource {
  const text = `${question}\n${answer}`;
  const plain = normalized(text);
  const numbers = readNumbers(plain);
  return {
    ...tongued(text, plain),
    plain,
    terms: new Set(contentTermsOf(plain)),
    numbers: statedBy(numbers),
    besideNumbers: once(() => neighboursOf(plain, numbers)),
    isOnlyForbidden: forbiddenIn(plain),
    addresses: addressesIn(plain),
    hasMarkup: MARKUP.test(text),
  };
}

function joined(sources: ReadSource[]): ReadSource {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return only;
  const text = sources.map((source) => source.text).join("\n");
  const plain = sources.map((source) => source.plain).join("\n");
  const of = <Item>(pick: (source: ReadSource) => Set<Item>) =>
    new Set(sources.flatMap((source) => [...pick(source)]));
  return {
    ...tongued(text, plain),
    plain,
    terms: of(({ terms }) => terms),
    numbers: of(({ numbers }) => numbers),
    besideNumbers: once(() => of(({ besideNumbers }) => besideNumbers())),
    isOnlyForbidden: forbiddenIn(plain),
    addresses: of(({ addresses }) => addresses),
    hasMarkup: sources.some(({ hasMarkup }) => hasMarkup),
  };
}

function isSupported(text: string, source: ReadonlySet<string>): boolean {
  if (supportedShare(text, source) < SUPPORTED_SHARE_MIN) return false;
  return clausesOf(text).every(
    (clause) =>
      claimedTerms(clause).length < CLAUSE_TERMS_MIN || supportedShare(clause, source) >= CLAUSE_SHARE_MIN,
  );
}

/** A claim tells the user to do what its source tells nobody. */
function tellsMore(text: string, { terms, isOnlyForbidden: isForbidden }: ReadSource): boolean {
  return (
    instructionsIn(text).some(({ verb, rest, isNegated }) => {
      // To bring what the source speaks of is one more word for what it says; to bring anything else is not.
      if (supportedShare(verb, terms) < 1) return supportedShare(rest, terms) < 1;
      return !isNegated && isForbidden(verb);
    }) || partsToldHan(text).some((part) => supportedShare(part, terms) < TOLD_SHARE_MIN)
  );
}

function claimedTerms(text: string): string[] {
  return contentTermsOf(text).filter((term) => !CONNECTING.has(term));
}

/** 1 where nothing is claimed. */
function supportedShare(text: string, source: ReadonlySet<string>): number {
  const terms = claimedTerms(text);
  if (terms.length === 0) return 1;
  const alternatives = SYNONYMS.alternativesOf(terms);
  const borneOut = terms.filter(
    (term) =>
      source.has(term) ||
      (alternatives.get(term) ?? []).some((other) =>
        other.terms.every((one) => source.has(one) || isCommonTerm(one)),
      ),
  );
  return borneOut.length / terms.length;
}

/** Number words are compared where both texts are in a language whose number words are read. */
function hasInventedNumber(said: Tongued, source: ReadSource, asked: ReadonlySet<string>): boolean {
  const missing = readNumbers(said.text).filter(
    (number) => !number.isIncidental && !states(source.numbers, number),
  );
  const areWordsRead =
    missing.some(({ inWords }) => inWords) &&
    [said, source].every(({ text, tongue }) => mayHaveNumberWords(text, tongue()));
  const invented = missing.filter(({ inWords }) => !inWords || areWordsRead);
  if (invented.some((number) => !states(asked, number))) return true;
  // A number of the user's in the place of one of the source's: "99 months" where it says "24 months".
  return invented.length > 0 && !neighboursOf(said.text, invented).isDisjointFrom(source.besideNumbers());
}

/** Words, currencies and units beside a number; of Han, the character. */
const TOKEN = /\d+|\p{Script=Han}|[\p{L}\p{M}]+|\p{Sc}|%/gu;
/** No word is longer, and little stands between it and its number. */
const BESIDE_CHARACTERS = 40;

function neighboursOf(text: string, numbers: readonly WrittenNumber[]): Set<string> {
  const plain = normalized(text).toLowerCase();
  const found = new Set<string>();
  const seen = new Set<string>();
  for (const { from, to } of numbers) {
    const before = plain
      .slice(Math.max(0, from - BESIDE_CHARACTERS), from)
      .match(TOKEN)
      ?.at(-1);
    const behind = plain.slice(to, to + BESIDE_CHARACTERS).match(TOKEN)?.[0];
    for (const neighbour of [before, behind]) {
      if (neighbour === undefined || seen.has(neighbour)) continue;
      seen.add(neighbour);
      if (!isCommonTerm(neighbour) && readNumbers(neighbour).length === 0) found.add(neighbour);
    }
  }
  return found;
}

function once<Result>(make: () => Result): () => Result {
  let made: { result: Result } | undefined;
  return () => (made ??= { result: make() }).result;
}

function tongued(text: string, plain = text): Tongued {
  return { text, tongue: once(() => languageOf(plain)) };
}

function forbiddenIn(text: string): (verb: string) => boolean {
  const read = once(() => isOnlyForbidden(text));
  return (verb) => read()(verb);
}

function isSameTongue(one: Tongued, other: Tongued): boolean {
  if (!isSameScript(one.text, other.text)) return false;
  const [a, b] = [one.tongue(), other.tongue()];
  return a === undefined || b === undefined || a === b;
}
