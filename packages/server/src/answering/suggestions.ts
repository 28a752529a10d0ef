import { normalized } from "@signalbox/contract";
import type { AgentSettings } from "../agents/index.ts";

const INTRODUCTIONS: Record<AgentSettings["language"], string> = {
  en: "I'm not sure I understood. Did you mean one of these? Choose one, or reply with its number.",
  "zh-CN": "我不太确定您的意思。请问您想咨询的是下面哪个问题？请选择一个，或回复序号。",
};
/** A number alone, as people type it, without its blanks: "2", "2.", "#2", "option two", "the second one", "第二个". */
const CHOICE =
  /^(?:the|number|option|question|选|我选)?(?:第)?[#(]?([123一二三两]|one|two|three|first|second|third|1st|2nd|3rd)(?:one|option|question|个问题|個|个|条|條|号|號|项|項)?[.)、。!！]?$/;
const CHOICE_CHARACTERS_MAX = 20;
const NUMBERS: Readonly<Record<string, number>> = Object.fromEntries(
  ["一 one first 1st", "二 两 two second 2nd", "三 three third 3rd"].flatMap((words, at) =>
    words.split(" ").map((word) => [word, at + 1]),
  ),
);

/** As text, for channels that show nothing else. */
export function suggestionsText({ language }: AgentSettings, questions: string[]): string {
  return [INTRODUCTIONS[language], ...questions.map((question, at) => `${at + 1}. ${question}`)].join("\n");
}

/** Whether a message could be a choice: only then the last offer is read. */
export function mayChoose(text: string): boolean {
  return chosenNumber(text) !== undefined;
}

/** The question that a reply to an offer chooses by its number; undefined when it says something else. */
export function chosenQuestion(text: string, offered: readonly string[]): string | undefined {
  const number = chosenNumber(text);
  return number === undefined ? undefined : offered[number - 1];
}

function chosenNumber(text: string): number | undefined {
  if (text.length > CHOICE_CHARACTERS_MAX) return undefined;
  const number = CHOICE.exec(normalized(text).toLowerCase().replaceAll(/\s/g, ""))?.[1];
  return number === undefined ? undefined : (NUMBERS[number] ?? Number(number));
}
