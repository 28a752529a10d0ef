export interface WordPieces {
  /** Ids of the pieces the text is cut into, as likely together as can be; 0 for what has none. */
  cut(text: string, most: number): number[];
}

const BLANK = "\u2581";
const UNKNOWN = 0;
/** The first ids stand for control signs, which no text may name. */
const FIRST_PIECE = 6;

/** SentencePiece's unigram model: the cut with the highest sum of log probabilities (Viterbi). */
export function createWordPieces(pieces: [piece: string, score: number][]): WordPieces {
  const ids = new Map<string, number>();
  let longest = 1;
  for (const [id, [piece]] of pieces.entries()) {
    if (id < FIRST_PIECE) continue;
    ids.set(piece, id);
    longest = Math.max(longest, [...piece].length);
  }
  const scores = Float64Array.from(pieces, ([, score]) => score);

  function cut(text: string, most: number): number[] {
    const characters = [...`${BLANK}${text.normalize("NFKC").replaceAll(" ", BLANK)}`];
    const best = new Float64Array(characters.length + 1).fill(-Infinity);
    const from = new Int32Array(characters.length + 1);
    const piece = new Int32Array(characters.length + 1);
    best[0] = 0;
    const reach = (to: number, start: number, id: number, score: number) => {
      if (score < best[to]!) return;
      [best[to], from[to], piece[to]] = [score, start, id];
    };
    for (let start = 0; start < characters.length; start += 1) {
      if (best[start] === -Infinity) continue;
      let word = "";
      let isKnown = false;
      for (let end = start + 1; end <= Math.min(characters.length, start + longest); end += 1) {
        word += characters[end - 1];
        const id = ids.get(word);
        if (id === undefined) continue;
        isKnown = true;
        reach(end, start, id, best[start]! + scores[id]!);
      }
      if (!isKnown) reach(start + 1, start, UNKNOWN, best[start]!);
    }
    const found: number[] = [];
    for (let end = characters.length; end > 0; end = from[end]!)
      if (piece[end] !== UNKNOWN || found.at(-1) !== UNKNOWN) found.push(piece[end]!);
    return found.reverse().slice(0, most);
  }
  return { cut };
}
