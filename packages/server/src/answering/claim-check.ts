import { contentTermsOf, createSynonyms, isCommonTerm, languageOf } from "../knowledge/index.ts";
import { addressesIn } from "./addresses.ts";
import { numbersIn, withoutCitations, withoutListNumbers } from "./reply-text.ts";
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
  | "other_language";

/** Holds what a model says against the sources it was given. */
export interface ClaimCheck {
  /** Why a claim is not borne out by the sources it cites, or by any where it cites none. */
  refuse(claim: string, cited: ReadonlySet<number>): Unsupported | undefined;
  /** Whether one of the numbers cited is that of a source. */
  hasSource(cited: ReadonlySet<number>): boolean;
  /** Whether every word stands in a source, or says nothing by itself: then it can be told before its claim is over. */
  isAtHome(part: string): boolean;
}

/** Of the words of a claim: a model may put a source into words of its own, up to here. The user's words are no source. */
const SUPPORTED_SHARE_MIN = 0.4;
/** Words that connect and claim nothing. */
const CONNECTING = new Set(
  contentTermsOf(
    "yes no all also only just sure sorry hello hi thanks however then than 是的 好的 您好 你好 不过",
  ),
);
const MARKUP = /<[a-z/!?]/i;
const SYNONYMS = createSynonyms();

interface ReadSource {
  text: string;
  terms: Set<string>;
  numbers: Set<string>;
  addresses: Set<string>;
  hasMarkup: boolean;
}

export function createClaimCheck(question: string, sources: readonly SourceText[]): ClaimCheck {
  const read = sources.map(readSource);
  const all = joined(read);
  const askedNumbers = numbersIn(question);

  return {
    refuse(claim, cited) {
      const text = withoutListNumbers(withoutCitations(claim));
      const named = read.filter((_, index) => cited.has(index + 1));
      const source = named.length === 0 ? all : joined(named);
      if (!addressesIn(text).isSubsetOf(source.addresses)) return "address_not_in_sources";
      if (MARKUP.test(text) && !source.hasMarkup) return "markup_not_in_sources";
      const invented = [...numbersIn(text)].filter((number) => !source.numbers.has(number));
      if (invented.some((number) => !askedNumbers.has(number) || contradicts(text, number, source)))
        return "number_not_in_sources";
      if (!isSameTongue(text, question)) return "other_language";
      // Put into another language, its words cannot be compared: numbers and addresses were.
      if (!isSameTongue(question, source.text)) return undefined;
      return isSupported(text, source.terms) ? undefined : "claim_not_in_sources";
    },
    hasSource: (cited) => sources.some((_, index) => cited.has(index + 1)),
    isAtHome(part) {
      const words = withoutListNumbers(`${part} `);
      const terms = contentTermsOf(words).filter((term) => !CONNECTING.has(term));
      return (
        terms.every((term) => all.terms.has(term)) &&
        numbersIn(words).isSubsetOf(all.numbers) &&
        addressesIn(words).size === 0 &&
        !words.includes("<")
      );
    },
  };
}

function readSource({ question, answer }: SourceText): ReadSource {
  const text = `${question}\n${answer}`;
  return {
    text,
    terms: new Set(contentTermsOf(text)),
    numbers: numbersIn(text),
    addresses: addressesIn(text),
    hasMarkup: MARKUP.test(text),
  };
}

function joined(sources: ReadSource[]): ReadSource {
  const of = <Item>(pick: (source: ReadSource) => Set<Item>) =>
    new Set(sources.flatMap((source) => [...pick(source)]));
  return {
    text: sources.map(({ text }) => text).join("\n"),
    terms: of(({ terms }) => terms),
    numbers: of(({ numbers }) => numbers),
    addresses: of(({ addresses }) => addresses),
    hasMarkup: sources.some(({ hasMarkup }) => hasMarkup),
  };
}

function isSupported(text: string, source: ReadonlySet<string>): boolean {
  const terms = contentTermsOf(text).filter((term) => !CONNECTING.has(term));
  const alternatives = SYNONYMS.alternativesOf(terms);
  const borneOut = terms.filter(
    (term) =>
      source.has(term) ||
      (alternatives.get(term) ?? []).some((other) =>
        other.terms.every((one) => source.has(one) || isCommonTerm(one)),
      ),
  );
  return borneOut.length >= SUPPORTED_SHARE_MIN * terms.length;
}

/** A number of the user's in the place of one of the source's: "99 months" where it says "24 months". */
function contradicts(text: string, number: string, source: ReadSource): boolean {
  const beside = neighboursOf(text, (one) => one === number);
  return !beside.isDisjointFrom(neighboursOf(source.text, () => true));
}

/** Words, currencies and units beside a number; of Han, the character. */
const TOKEN = /\d+|\p{Script=Han}|[\p{L}\p{M}]+|\p{Sc}|%/gu;

function neighboursOf(text: string, isMeant: (number: string) => boolean): Set<string> {
  const tokens = text.normalize("NFKC").toLowerCase().match(TOKEN) ?? [];
  const found = new Set<string>();
  for (const [at, token] of tokens.entries()) {
    const [number] = numbersIn(token);
    if (number === undefined || !isMeant(number)) continue;
    for (const neighbour of [tokens[at - 1], tokens[at + 1]])
      if (neighbour !== undefined && numbersIn(neighbour).size === 0 && !isCommonTerm(neighbour))
        found.add(neighbour);
  }
  return found;
}

function isSameTongue(one: string, other: string): boolean {
  if (!isSameScript(one, other)) return false;
  const [a, b] = [languageOf(one), languageOf(other)];
  return a === undefined || b === undefined || a === b;
}
