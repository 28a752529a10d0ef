import { normalized } from "@signalbox/contract";
import {
  QUESTIONS,
  ANSWERS,
  QUESTIONS_INSIDE,
  ANSWERS_INSIDE,
  JOINED_QUESTION,
  JOINED_ANSWER,
  LIKELY_QUESTIONS,
  LIKELY_ANSWERS,
  LOOSE_QUESTIONS,
  LOOSE_ANSWERS,
  ALTERNATES,
  ALTERNATES_INSIDE,
  TAGS,
  ABOUT,
  ABOUT_INSIDE,
  JOINED_ABOUT,
} from "./column-words.ts";

/** How sure a name is: `exact` is the whole name, `strong` a part of it; `likely` and `loose` are words of other trades. */
export const CERTAINTY = { exact: 4, strong: 3, likely: 2, loose: 1 } as const;

export interface NameClaim {
  kind: "question" | "answer" | "alternate" | "tags" | "other";
  certainty: number;
}

const PLAIN_LETTERS: Readonly<Record<string, string>> = { ø: "o", æ: "ae", ß: "ss", ł: "l", đ: "d" };

const foldedList = (names: string) => names.split(",").map(fold);
const setOf = (names: string) => new Set(foldedList(names));

const KINDS = [
  {
    kind: "question",
    words: setOf(QUESTIONS),
    inside: foldedList(QUESTIONS_INSIDE),
    joined: JOINED_QUESTION,
  },
  { kind: "answer", words: setOf(ANSWERS), inside: foldedList(ANSWERS_INSIDE), joined: JOINED_ANSWER },
] as const;
const LETTERS: Readonly<Record<string, NameClaim["kind"]>> = { q: "question", a: "answer" };
const ALTERNATE_NAMES = setOf(ALTERNATES);
const ALTERNATE_PARTS = foldedList(ALTERNATES_INSIDE);
const TAG_NAMES = setOf(TAGS);
const ABOUT_WORDS = setOf(ABOUT);
const ABOUT_PARTS = foldedList(ABOUT_INSIDE);
const WEAKER = [
  { kind: "question", certainty: CERTAINTY.likely, words: setOf(LIKELY_QUESTIONS) },
  { kind: "answer", certainty: CERTAINTY.likely, words: setOf(LIKELY_ANSWERS) },
  { kind: "answer", certainty: CERTAINTY.loose, words: setOf(LOOSE_ANSWERS) },
  { kind: "question", certainty: CERTAINTY.loose, words: setOf(LOOSE_QUESTIONS) },
] as const;

const NAME_CHARACTERS_MAX = 120;
const IN_BRACKETS = /[([（【〔［<][^)\]）】〕］>]*[)\]）】〕］>]?/g;

function fold(name: string): string {
  const written = name.replaceAll(/(\p{Ll}|\d)(?=\p{Lu})/gu, "$1 ");
  const plain = normalized(written, "NFKD")
    .replaceAll(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
  return plain.replaceAll(/[øæßłđ]/g, (letter) => PLAIN_LETTERS[letter] ?? letter).trim();
}

function wordsOf(folded: string): string[] {
  return folded.split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== "");
}

/** What the name of a column says it holds; undefined where it says nothing that is known here. */
export function claimOf(name: string): NameClaim | undefined {
  if (name.length > NAME_CHARACTERS_MAX) return undefined;
  const outside = name.replaceAll(IN_BRACKETS, " ");
  const folded = fold(outside.trim() === "" ? name.replaceAll(/[([（【〔［<)\]）】〕］>]/g, " ") : outside);
  const words = wordsOf(folded);
  const whole = words.join(" ");
  if (whole === "") return undefined;
  if (LETTERS[whole] !== undefined) return { kind: LETTERS[whole], certainty: CERTAINTY.exact };
  if (TAG_NAMES.has(whole)) return { kind: "tags", certainty: CERTAINTY.exact };
  const asked = wordsOf(fold(name));
  if (isAlternate(whole, words)) return { kind: "alternate", certainty: CERTAINTY.exact };
  const exact = KINDS.find(({ words: known, inside }) => known.has(whole) || inside.includes(whole));
  if (exact !== undefined && !isAboutInBrackets(asked, words))
    return { kind: exact.kind, certainty: CERTAINTY.exact };
  if (isAbout(whole, words)) return { kind: "other", certainty: CERTAINTY.exact };
  const parts = KINDS.filter((kind) => isPartly(kind, whole, words));
  // "Question answer" and "Question & answer" name both, and so neither.
  if (parts.length > 1) return { kind: "other", certainty: CERTAINTY.loose };
  if (parts[0] !== undefined) return { kind: parts[0].kind, certainty: CERTAINTY.strong };
  const weaker = WEAKER.find(
    ({ words: known }) => words.some((word) => known.has(word)) || partOfCjk(known, whole),
  );
  return weaker === undefined ? undefined : { kind: weaker.kind, certainty: weaker.certainty };
}

function isAlternate(whole: string, words: string[]): boolean {
  if (ALTERNATE_NAMES.has(whole) || ALTERNATE_PARTS.some((part) => whole.includes(part))) return true;
  return (
    words.length > 1 &&
    words.some((word) => ALTERNATE_NAMES.has(word) && word !== "index" && word !== "indexes")
  );
}

function isAbout(whole: string, words: string[]): boolean {
  if (words.some((word) => ABOUT_WORDS.has(word))) return true;
  if (ABOUT_PARTS.some((part) => whole.includes(part))) return true;
  return words.some(
    (word) => word.length > 5 && JOINED_ABOUT.test(word) && /frage|antwort|vraag|svar/.test(word),
  );
}

/** "Question (ID)" is an id; "Question (required)" is none. */
function isAboutInBrackets(asked: string[], words: string[]): boolean {
  const inside = asked.filter((word) => !words.includes(word));
  return inside.length === 1 && ABOUT_WORDS.has(inside[0]!) && !LANGUAGES_OF_NAMES.has(inside[0]!);
}
const LANGUAGES_OF_NAMES = new Set(["no", "is"]);

function isPartly(
  { words: known, inside, joined }: (typeof KINDS)[number],
  whole: string,
  words: string[],
): boolean {
  return (
    words.some(
      (word) => known.has(word) || known.has(word.replace(/(?<!\d)\d+$/, "")) || joined.test(word),
    ) || inside.some((part) => whole.includes(part))
  );
}

const CJK = /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function partOfCjk(known: ReadonlySet<string>, whole: string): boolean {
  if (!CJK.test(whole)) return known.has(whole);
  return [...known].some((word) => word.length > 1 && CJK.test(word) && whole.includes(word));
}
