import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { git } from "./git.ts";
import { OLD_WORDS } from "./old-words.ts";
import { REFUSED_SENTENCES } from "./refused-sentences.ts";

/** History keeps its words: what was decided, migrated and released. */
const HISTORY = [/^CHANGELOG\.md$/, /^docs\/adr\//, /^bench\/results\//, /^packages\/server\/migrations\//];
/** Where refused words stand to be found: the lists, their test, and a test that migrates an old schema. */
const ALLOWED = [
  "tools/old-words.ts",
  "tools/refused-sentences.ts",
  "tools/check-words.test.ts",
  "packages/server/src/platform/migrate.test.ts",
];
const TEXT = /\.(?:ts|tsx|js|mjs|css|html|md|json|sql|yaml|yml|sh|txt)$/;

export interface RefusedWord {
  line: number;
  word: string;
  instead: string;
}

export function isLookedAt(path: string): boolean {
  return TEXT.test(path) && !ALLOWED.includes(path) && !HISTORY.some((kept) => kept.test(path));
}

export function findOldWords(text: string): RefusedWord[] {
  return text.split("\n").flatMap((content, index) =>
    Object.entries(OLD_WORDS)
      .filter(([word]) => holds(content, word))
      .map(([word, instead]) => ({ line: index + 1, word, instead })),
  );
}

export function findRefusedSentences(text: string): RefusedWord[] {
  return text.split("\n").flatMap((content, index) =>
    REFUSED_SENTENCES.flatMap(({ pattern, instead }) => {
      const word = pattern.exec(content)?.[0];
      return word === undefined ? [] : [{ line: index + 1, word, instead }];
    }),
  );
}

/** A name within a longer name is another name. */
function holds(line: string, word: string): boolean {
  const at = line.indexOf(word);
  if (at === -1) return false;
  const isPart = (character: string | undefined) => /[\w$-]/.test(character ?? " ");
  return !isPart(line[at - 1]) && !isPart(line[at + word.length]);
}

if (import.meta.main) {
  const root = dirname(import.meta.dirname);
  const refuse = (sentence: string) => {
    console.log(sentence);
    process.exitCode = 1;
  };
  for (const path of (git("ls-files") ?? "").split("\n").filter(isLookedAt)) {
    const text = readFileSync(join(root, path), "utf8");
    for (const { line, word, instead } of findOldWords(text))
      refuse(`${path}:${line}: "${word}" is an old word: use "${instead}" (tools/old-words.ts)`);
    for (const { line, word, instead } of findRefusedSentences(text))
      refuse(`${path}:${line}: "${word}": ${instead} (tools/refused-sentences.ts)`);
  }
}
