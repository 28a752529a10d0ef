import { textOf, type Section } from "./sections.ts";
import { lastEnd, type Cut } from "./split-text.ts";
import { tokensIn } from "./tokens.ts";

/** A piece of a document small enough for a model to read at once. It never reaches over a title. */
export interface Chunk {
  ordinal: number;
  text: string;
  headingPath: string[];
  tokens: number;
  page?: number;
}

/** Smaller pieces hold no thought; a caller who asks for less gets this. */
export const CHUNK_TOKENS_MIN = 64;
/** With the pairs it makes of them, a model of the usual 16,000 tokens reads no more at once. */
export const CHUNK_TOKENS_MAX = 4_000;

export function chunkSections(sections: Section[], tokensMax: number): Omit<Chunk, "ordinal">[] {
  return sections.flatMap(({ path, page, blocks }) => {
    const units = blocks.flatMap((block, index) => {
      const isListed = block.kind === "list" && blocks[index - 1]?.kind === "list";
      const byLines = block.kind === "table" || block.kind === "code" || block.kind === "list";
      const cuts: Cut[] = byLines ? ["lines", "sentences", "words"] : ["sentences", "words"];
      const glue = isListed ? "\n" : "\n\n";
      return cutToSize(textOf([block]), tokensMax, cuts).map((piece) => ({ ...piece, glue }));
    });
    return gather(units, tokensMax).map((piece) => ({
      ...piece,
      headingPath: path,
      ...(page === undefined ? {} : { page }),
    }));
  });
}

interface Piece {
  text: string;
  tokens: number;
}

const GAP_TOKENS = 2;

/** Neighbours share a chunk while the sum of their tokens fits; what they have together is counted once, at the end. */
function gather(units: (Piece & { glue: string })[], tokensMax: number): Piece[] {
  const groups: { texts: string[]; tokens: number }[] = [];
  for (const { text, tokens, glue } of units) {
    const last = groups.at(-1);
    if (last === undefined || last.tokens + GAP_TOKENS + tokens > tokensMax)
      groups.push({ texts: [text], tokens });
    else {
      last.texts.push(glue, text);
      last.tokens += GAP_TOKENS + tokens;
    }
  }
  return groups.flatMap(({ texts, tokens }) =>
    texts.length === 1
      ? [{ text: texts[0]!, tokens }]
      : cutToSize(texts.join(""), tokensMax, ["lines", "words"]),
  );
}

/** Text this long is not counted first: none has so few tokens. */
const CHARACTERS_A_TOKEN_MAX = 32;
const SAMPLE_CHARACTERS = 2_048;
/** Aimed a little low: counting a piece again costs more than an emptier one. */
const AIM = 0.95;

/** The text whole or in parts, each within the limit and none of it lost. */
function cutToSize(text: string, tokensMax: number, cuts: Cut[]): Piece[] {
  const whole = text.trim();
  if (whole === "") return [];
  if (whole.length <= tokensMax * CHARACTERS_A_TOKEN_MAX) {
    const tokens = tokensIn(whole);
    if (tokens <= tokensMax) return [{ text: whole, tokens }];
  }
  const sample = whole.slice(0, SAMPLE_CHARACTERS);
  let charactersAToken = sample.length / tokensIn(sample);
  const pieces: Piece[] = [];
  for (let from = 0; from < whole.length;) {
    let size = AIM * tokensMax * charactersAToken;
    let to: number;
    let piece: Piece;
    do {
      to = cutBehind(whole, from, Math.max(1, Math.floor(size)), cuts);
      const part = whole.slice(from, to).trim();
      piece = { text: part, tokens: tokensIn(part) };
      size = (to - from) * Math.min(0.9, tokensMax / Math.max(1, piece.tokens));
    } while (piece.tokens > tokensMax && to - from > 1);
    if (piece.text !== "") {
      pieces.push(piece);
      charactersAToken = (to - from) / piece.tokens;
    }
    from = to;
  }
  return pieces;
}

/** A cut this far back would leave too little in the piece; only lines may be that long. */
const FILLED_MIN = 0.4;

/** Where to cut at the latest: behind a line, a sentence, a word, and only then anywhere. */
function cutBehind(text: string, from: number, size: number, cuts: Cut[]): number {
  if (from + size >= text.length) return text.length;
  const window = text.slice(from, from + size + 1);
  for (const cut of cuts) {
    const end = lastEnd(window, cut);
    if (end > (cut === "lines" ? 0 : size * FILLED_MIN)) return from + Math.min(end, size);
  }
  return wholeCharacter(text, from + size);
}

/** Never between the two halves of one character. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
