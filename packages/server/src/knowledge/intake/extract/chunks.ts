import { textOf, type Section } from "./sections.ts";
import { splitAfter, type Cut } from "./split-text.ts";
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

export function chunkSections(sections: Section[], tokensMax: number): Omit<Chunk, "ordinal">[] {
  return sections.flatMap(({ path, page, blocks }) => {
    const units = blocks.flatMap((block, index) => {
      const isListed = block.kind === "list" && blocks[index - 1]?.kind === "list";
      const byLines = block.kind === "table" || block.kind === "code" || block.kind === "list";
      return cutToSize(
        textOf([block]),
        tokensMax,
        byLines ? ["lines", "sentences", "words"] : ["sentences", "words"],
      ).map((piece) => ({ ...piece, glue: isListed ? "\n" : "\n\n" }));
    });
    return gather(units, tokensMax)
      .flatMap((piece) => withinLimit(piece.text.trim(), tokensMax))
      .map((piece) => ({ ...piece, headingPath: path, ...(page === undefined ? {} : { page }) }));
  });
}

interface Piece {
  text: string;
  tokens: number;
}

/** Neighbours share a chunk while they fit. Their sum is close to the real count, a gap costs at most two. */
function gather(units: (Piece & { glue: string })[], tokensMax: number): Piece[] {
  const pieces: Piece[] = [];
  for (const { text, tokens, glue } of units) {
    const last = pieces.at(-1);
    const gap = glue === "" ? 0 : 2;
    if (last === undefined || last.tokens + gap + tokens > tokensMax) pieces.push({ text, tokens });
    else {
      last.text += glue + text;
      last.tokens += gap + tokens;
    }
  }
  return pieces;
}

/** Joined text may have a token more than its parts; what is over the limit by that is parted once more. */
function withinLimit(text: string, tokensMax: number): Piece[] {
  const tokens = tokensIn(text);
  if (tokens <= tokensMax) return [{ text, tokens }];
  return cutToSize(text, Math.floor(tokensMax * 0.75), ["words"]).flatMap((piece) =>
    withinLimit(piece.text.trim(), tokensMax),
  );
}

/** Longer text is not counted first: no text has so few tokens. */
const CHARACTERS_A_TOKEN_MAX = 32;

/** The text whole or in parts, each within the limit and none of it lost: by lines, sentences, words, at last anywhere. */
function cutToSize(text: string, tokensMax: number, cuts: Cut[]): Piece[] {
  if (text.trim() === "") return [];
  if (text.length <= tokensMax * CHARACTERS_A_TOKEN_MAX) {
    const tokens = tokensIn(text);
    if (tokens <= tokensMax) return [{ text, tokens }];
  }
  const [cut, ...finer] = cuts;
  if (cut === undefined) return cutAnywhere(text, tokensMax);
  const parts = splitAfter(text, cut);
  if (parts.length === 1) return cutToSize(text, tokensMax, finer);
  const fitting = parts.flatMap((part) => cutToSize(part, tokensMax, finer));
  return gather(
    fitting.map((piece) => ({ ...piece, glue: "" })),
    tokensMax,
  );
}

/** Pieces as long as the first suggests; one that turns out too long is halved. */
function cutAnywhere(text: string, tokensMax: number): Piece[] {
  const sample = text.slice(0, SAMPLE_CHARACTERS);
  const size = Math.max(1, Math.floor((tokensMax * sample.length) / Math.max(1, tokensIn(sample)) / 1.1));
  const pieces: Piece[] = [];
  for (let from = 0; from < text.length;) {
    const to = wholeCharacter(text, Math.min(text.length, from + size));
    pieces.push(...halved(text.slice(from, to), tokensMax));
    from = to;
  }
  return pieces;
}

const SAMPLE_CHARACTERS = 2_048;

function halved(text: string, tokensMax: number): Piece[] {
  const tokens = tokensIn(text);
  if (tokens <= tokensMax || text.length < 4) return [{ text, tokens }];
  const middle = wholeCharacter(text, Math.floor(text.length / 2));
  return [...halved(text.slice(0, middle), tokensMax), ...halved(text.slice(middle), tokensMax)];
}

/** Never between the two halves of one character. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff ? at + 1 : at;
}
