import { existsSync, readFileSync } from "node:fs";
import { simplified } from "../../platform/index.ts";

/** English words for Chinese ones: no translation, but enough for an encoder of English to say what a text is about. */
export interface Glosses {
  /** By the text's first words that say something, as many as are asked for. */
  english(text: string, wordsMax: number): string;
}

const FILE = new URL("../../../glosses-zh/zh-en.glosses", import.meta.url);
/** A longer word has no gloss of its own. */
const WORD_CHARACTERS_MAX = 6;
/** Between two ways to cut a text, the one with fewer single characters is more often meant. */
const SINGLE_CHARACTER_COST = 1.3;
const LATIN_WORD = /^[a-z0-9.]+/;
const LETTER = /[\p{L}\p{N}]/u;
const TAB = 9;
const NEWLINE = 10;

/** What questions are made of whatever they are about. */
const SAY_NOTHING = new Set(
  `的 了 吗 呢 我 你 您 是 在 有 和 就 都 也 啊 吧 把 被 个 这 那 会 很 还 又 再 说 得 地 着 过 么 们 一 上 下 里 为 与 及 或 等 之 其 于 以
  我们 你们 怎么 什么 请问 可以 如何 多少 怎样 一个 这个 那个 一下 现在 需要 能不能 是不是 为什么 怎么办 哪里 如果 我的`
    .trim()
    .split(/\s+/),
);

/** Undefined where the data is not there: it is licensed apart, and may be left out. */
export function openGlosses(): Glosses | undefined {
  return existsSync(FILE) ? createGlosses(readFileSync(FILE)) : undefined;
}

/** Lines of a word, a tab and its glosses, in the order of their bytes: looked up as they are, because a Map of them all is large. */
export function createGlosses(lines: Buffer): Glosses {
  function glossOf(word: string): string | undefined {
    const sought = Buffer.from(word);
    let [low, high] = [0, lines.length];
    while (low < high) {
      const start = lines.lastIndexOf(NEWLINE, Math.max(0, ((low + high) >> 1) - 1)) + 1;
      const from = Math.max(low, start);
      const tab = lines.indexOf(TAB, from);
      const end = lines.indexOf(NEWLINE, from);
      const order = lines.compare(sought, 0, sought.length, from, tab);
      if (order === 0) return lines.toString("utf8", tab + 1, end);
      if (order < 0) low = end + 1;
      else high = from;
    }
    return undefined;
  }

  /** The fewest words that make up the text. */
  function wordsOf(text: string): string[] {
    const characters = [...simplified(text.toLowerCase())];
    const costs = new Float64Array(characters.length + 1).fill(Infinity);
    const begins = new Uint32Array(characters.length + 1);
    costs[0] = 0;
    const reach = (from: number, to: number, cost: number) => {
      if (costs[from]! + cost >= costs[to]!) return;
      costs[to] = costs[from]! + cost;
      begins[to] = from;
    };
    for (let from = 0; from < characters.length; from += 1) {
      const ahead = characters.slice(from, from + WORD_CHARACTERS_MAX).join("");
      const [latin] = LATIN_WORD.exec(characters.slice(from, from + WORD_CHARACTERS_MAX * 4).join("")) ?? [];
      if (latin !== undefined) reach(from, from + latin.length, 1);
      reach(from, from + 1, SINGLE_CHARACTER_COST);
      if (!LETTER.test(characters[from]!)) continue;
      for (let length = 2; length <= [...ahead].length; length += 1) {
        const word = characters.slice(from, from + length).join("");
        if (SAY_NOTHING.has(word) || glossOf(word) !== undefined) reach(from, from + length, 1);
      }
    }
    const words: string[] = [];
    for (let end = characters.length; end > 0; end = begins[end]!)
      words.push(characters.slice(begins[end], end).join(""));
    return words.toReversed();
  }

  return {
    english: (text, wordsMax) =>
      wordsOf(text)
        .filter((word) => LETTER.test(word) && !SAY_NOTHING.has(word))
        .slice(0, wordsMax)
        .map((word) => glossOf(word) ?? (LATIN_WORD.test(word) ? word : ""))
        .filter((gloss) => gloss !== "")
        .join(" "),
  };
}
