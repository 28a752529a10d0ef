const SCRIPTS: [name: string, letters: RegExp][] = [
  ["kana", /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ["han", /\p{Script=Han}/gu],
  ["hangul", /\p{Script=Hangul}/gu],
  ["latin", /\p{Script=Latin}/gu],
  ["cyrillic", /\p{Script=Cyrillic}/gu],
  ["arabic", /\p{Script=Arabic}/gu],
  ["devanagari", /\p{Script=Devanagari}/gu],
  ["thai", /\p{Script=Thai}/gu],
  ["greek", /\p{Script=Greek}/gu],
  ["hebrew", /\p{Script=Hebrew}/gu],
];

/** A name in Latin letters inside a Chinese sentence does not make it English: a character of these says as much as a word. */
const WEIGHTS: Record<string, number> = { latin: 0.25 };

/** Enough to tell: a message or an answer may have 25,000. */
const CHARACTERS_LOOKED_AT = 1_000;

/** Most texts in English are: what is looked for in all others would be looked for in vain. */
const ASCII = /^[ -~\s]*$/;
const ASCII_LETTER = /[a-z]/i;

/** The script a text is mostly written in, judged by its beginning; undefined when it holds no letters we know. Any kana makes it Japanese. */
function scriptOf(whole: string): string | undefined {
  const text = whole.slice(0, CHARACTERS_LOOKED_AT);
  if (ASCII.test(text)) return ASCII_LETTER.test(text) ? "latin" : undefined;
  let most: string | undefined;
  let weight = 0;
  for (const [name, letters] of SCRIPTS) {
    const found = (text.match(letters)?.length ?? 0) * (WEIGHTS[name] ?? 1);
    if (name === "kana" && found > 0) return "kana";
    if (found > weight) [most, weight] = [name, found];
  }
  return most;
}

/** Japanese may be written in Han alone, so those two are not told apart. */
export function isSameScript(one: string, other: string): boolean {
  const [a, b] = [scriptOf(one), scriptOf(other)].map((script) => (script === "kana" ? "han" : script));
  return a === undefined || b === undefined || a === b;
}
