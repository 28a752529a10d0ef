/** Looked for only where its blanks begin: else a run of blanks would be read once for each of them. */
const CITATION = /(?<!\s)\s*\[(\d{1,3})\]/g;

export function citedIn(text: string): Set<number> {
  return new Set([...text.matchAll(CITATION)].map(([, number]) => Number(number)));
}

export function withoutCitations(text: string): string {
  return text.replaceAll(CITATION, "");
}

/** The citations of a reply as its reader sees them: numbered in the order in which sources are first cited. */
export interface Citations {
  /** What is shown behind a claim; empty where it says nothing or cites no source. */
  marksOf: (claim: { raw: string; cited: ReadonlySet<number> }) => string;
  /** Numbers of sources, as the model was given them, in the order of the marks. */
  inOrder: () => number[];
}

export function createCitations(sources: number): Citations {
  const order: number[] = [];
  const markOf = (source: number) => {
    if (!order.includes(source)) order.push(source);
    return `[${order.indexOf(source) + 1}]`;
  };
  return {
    marksOf({ raw, cited }) {
      if (withoutCitations(raw).trim() === "") return "";
      const marks = [...cited].filter((number) => number >= 1 && number <= sources).map(markOf);
      return marks.length === 0 ? "" : ` ${marks.join("")}`;
    },
    inOrder: () => order,
  };
}

export function withoutListNumbers(text: string): string {
  return text.replaceAll(/^[ \t\u3000]*\d{1,2}[.)]\s/gm, "");
}
