const VOWEL = /[aeiouy]/;
const ENGLISH_WORD = /^[a-z]+$/;
const DOUBLED = /([^aeiouylsz])\1$/;
const SHORT = /^[^aeiou]*[aeiouy][^aeiouwxy]$/;

/**
 * The word without the endings English adds to it (plural, past, -ing, final e). Light on purpose: what it misses, the
 * character trigrams find, and a heavier stemmer joins words that mean different things.
 */
export function stemOf(word: string): string {
  if (word.length < 4 || !ENGLISH_WORD.test(word)) return word;
  let stem = withoutPlural(word);
  if (stem.endsWith("ed") && !stem.endsWith("eed") && VOWEL.test(stem.slice(0, -2)))
    stem = mended(stem.slice(0, -2));
  else if (stem.endsWith("ing") && VOWEL.test(stem.slice(0, -3))) stem = mended(stem.slice(0, -3));
  if (stem.length > 2 && stem.endsWith("y")) stem = `${stem.slice(0, -1)}i`;
  if (stem.length > 4 && stem.endsWith("e")) stem = stem.slice(0, -1);
  return stem;
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (word.endsWith("ies")) return `${word.slice(0, -3)}i`;
  if (word.endsWith("s") && !word.endsWith("ss") && !word.endsWith("us")) return word.slice(0, -1);
  return word;
}

/** What the ending had changed: hopping comes from hop, creating from create. */
function mended(stem: string): string {
  if (/(?:at|bl|iz)$/.test(stem) || SHORT.test(stem)) return `${stem}e`;
  return DOUBLED.test(stem) ? stem.slice(0, -1) : stem;
}
