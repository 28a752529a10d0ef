import { normalized, type HandoffSettings } from "@signalbox/contract";
import { simplified } from "../../platform/index.ts";
import { isEnglishQuestion, type PersonRequest, readEnglish } from "./person-request-en.ts";
import { isChineseQuestion, readChinese } from "./person-request-zh.ts";

/** A longer message is a question, and a person in it is somebody else. */
const CHARACTERS_MAX = 1_000;
const SENTENCE_END = /[.!?;,\n。！？；，、：]+/;

/** Both languages are always understood; a list of the agent's own stands in place of the rules for its language. */
export function readPersonRequest(
  text: string,
  { phrases: { en, "zh-CN": zh } }: Pick<HandoffSettings, "phrases">,
): PersonRequest | undefined {
  if (text.length > CHARACTERS_MAX) return undefined;
  const said = normalise(text);
  const sentences = said.split(SENTENCE_END);
  const found = [
    ...(en === undefined ? sentences.map(readEnglish) : [readOwnPhrases(said, en)]),
    ...(zh === undefined
      ? sentences.map((sentence) => readChinese(sentence.replaceAll(" ", "")))
      : [readOwnPhrases(said, zh)]),
  ];
  return found.find((request) => request === "asks") ?? found.find((request) => request === "may_ask");
}

function normalise(text: string): string {
  return simplified(normalized(text))
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(/[^\S\n]+/g, " ")
    .trim();
}

function readOwnPhrases(said: string, phrases: readonly string[]): PersonRequest | undefined {
  if (!phrases.some((phrase) => contains(said, normalise(phrase)))) return undefined;
  return isEnglishQuestion(said) || isChineseQuestion(said) ? "may_ask" : "asks";
}

const NEGATIONS_EN = /\b(?:not|don't|dont|never|no need|without)\b[^.!?]{0,24}$/;
const NEGATIONS_ZH = /(?:不要|不用|不想|不需要|无需|别)[^。！？]{0,4}$/;

function contains(said: string, phrase: string): boolean {
  for (let at = said.indexOf(phrase); at !== -1; at = said.indexOf(phrase, at + 1)) {
    const before = said.slice(0, at);
    const isWhole =
      isBoundary(before.at(-1), phrase[0]) && isBoundary(said[at + phrase.length], phrase.at(-1));
    if (isWhole && !NEGATIONS_EN.test(before) && !NEGATIONS_ZH.test(before)) return true;
  }
  return false;
}

const LETTER = /[\p{Script=Latin}\p{N}]/u;

/** Words end where letters do; Chinese is written without spaces, and has no such edge. */
function isBoundary(outside: string | undefined, inside: string | undefined): boolean {
  return !(LETTER.test(outside ?? " ") && LETTER.test(inside ?? " "));
}
