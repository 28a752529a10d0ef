export interface RefusedSentence {
  pattern: RegExp;
  instead: string;
}

/** Sentences that a reader has to translate back, each with what to write instead. */
export const REFUSED_SENTENCES: readonly RefusedSentence[] = [
  {
    pattern: /\bOf (?!course\b)[a-z\d]+/,
    instead: 'begin with the subject, as in "At most one of two turns commits"',
  },
  {
    pattern: /\bwhoever(?:'s)?\b/i,
    instead: 'name the person or the part, as in "the caller", "a writer", "the process that …"',
  },
  {
    // "So many that it fails" says how many; "waits until so many arrived" does not.
    pattern: /\bso many\b(?!.*\bthat\b)/i,
    instead: 'give the number, the parameter or the setting, as in "waits until `count` arrived"',
  },
];
