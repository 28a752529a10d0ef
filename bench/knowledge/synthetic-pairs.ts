import { randomNumbers } from "../eval/datasets.ts";

export interface SyntheticPair {
  question: string;
  answer: string;
}

const WORDS = 12_000;
const OPENINGS = [
  "How do I",
  "Where can I",
  "What happens when I",
  "Why can I not",
  "Is it possible to",
  "When will you",
  "Who do I ask to",
  "Can you",
];

/** Words as a language has them: a few that are everywhere and thousands that are rare. */
function wordAt(chance: () => number): string {
  const rank = Math.floor(WORDS ** chance()) - 1;
  const syllables = [
    "ba",
    "co",
    "di",
    "fe",
    "gu",
    "ha",
    "ji",
    "ko",
    "lu",
    "me",
    "ni",
    "po",
    "ra",
    "si",
    "tu",
    "va",
  ];
  let word = "";
  for (let rest = rank + 17; rest > 0; rest = Math.floor(rest / syllables.length))
    word += syllables[rest % syllables.length];
  return word;
}

function sentence(chance: () => number, words: number): string {
  return Array.from({ length: words }, () => wordAt(chance)).join(" ");
}

/** The same pairs for the same seed. */
export function syntheticPairs(count: number, seed: number): SyntheticPair[] {
  const chance = randomNumbers(seed);
  return Array.from({ length: count }, (_, index) => {
    const opening = OPENINGS[Math.floor(chance() * OPENINGS.length)] ?? "";
    return {
      question: `${opening} ${sentence(chance, 4 + Math.floor(chance() * 5))} ${index}?`,
      answer: `${sentence(chance, 12 + Math.floor(chance() * 20))}.`,
    };
  });
}

/** As somebody else would put it: without the number, some words left out, one of their own. */
export function paraphraseOf({ question }: SyntheticPair, chance: () => number): string {
  const words = question.replace(/ \d+\?$/, "").split(" ");
  return [...words.filter(() => chance() > 0.25), wordAt(chance)].join(" ");
}

export function csvOf(pairs: SyntheticPair[]): string {
  return `question,answer\n${pairs.map(({ question, answer }) => `"${question}","${answer}"`).join("\n")}\n`;
}
