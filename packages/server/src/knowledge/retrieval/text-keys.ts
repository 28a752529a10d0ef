const SPACE = 0x20;

/** What `termsOf` would give for a run of a script that puts no blanks between words, as numbers. */
export function eachNeighbours(run: string, add: (key: number) => void): void {
  let before = 0;
  let characters = 0;
  for (let at = 0; at < run.length;) {
    const code = run.codePointAt(at)!;
    if (before !== 0) add(keyOfTwo(before, code));
    before = code;
    characters += 1;
    at += code > 0xffff ? 2 : 1;
  }
  if (characters === 1) add(keyOfTwo(0, before));
}

/** What `trigramsOf` would give for these words, as numbers. */
export function eachTrigram(words: readonly string[], add: (key: number) => void): void {
  let isFirst = true;
  let before = 0;
  let last = SPACE;
  const write = (code: number) => {
    if (!isFirst) add(keyOfThree(before, last, code));
    isFirst = false;
    before = last;
    last = code;
  };
  for (const word of words) {
    for (let at = 0; at < word.length;) {
      const code = word.codePointAt(at)!;
      write(code);
      at += code > 0xffff ? 2 : 1;
    }
    write(SPACE);
  }
}

/** The key of two neighbours, of a single character, or of a trigram. Two different ones share a key once in billions. */
export function keyOf(sequence: string): number {
  const [one = 0, two = 0, three] = Array.from(sequence, (character) => character.codePointAt(0)!);
  if (three !== undefined) return keyOfThree(one, two, three);
  return two === 0 ? keyOfTwo(0, one) : keyOfTwo(one, two);
}

function keyOfTwo(one: number, two: number): number {
  return Math.imul(one, 0x10001) ^ Math.imul(two, 0x85ebca6b);
}

function keyOfThree(one: number, two: number, three: number): number {
  // Exact for three of ASCII.
  if ((one | two | three) < 0x80) return (one << 14) | (two << 7) | three;
  return Math.imul(Math.imul(one, 0x85ebca6b) ^ two, 0xc2b2ae35) ^ three;
}
