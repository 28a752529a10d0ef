export function numbersIn(text: string): Set<string> {
  return new Set(
    [...text.normalize("NFKC").matchAll(/\d+/g)].map(([digits]) => digits.replace(/^0+(?=\d)/, "")),
  );
}

/** What may still turn into something else: blanks, a citation, a number that is not over or counts a list. */
const UNDECIDED = /(?:\s|\[\d{0,3}\]?|[\d０-９]+[.)]?)+$/u;
const CITATION = /\s*\[\d{1,3}\]/g;

/**
 * Lets the text of a model through as it comes, without citations, and only as far as it can be relied on yet: nothing of a
 * reply that may become the word for no answer, and nothing from the first number on that no source names.
 */
export function createSafeText(
  known: ReadonlySet<string>,
  noAnswer: string,
  onText: (text: string) => void,
): (more: string) => void {
  let reply = "";
  let told = 0;
  let isMuted = false;
  return (more) => {
    if (isMuted) return;
    reply += more;
    const decided = reply.replace(UNDECIDED, "");
    if (noAnswer.startsWith(decided.trim())) return;
    const text = decided.replaceAll(CITATION, "").trimStart();
    const named = [...numbersIn(withoutListNumbers(text))];
    isMuted = reply.includes(noAnswer) || named.some((number) => !known.has(number));
    if (isMuted || text.length <= told) return;
    onText(text.slice(told));
    told = text.length;
  };
}

export function withoutListNumbers(text: string): string {
  return text.replaceAll(/^\s*\d{1,2}[.)]\s/gm, "");
}
