// Writes packages/server/src/platform/simplified.generated.ts from OpenCC's tables as the npm package opencc-js has them:
// npm run write-simplified -- DIR, the directory of opencc-js 1.4.2
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

type Converter = (text: string) => string;

const OUT = new URL("../../packages/server/src/platform/simplified.generated.ts", import.meta.url);
const [FIRST, LAST] = [0x4e00, 0x9fff];

const [directory = "."] = process.argv.slice(2);
const { Converter } = (await import(join(resolve(directory), "dist/esm/t2cn.js"))) as {
  Converter: (options: { from: string; to: string }) => Converter;
};
const converters = ["t", "tw", "hk"].map((from) => Converter({ from, to: "cn" }));

/** Simplified Chinese writes these as well: what is written there must not become another word. */
const glosses = new URL("../../packages/server/glosses-zh/zh-en.glosses", import.meta.url);
const written = new Set(
  readFileSync(glosses, "utf8")
    .split("\n")
    .flatMap((line) => Array.from(line.split("\t")[0] ?? "")),
);

let traditional = "";
let simplified = "";
for (let point = FIRST; point <= LAST; point += 1) {
  const character = String.fromCodePoint(point);
  if (written.has(character)) continue;
  const other = converters.map((convert) => convert(character)).find((converted) => converted !== character);
  if (other === undefined || [...other].length !== 1 || other.length !== 1) continue;
  traditional += character;
  simplified += other;
}
writeFileSync(
  OUT,
  [
    "// Written by bench/eval/write-simplified.ts from the tables of OpenCC 1.4.2 (Apache-2.0): https://github.com/BYVoid/OpenCC",
    "/** Characters of Taiwan and Hong Kong, and in the same order those of mainland China. */",
    `export const TRADITIONAL = "${traditional}";`,
    `export const SIMPLIFIED = "${simplified}";`,
    "",
  ].join("\n"),
);
console.log(`${traditional.length} characters`);
