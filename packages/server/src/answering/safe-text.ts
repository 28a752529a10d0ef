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

const UNDECIDED_CHARACTERS_MAX = 64;
const BLANK = /\s/;
const DIGIT = /[\d０-９]/;
const CITATION_AT_END = /\[\d{0,3}\]$/;

/** Where the end begins that may still turn into something else: blanks, a citation, a number that is not over or counts a list. */
export function undecidedFrom(text: string): number {
  const least = Math.max(0, text.length - UNDECIDED_CHARACTERS_MAX);
  let from = text.length;
  while (from > least) {
    const last = text[from - 1] ?? "";
    const mayBelong =
      last === "[" ||
      BLANK.test(last) ||
      DIGIT.test(last) ||
      ((last === "." || last === ")") && DIGIT.test(text[from - 2] ?? ""));
    if (mayBelong) from -= 1;
    else {
      const citation = CITATION_AT_END.exec(text.slice(Math.max(0, from - 5), from));
      if (citation === null) break;
      from -= citation[0].length;
    }
  }
  return from;
}

/**
 * Lets the text of a model through as it comes, without citations, and only as far as it can be relied on yet: nothing of a
 * reply that may become the word for no answer, and nothing from the first number on that no source names. What was let
 * through is not read again, so that a long reply costs no more a piece than a short one.
 */
export function createSafeText(
  known: ReadonlySet<string>,
  noAnswer: string,
  onText: (text: string) => void,
): (more: string) => void {
  let held = "";
  /** The end of what is no longer held: the word for no answer may stand across the edge, and a list number only behind a line's end. */
  let before = "";
  let isBegun = false;
  let isMuted = false;
  return (more) => {
    if (isMuted) return;
    held += more;
    if (!isBegun) held = held.trimStart();
    isMuted = (before + held).includes(noAnswer);
    if (isMuted) return;
    const end = undecidedFrom(held);
    const decided = held.slice(0, end);
    if (decided === "" || (!isBegun && noAnswer.startsWith(decided))) return;
    const text = withoutCitations(decided);
    const named = numbersIn(withoutListNumbers(before.slice(-1) + text));
    // No source is asked about a number so long that its end is out of sight.
    const isCut = DIGIT.test(decided.at(-1) ?? "") && DIGIT.test(held[end] ?? "");
    isMuted = isCut || [...named].some((number) => !known.has(number));
    if (isMuted) return;
    held = held.slice(end);
    before = (before + decided).slice(-noAnswer.length);
    const told = isBegun ? text : text.trimStart();
    isBegun ||= told !== "";
    if (told !== "") onText(told);
  };
}
