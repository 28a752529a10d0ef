/** A piece of a document in reading order, whatever format it came from. */
export type Block = HeadingBlock | TextBlock | PairBlock;

interface Place {
  page?: number;
  line?: number;
}

export interface HeadingBlock extends Place {
  kind: "heading";
  /** 1 is the highest. */
  level: number;
  text: string;
}

export interface TextBlock extends Place {
  kind: "paragraph" | "list" | "table" | "code";
  text: string;
  /** The whole paragraph is in bold: often a heading by somebody who knows no headings. */
  isBold?: boolean;
}

/** The document itself says that this is a question and its answer. */
export interface PairBlock extends Place {
  kind: "pair";
  question: string;
  answer: string;
}

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Lines that were broken to fit a page become one; scripts without blanks between words get none. */
export function joinLines(lines: string[]): string {
  const pieces: string[] = [];
  let last = "";
  for (const line of lines) {
    const next = line.trim();
    if (next === "") continue;
    if (last !== "" && !(UNSPACED.test(last) && UNSPACED.test(next[0]!))) pieces.push(" ");
    pieces.push(next);
    last = next.at(-1)!;
  }
  return pieces.join("");
}

export function collapseBlanks(text: string): string {
  return text.replace(/[\s\u00a0]+/g, " ").trim();
}

export function textOfBlocks(blocks: Block[]): string {
  return blocks
    .map((block) => (block.kind === "pair" ? `${block.question}\n${block.answer}` : block.text))
    .join("\n\n");
}
