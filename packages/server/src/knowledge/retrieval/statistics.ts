/** How often words occur in one field of many texts: what BM25 needs to know of the others. */
export interface FieldStatistics {
  texts: number;
  /** Terms of all texts together. */
  length: number;
  /** In how many texts a term occurs; a term that is not here occurs in one at most. */
  occurrences: Map<string, number>;
}

/** The counts of one revision, or of a whole base. */
export interface Statistics {
  pairs: number;
  question: FieldStatistics;
  answer: FieldStatistics;
  trigram: FieldStatistics;
}

/** From this many pairs on, terms that occur once are not kept: half of all terms, and all equally rare. */
const KEEPS_SINGLES_BELOW_PAIRS = 2_000;

export function noStatistics(): Statistics {
  const field = () => ({ texts: 0, length: 0, occurrences: new Map<string, number>() });
  return { pairs: 0, question: field(), answer: field(), trigram: field() };
}

/** Above this many different terms, those met once are forgotten: order numbers and names would fill the memory. */
const TERMS_MAX = 50_000;

export function countText(field: FieldStatistics, terms: string[]): void {
  const { occurrences } = field;
  field.texts += 1;
  field.length += terms.length;
  for (const term of new Set(terms)) occurrences.set(term, (occurrences.get(term) ?? 0) + 1);
  if (occurrences.size <= TERMS_MAX) return;
  for (const [term, count] of occurrences) if (count === 1) occurrences.delete(term);
}

const FIELDS = ["question", "answer", "trigram"] as const;

/** Takes the counts of `gone` away. What is left may be less than nothing, until it is added to the counts of the others. */
export function subtractStatistics(from: Statistics, gone: Statistics): void {
  from.pairs -= gone.pairs;
  for (const name of FIELDS) {
    const [field, less] = [from[name], gone[name]];
    field.texts -= less.texts;
    field.length -= less.length;
    for (const [term, count] of less.occurrences)
      field.occurrences.set(term, (field.occurrences.get(term) ?? 0) - count);
  }
}

/** Counts of large contents are samples: what was taken away from them may have been counted never. */
export function withoutDebts(statistics: Statistics): Statistics {
  statistics.pairs = Math.max(0, statistics.pairs);
  for (const name of FIELDS) {
    const field = statistics[name];
    field.texts = Math.max(0, field.texts);
    field.length = Math.max(0, field.length);
    for (const [term, count] of field.occurrences) if (count <= 0) field.occurrences.delete(term);
  }
  return statistics;
}

interface Written {
  pairs: number;
  fields: Record<(typeof FIELDS)[number], [texts: number, length: number, Record<string, number>]>;
}

export function writeStatistics(statistics: Statistics): string {
  const isLarge = statistics.pairs >= KEEPS_SINGLES_BELOW_PAIRS;
  const written = (name: (typeof FIELDS)[number]): Written["fields"]["question"] => {
    const { texts, length, occurrences } = statistics[name];
    const kept = isLarge
      ? [...occurrences].filter(([, count]) => count > 1)
      : [...occurrences].filter(([, count]) => count !== 0);
    return [texts, length, Object.fromEntries(kept)];
  };
  const fields = { question: written("question"), answer: written("answer"), trigram: written("trigram") };
  return JSON.stringify({ pairs: statistics.pairs, fields } satisfies Written);
}

/** Entries of a large base take long to read: as many at a time as take a millisecond or two. */
const BLOCK_CHARACTERS = 65_536;

/**
 * Adds what `writeStatistics` wrote, so that `into` speaks for both. Reads it in blocks, with `giveWay` awaited between them.
 * A block may end before any `,"`: a term holds letters, digits, marks, blanks, + and #, so that none holds a quote.
 */
export async function addStatistics(
  into: Statistics,
  written: string,
  giveWay: () => Promise<void> | undefined,
): Promise<void> {
  into.pairs += Number(/^\{"pairs":(-?\d{1,15}),/.exec(written)?.[1]);
  for (const name of FIELDS) {
    const opening = `"${name}":[`;
    const start = written.indexOf("{", written.indexOf(opening)) + 1;
    const end = written.indexOf("}", start);
    const [texts, length] = written.slice(written.indexOf(opening) + opening.length, start - 2).split(",");
    into[name].texts += Number(texts);
    into[name].length += Number(length);
    await addEntries(into[name].occurrences, written, start, end, giveWay);
  }
}

async function addEntries(
  occurrences: Map<string, number>,
  written: string,
  start: number,
  end: number,
  giveWay: () => Promise<void> | undefined,
): Promise<void> {
  for (let from = start; from < end;) {
    const comma = written.indexOf(',"', from + BLOCK_CHARACTERS);
    const to = comma === -1 || comma > end ? end : comma;
    const block = JSON.parse(`{${written.slice(from, to)}}`) as Record<string, number>;
    for (const [term, count] of Object.entries(block))
      occurrences.set(term, (occurrences.get(term) ?? 0) + count);
    from = to + 1;
    await giveWay();
  }
}
