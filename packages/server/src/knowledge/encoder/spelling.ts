export interface OwnWords {
  /** Whether somebody could mean exactly this word. */
  has: (word: string) => boolean;
  /** Texts whose words a misspelt one may have been meant to be. */
  texts: Iterable<string>;
}

/** A shorter word may be meant as it stands: slips turn it into too many others. */
const MISSPELT_LETTERS_MIN = 4;
/** A word of at least this length may have two slips. */
const TWO_SLIPS_LETTERS_MIN = 6;
/** Looking at more would hold up others: a hostile text takes 10 ms. */
const CHARACTERS_READ_MAX = 30_000;
const COMPARED_MAX = 5_000;
/** No abbreviation, and nothing with an apostrophe: what is behind one is no word. */
const WORD = /(?<![\p{L}\p{N}'’])\p{Script=Latin}+(?![\p{L}\p{N}'’])/gu;
/** Beside a slip: words are rarely misspelt in their first letter. */
const OTHER_INITIAL = 0.5;

/** A text with a smaller share of known words is garbled. */
const KNOWN_SHARE_MIN = 2 / 3;

export interface ReadText {
  /** With words that nobody has, as far as is known, put as the own word that is a slip or two away. */
  text: string;
  /** Hardly any of it is spelled right: what was put right may be wrong. */
  isGarbled: boolean;
}

/** A text as it was probably meant. An encoder cuts a misspelt word into pieces that mean something else. */
export function readMisspelt(text: string, { has, texts }: OwnWords): ReadText {
  const words = [...text.matchAll(WORD)].map(([word]) => word.toLowerCase());
  const strange = new Set(words.filter((word) => !has(word)));
  if (strange.size === 0) return { text, isGarbled: false };
  const own = readOwn(texts);
  const known = words.filter((word) => !strange.has(word) || own.has(word)).length;
  const left = { comparisons: COMPARED_MAX };
  const meant = new Map(
    [...strange]
      .filter((word) => word.length >= MISSPELT_LETTERS_MIN)
      .map((word) => [word, nearestOf(word, own, left) ?? word]),
  );
  const read = text.replaceAll(WORD, (word) => {
    const found = meant.get(word.toLowerCase());
    return found === undefined || found === word.toLowerCase() ? word : found;
  });
  return { text: read, isGarbled: known < KNOWN_SHARE_MIN * words.length };
}

/** Each word with how often it stands there. */
function readOwn(texts: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  let read = 0;
  for (const text of texts) {
    if (read >= CHARACTERS_READ_MAX) break;
    read += text.length;
    for (const [found] of text.matchAll(WORD)) {
      const word = found.toLowerCase();
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return counts;
}

/** The nearest word, and among equally near ones the one used most. Undefined where the word is there itself, or none is near. */
function nearestOf(
  word: string,
  own: ReadonlyMap<string, number>,
  left: { comparisons: number },
): string | undefined {
  if (own.has(word)) return undefined;
  const most = word.length >= TWO_SLIPS_LETTERS_MIN ? 2 : 1;
  let best: { word: string; distance: number; count: number } | undefined;
  for (const [other, count] of own) {
    if (left.comparisons === 0) break;
    if (Math.abs(other.length - word.length) > most) continue;
    left.comparisons -= 1;
    const slips = slipsBetween(word, other, most);
    if (slips > most) continue;
    const distance = slips + (other[0] === word[0] ? 0 : OTHER_INITIAL);
    if (best === undefined || distance < best.distance || (distance === best.distance && count > best.count))
      best = { word: other, distance, count };
  }
  return best?.word;
}

/** A longer word is no slip of another. */
const LETTERS_MAX = 40;
/** Three lines of the table at a time, used again for each two words. */
const LINES = [0, 1, 2].map(() => new Uint8Array(LETTERS_MAX + 1)) as [Uint8Array, Uint8Array, Uint8Array];

/** Letters left out, added, changed or in the wrong order. Anything above `most` where there are more. */
export function slipsBetween(one: string, other: string, most: number): number {
  if (one.length > LETTERS_MAX || other.length > LETTERS_MAX) return most + 1;
  let [beforeLast, last, line] = LINES;
  for (let at = 0; at <= other.length; at += 1) last[at] = at;
  for (let row = 1; row <= one.length; row += 1) {
    line[0] = row;
    let least = row;
    const letter = one.charCodeAt(row - 1);
    for (let at = 1; at <= other.length; at += 1) {
      const isSame = letter === other.charCodeAt(at - 1);
      let slips = Math.min(last[at]! + 1, line[at - 1]! + 1, last[at - 1]! + (isSame ? 0 : 1));
      const isSwapped =
        row > 1 &&
        at > 1 &&
        letter === other.charCodeAt(at - 2) &&
        one.charCodeAt(row - 2) === other.charCodeAt(at - 1);
      if (isSwapped) slips = Math.min(slips, beforeLast[at - 2]! + 1);
      line[at] = slips;
      least = Math.min(least, slips);
    }
    if (least > most + 1) return least;
    [beforeLast, last, line] = [last, line, beforeLast];
  }
  return last[other.length]!;
}
