import { COUNT_MAX, type WrittenNumber } from "./written-number.ts";

const ONES =
  "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
const TENS = "twenty thirty forty fifty sixty seventy eighty ninety";
/** "First" and "second" are mostly no numbers: a list begins with the one, the other is a unit. */
const ORDINALS_FROM_3 =
  "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth";
const ORDINAL_TENS = "twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth";

const listed = (words: string, first: number, step = 1): [string, number][] =>
  words.split(" ").map((word, at) => [word, first + at * step]);
const CARDINALS = new Map([...listed(ONES, 0), ...listed(TENS, 20, 10)]);
const ORDINALS = new Map([...listed(ORDINALS_FROM_3, 3), ...listed(ORDINAL_TENS, 20, 10)]);
const ENDS_ORDINAL = new Map([...ORDINALS, ["first", 1], ["second", 2]]);
const SCALES = new Map([
  ["dozen", 12],
  ["thousand", 1_000],
  ["million", 1_000_000],
  ["billion", 1_000_000_000],
]);
const TIMES = new Map([
  ["twice", 2],
  ["thrice", 3],
]);

/** What "one" and "a" must stand before to be a number: "no one", "this one" and "one of us" are none. */
const UNITS = new Set(
  "second minute hour day weekday workday night week weekend fortnight month quarter year decade euro dollar pound cent penny franc yuan percent kilometre kilometer metre meter mile kilogram kilo gram litre liter".split(
    " ",
  ),
);
const BEFORE_UNITS = new Set(
  "working business calendar full whole single more additional further".split(" "),
);
const BEFORE_ARTICLES = new Set("within in after for than to least last lasts take takes".split(" "));
const LISTED = new Set(
  "ways options steps things possibilities methods reasons kinds types choices cases parts questions points".split(
    " ",
  ),
);
const PARTIES = new Set(["party", "parties", "person"]);

interface Word {
  text: string;
  from: number;
  to: number;
  /** To the word before: no more than a blank or a hyphen is between them. */
  isJoined: boolean;
}

const WORD = /[\p{L}\p{M}]+/gu;
/** The shortest number words; most texts without one are in another script. */
const MAY_BE_WORD = /[a-z]{3}/;
const GAP = /^[ \t\u2010-]{1,2}$/;

function wordsOf(text: string): Word[] {
  const words: Word[] = [];
  let end = 0;
  for (const match of text.matchAll(WORD)) {
    const isJoined = words.length > 0 && GAP.test(text.slice(end, Math.min(match.index, end + 3)));
    end = match.index + match[0].length;
    words.push({ text: match[0], from: match.index, to: end, isJoined });
  }
  return words;
}

/** The numbers that English words of a text make; the text is normalized and in lower case. */
export function englishNumbersIn(text: string): WrittenNumber[] {
  if (!MAY_BE_WORD.test(text)) return [];
  const words = wordsOf(text);
  const found: WrittenNumber[] = [];
  const add = (at: number, next: number, value: number, isIncidental: boolean) => {
    const [from, to] = [words[at]!.from, words[next - 1]!.to];
    found.push({ value: String(value), parts: [], from, to, inWords: true, isIncidental });
  };
  for (let at = 0; at < words.length;) {
    const number = numberAt(words, at);
    if (number === undefined) {
      if (isOneUnit(words, at)) add(at, at + 1, 1, true);
      at += 1;
      continue;
    }
    const { value, next } = number;
    if (isNumber(words, at, next)) add(at, next, value, value <= COUNT_MAX && countsList(words, next));
    at = next;
  }
  return found;
}

