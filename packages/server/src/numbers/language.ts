import type { NUMBERS_LANGUAGES } from "@signalbox/contract";
import { languageOf } from "../knowledge/index.ts";

type NumbersLanguage = (typeof NUMBERS_LANGUAGES)[number];

/** Scripts that tell the language, or the likeliest one. Any kana makes a text Japanese, so it comes before Han. */
const SCRIPTS: readonly [NumbersLanguage, RegExp][] = [
  ["ja", /[\p{Script=Hiragana}\p{Script=Katakana}]/u],
  ["zh", /\p{Script=Han}/u],
  ["ko", /\p{Script=Hangul}/u],
  ["ar", /\p{Script=Arabic}/u],
  ["th", /\p{Script=Thai}/u],
  ["he", /\p{Script=Hebrew}/u],
  ["el", /\p{Script=Greek}/u],
  ["hi", /\p{Script=Devanagari}/u],
  ["ru", /\p{Script=Cyrillic}/u],
];

/** The language of the first of a user's messages that tells; the agent's where none does. */
export function conversationLanguage(messages: readonly string[], agentLanguage: string): NumbersLanguage {
  for (const text of messages) {
    const language = SCRIPTS.find(([, letters]) => letters.test(text))?.[0] ?? languageOf(text);
    if (language !== undefined) return language;
  }
  return agentLanguage === "zh-CN" ? "zh" : "en";
}
