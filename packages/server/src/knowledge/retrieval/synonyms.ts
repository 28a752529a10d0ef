import { SYNONYMS_EN } from "./synonyms-en.ts";
import { SYNONYMS_ZH } from "./synonyms-zh.ts";
import { termsOf } from "./terms.ts";

/** Words and phrases that stand for one another. */
export type SynonymGroup = readonly string[];

/** What else could be said for some words of a question. */
export interface Alternative {
  /** All of these together: a phrase may have several. */
  terms: readonly string[];
}

export interface Synonyms {
  /** By the term asked with, what stands for it in one of its meanings here. */
  alternativesOf(terms: readonly string[]): Map<string, Alternative[]>;
}

interface Member {
  terms: readonly string[];
  group: Member[];
}

function groupsOf(lines: string): SynonymGroup[] {
  return lines
    .trim()
    .split("\n")
    .map((line) => line.split(",").map((member) => member.trim()));
}

function indexOf(groups: readonly SynonymGroup[]): Map<string, Member[]> {
  const byFirstTerm = new Map<string, Member[]>();
  for (const words of groups) {
    const group: Member[] = [];
    for (const word of words) {
      const terms = termsOf(word);
      const [first] = terms;
      if (first === undefined) continue;
      const member = { terms, group };
      group.push(member);
      byFirstTerm.set(first, [...(byFirstTerm.get(first) ?? []), member]);
    }
  }
  return byFirstTerm;
}

const OWN = indexOf([...groupsOf(SYNONYMS_EN), ...groupsOf(SYNONYMS_ZH)]);

/** An agent's own, and beside them those that ship with the service, unless they are switched off. */
export function createSynonyms(agentGroups: readonly SynonymGroup[] = [], withShipped = true): Synonyms {
  const indexes = [
    ...(withShipped ? [OWN] : []),
    ...(agentGroups.length === 0 ? [] : [indexOf(agentGroups)]),
  ];
  return {
    alternativesOf(terms) {
      const found = new Map<string, Alternative[]>();
      for (const [at, term] of terms.entries())
        for (const index of indexes)
          for (const member of index.get(term) ?? [])
            if (member.terms.every((one, place) => terms[at + place] === one)) addOthers(found, member);
      return found;
    },
  };
}

function addOthers(found: Map<string, Alternative[]>, { terms, group }: Member): void {
  const others = group.filter((other) => other.terms !== terms);
  for (const term of terms) found.set(term, [...(found.get(term) ?? []), ...others]);
}
