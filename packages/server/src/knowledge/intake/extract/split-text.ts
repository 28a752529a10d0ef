export type Cut = "lines" | "sentences" | "words";

const ENDS: Record<Cut, RegExp> = {
  lines: /\n/g,
  sentences: /[.!?…]["'”’)\]]*(?=\s)|[。！？；]["'”’」』）]*|\n/g,
  words: /\s(?=\S)/g,
};

/** The parts of a text behind each end of a line, sentence or word; together they are the text. */
export function splitAfter(text: string, cut: Cut): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const match of text.matchAll(ENDS[cut])) {
    const to = match.index + match[0].length;
    parts.push(text.slice(from, to));
    from = to;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

/** Behind the last line, sentence or word that ends in a text; 0 when none does. */
export function lastEnd(text: string, cut: Cut): number {
  let end = 0;
  for (const match of text.matchAll(ENDS[cut])) end = match.index + match[0].length;
  return end;
}
