/** How often words occur in one field of many texts: what BM25 needs to know of the others. */
export interface FieldStatistics {
  texts: number;
  /** Terms of all texts together. */
  length: number;
  /** In how many texts a term occurs; a term that is not here occurs in one at most. */
  occurrences: Map<string, number>;
}

/** Of one revision, or of a whole base. */
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

/** What one text says to another's: `into` then speaks for both. */
export function addStatistics(into: Statistics, other: Statistics): void {
  into.pairs += other.pairs;
  for (const name of FIELDS) {
    into[name].texts += other[name].texts;
    into[name].length += other[name].length;
    const { occurrences } = into[name];
    for (const [term, count] of other[name].occurrences)
      occurrences.set(term, (occurrences.get(term) ?? 0) + count);
  }
}

interface Written {
  pairs: number;
  fields: Record<(typeof FIELDS)[number], [texts: number, length: number, Record<string, number>]>;
}

export function writeStatistics(statistics: Statistics): string {
  const isLarge = statistics.pairs >= KEEPS_SINGLES_BELOW_PAIRS;
  const written = (name: (typeof FIELDS)[number]): Written["fields"]["question"] => {
    const { texts, length, occurrences } = statistics[name];
    const kept = isLarge ? [...occurrences].filter(([, count]) => count > 1) : [...occurrences];
    return [texts, length, Object.fromEntries(kept)];
  };
  const fields = { question: written("question"), answer: written("answer"), trigram: written("trigram") };
  return JSON.stringify({ pairs: statistics.pairs, fields } satisfies Written);
}

export function readStatistics(text: string): Statistics {
  // Safe because writeStatistics above is the only writer.
  const { pairs, fields } = JSON.parse(text) as Written;
  const read = (name: (typeof FIELDS)[number]): FieldStatistics => {
    const [texts, length, occurrences] = fields[name];
    return { texts, length, occurrences: new Map(Object.entries(occurrences)) };
  };
  return { pairs, question: read("question"), answer: read("answer"), trigram: read("trigram") };
}
