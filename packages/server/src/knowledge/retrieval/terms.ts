const WORD = /[\p{L}\p{N}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;
const TERM_MAX_CHARACTERS = 64;
const BASE_MARK_CHARACTERS = 8;

/** Words, folded; scripts that put no space between words give pairs of neighbouring characters. Each term once. */
export function termsOf(text: string): string[] {
  const folded = text.normalize("NFKC").toLowerCase();
  const terms = new Set<string>();
  for (const [run] of folded.matchAll(UNSPACED)) {
    const characters = [...run];
    if (characters.length === 1) terms.add(run);
    for (let index = 0; index + 1 < characters.length; index += 1)
      terms.add(characters.slice(index, index + 2).join(""));
  }
  for (const [word] of folded.replaceAll(UNSPACED, " ").matchAll(WORD))
    terms.add([...word].slice(0, TERM_MAX_CHARACTERS).join(""));
  return [...terms];
}

/**
 * A base's terms as PostgreSQL lexemes. Each begins with its base, so that one index serves every base and a look-up
 * reads only this base's entries: with the end of its id, which is by chance, as ids of one minute begin alike.
 * Terms hold letters, digits and Han signs alone, so quoting is enough.
 */
export function lexemesOf(knowledgeBaseId: string, terms: string[]): string[] {
  const mark = knowledgeBaseId.slice(-BASE_MARK_CHARACTERS);
  return terms.map((term) => `'${mark}${term}'`);
}

/** How much two sets of terms have in common: 1 when equal, 0 when apart. */
export function overlap(one: string[], other: string[]): number {
  if (one.length === 0 || other.length === 0) return 0;
  const shared = new Set(one);
  return (2 * other.filter((term) => shared.has(term)).length) / (one.length + other.length);
}