function numberAt(words: Word[], at: number): { value: number; next: number } | undefined {
  const first = words[at]!.text;
  const times = first === "couple" && textAt(words, at + 1) === "of" ? 2 : TIMES.get(first);
  if (times !== undefined) return { value: times, next: at + 1 };
  /** The thousands and millions so far. */
  let total = 0;
  /** Below a thousand: the next scale multiplies it. */
  let group: number | undefined;
  let smallestScale = Infinity;
  let next = at;
  for (; next < words.length && (next === at || words[next]!.isJoined); next += 1) {
    const { text } = words[next]!;
    const cardinal = CARDINALS.get(text);
    const ordinal = (group === undefined ? ORDINALS : ENDS_ORDINAL).get(text);
    const scale = SCALES.get(text);
    if (cardinal !== undefined && takes(group, cardinal)) group = (group ?? 0) + cardinal;
    else if (text === "hundred" && (group ?? 1) < 100) group = (group ?? 1) * 100;
    else if (scale !== undefined && scale < smallestScale && (group !== undefined || next === at)) {
      total += (group ?? 1) * scale;
      smallestScale = scale;
      group = undefined;
    } else if (ordinal !== undefined && takes(group, ordinal)) {
      return { value: total + (group ?? 0) + ordinal, next: next + 1 };
    } else if (text !== "and" || next === at || !goesOn(words, next, group)) break;
  }
  return next === at ? undefined : { value: total + (group ?? 0), next };
}

/** "twenty" takes "five", "a hundred" takes "fifteen", and "five" takes nothing. */
function takes(group: number | undefined, added: number): boolean {
  if (group === undefined) return true;
  const rest = group % 100;
  if (rest === 0) return group > 0;
  return rest >= 20 && rest % 10 === 0 && added > 0 && added < 10;
}

/** "a hundred and five", but not "between one hundred and two hundred". */
function goesOn(words: Word[], and: number, group: number | undefined): boolean {
  if (group !== undefined && (group === 0 || group % 100 !== 0)) return false;
  const added = CARDINALS.get(textAt(words, and + 1) ?? "");
  if (added === undefined) return false;
  const one = CARDINALS.get(textAt(words, and + 2) ?? "");
  const behind = textAt(words, and + (one !== undefined && takes(added, one) ? 3 : 2));
  return behind !== "hundred" && !(group === undefined && SCALES.has(behind ?? ""));
}

/** Undefined where something stands between it and the word before. */
function textAt(words: Word[], at: number): string | undefined {
  const word = words[at];
  return word?.isJoined === true ? word.text : undefined;
}

function isNumber(words: Word[], at: number, next: number): boolean {
  if (next > at + 1) return true;
  const { text } = words[at]!;
  if (text === "third") return !PARTIES.has(textAt(words, next) ?? "");
  return text !== "one" || standsBeforeUnit(words, next);
}

function standsBeforeUnit(words: Word[], from: number): boolean {
  let at = from;
  while (at < from + 2 && BEFORE_UNITS.has(textAt(words, at) ?? "")) at += 1;
  return UNITS.has(textAt(words, at) ?? "");
}

/** "within a week" is within one. */
function isOneUnit(words: Word[], at: number): boolean {
  const { text, isJoined } = words[at]!;
  return (
    (text === "a" || text === "an") &&
    isJoined &&
    BEFORE_ARTICLES.has(words[at - 1]!.text) &&
    standsBeforeUnit(words, at + 1)
  );
}

/** "two ways", "three easy steps". */
function countsList(words: Word[], next: number): boolean {
  const [first, second] = [textAt(words, next), textAt(words, next + 1)];
  return (first !== undefined && LISTED.has(first)) || (second !== undefined && LISTED.has(second));
}

const TAIL_CHARACTERS = 80;

/** Where a number in words begins that the next word may change: "two" may become "two hundred". */
export function openEnglishNumberFrom(text: string): number {
  const start = Math.max(0, text.length - TAIL_CHARACTERS);
  const words = wordsOf(text.slice(start).toLowerCase());
  const last = words.at(-1);
  if (last === undefined || !/^[\s-]*$/.test(text.slice(start + last.to))) return text.length;
  let from = text.length;
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const word = words[at]!.text;
    if (isPartOfNumber(word)) from = start + words[at]!.from;
    else if (word !== "and") break;
    if (!words[at]!.isJoined) break;
  }
  return from;
}

function isPartOfNumber(word: string): boolean {
  return CARDINALS.has(word) || SCALES.has(word) || word === "hundred" || word === "couple";
}
