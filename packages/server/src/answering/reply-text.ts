export function numbersIn(text: string): Set<string> {
  return new Set(
    [...text.normalize("NFKC").matchAll(/\d+/g)].map(([digits]) => digits.replace(/^0+(?=\d)/, "")),
  );
}

/** Looked for only where its blanks begin: else a run of blanks would be read once for each of them. */
const CITATION = /(?<!\s)\s*\[(\d{1,3})\]/g;

export function citedIn(text: string): Set<number> {
  return new Set([...text.matchAll(CITATION)].map(([, number]) => Number(number)));
}

export function withoutCitations(text: string): string {
  return text.replaceAll(CITATION, "");
}

export function withoutListNumbers(text: string): string {
  return text.replaceAll(/^[ \t\u3000]*\d{1,2}[.)]\s/gm, "");
}
