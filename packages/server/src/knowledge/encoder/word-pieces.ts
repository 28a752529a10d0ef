export interface WordPieces {
  /** Whether it is one piece: most words that people write are. */
  has(word: string): boolean;
  /** Ids of the pieces of a text between the two signs that BERT puts around it, and how much of it a piece holds. */
  cut(text: string, most: number): CutText;
}

export interface CutText {
  ids: number[];
  /** The places of those that are of words: not the two signs around the text, and no punctuation. */
  ofWords: number[];
  /** On average: text of a language the vocabulary was not made for falls into crumbs, and so does garbled text. */
  charactersPerPiece: number;
}

const START = "[CLS]";
const END = "[SEP]";
const UNKNOWN = "[UNK]";
/** Before a piece that goes on with a word. */
const WITHIN = "##";
/** A longer word is no word. */
const LETTERS_MAX = 100;
/** Letters and digits together, every other sign by itself. */
const WORD_OR_SIGN = /[\p{L}\p{N}\p{M}]+|\S/gu;
const WORD = /^[\p{L}\p{N}]/u;
const HAN = /\p{Script=Han}/gu;
const UNSEEN = /\uFFFD|(?![\t\n\r])\p{C}/gu;
const ACCENT = /\p{Mn}/gu;

/** BERT's uncased WordPiece: of each word the longest known beginning, then the longest known piece of what is left. */
export function createWordPieces(vocabulary: readonly string[]): WordPieces {
  const ids = new Map(vocabulary.map((piece, id) => [piece, id]));
  const idOf = (piece: string) => {
    const id = ids.get(piece);
    if (id === undefined) throw new Error(`the encoder's vocabulary lacks ${piece}`);
    return id;
  };
  const [start, end, unknown] = [idOf(START), idOf(END), idOf(UNKNOWN)];

  function cutWord(word: string): number[] {
    const letters = [...word];
    if (letters.length > LETTERS_MAX) return [unknown];
    const found: number[] = [];
    for (let from = 0; from < letters.length;) {
      let to = letters.length;
      let id: number | undefined;
      for (; to > from; to -= 1) {
        id = ids.get(`${from > 0 ? WITHIN : ""}${letters.slice(from, to).join("")}`);
        if (id !== undefined) break;
      }
      if (id === undefined) return [unknown];
      found.push(id);
      from = to;
    }
    return found;
  }

  return {
    has: (word) => ids.has(word),
    cut(text, most) {
      const found: number[] = [];
      const ofWords: number[] = [];
      let read = 0;
      for (const { 0: word, index } of plainText(text).matchAll(WORD_OR_SIGN)) {
        if (found.length >= most) break;
        for (const id of cutWord(word)) {
          found.push(id);
          // One place on: the first is the sign of the start.
          if (WORD.test(word) && found.length <= most) ofWords.push(found.length);
        }
        read = index + word.length;
      }
      return {
        ids: [start, ...found.slice(0, most), end],
        ofWords,
        charactersPerPiece: read / Math.max(1, found.length),
      };
    },
  };
}

function plainText(text: string): string {
  return text
    .replaceAll(UNSEEN, "")
    .replaceAll(HAN, " $& ")
    .toLowerCase()
    .normalize("NFD")
    .replaceAll(ACCENT, "");
}
