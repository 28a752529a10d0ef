import { normalized, type SmallTalkKind } from "@signalbox/contract";
import type { AgentSettings } from "../agents/index.ts";
import { simplified } from "../platform/index.ts";
import { SMALL_TALK_FILLERS, SMALL_TALK_PHRASES } from "./small-talk-phrases.ts";

/** Beyond this somebody says something. */
const CHARACTERS_MAX = 80;
const PHRASE_WORDS_MAX = 8;
const PHRASE_HAN_MAX = 12;
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;
const HAN = /\p{Script=Han}/u;
const NOT_WORDS = /[^\p{L}\p{N}\p{M}']+/gu;
/** A selector of an emoji's looks is a mark and no word. */
const WORD = /[\p{L}\p{N}]/u;
const FILLER = "filler";

type Meaning = SmallTalkKind | typeof FILLER;

const MEANINGS = new Map<string, Meaning>();
for (const filler of phrasesOf(SMALL_TALK_FILLERS)) MEANINGS.set(filler, FILLER);
/** In the order of what matters more when a message holds several: "hello, are you a robot?" asks who it is. */
const KINDS = Object.keys(SMALL_TALK_PHRASES) as (keyof typeof SMALL_TALK_PHRASES)[];
for (const kind of KINDS)
  for (const phrase of phrasesOf(SMALL_TALK_PHRASES[kind])) MEANINGS.set(phrase, kind);

function phrasesOf(list: string): string[] {
  return list.split(",").map((phrase) => plainWords(phrase).join(" "));
}

/** Words without punctuation; apostrophes go, because half of all people leave them out. */
function plainWords(text: string): string[] {
  const folded = simplified(normalized(text))
    .toLowerCase()
    .replaceAll(/[’‘`´]/g, "'")
    .replaceAll(NOT_WORDS, " ");
  return folded
    .replaceAll("you're", "you are")
    .replaceAll("'", "")
    .trim()
    .split(/\s+/)
    .filter((word) => WORD.test(word));
}

/** What kind of small talk a message is; undefined when it says anything else as well. */
export function readSmallTalk(text: string): SmallTalkKind | undefined {
  if (text.length > CHARACTERS_MAX) return undefined;
  const words = plainWords(text);
  if (words.length === 0) return EMOJI.test(text) ? "emoji" : undefined;
  const meanings = words.some((word) => HAN.test(word))
    ? readWhole([...words.join("")], "", PHRASE_HAN_MAX)
    : readWhole(words.map(withoutRepeats), " ", PHRASE_WORDS_MAX);
  return meanings === undefined ? undefined : KINDS.find((kind) => meanings.has(kind));
}

/** "heyyyy" and "thankssss" mean what they mean; no phrase has a letter three times in a row. */
function withoutRepeats(word: string): string {
  return word.replaceAll(/(.)\1{2,}/gu, "$1");
}

/** The meanings of all parts, the longest phrase first at each place; undefined where a part has none. */
function readWhole(parts: string[], separator: string, longest: number): Set<Meaning> | undefined {
  const meanings = new Set<Meaning>();
  for (let at = 0; at < parts.length;) {
    let size = Math.min(longest, parts.length - at);
    let meaning: Meaning | undefined;
    for (; size > 0; size -= 1) {
      meaning = MEANINGS.get(parts.slice(at, at + size).join(separator));
      if (meaning !== undefined) break;
    }
    if (meaning === undefined) return undefined;
    meanings.add(meaning);
    at += size;
  }
  return meanings;
}

const REPLIES: Record<AgentSettings["language"], Record<SmallTalkKind, string>> = {
  en: {
    greeting: "Hello! How can I help you?",
    how_are_you: "I'm doing well, thanks for asking! How can I help you?",
    thanks: "You're welcome! Is there anything else I can help you with?",
    apology: "No problem at all. How can I help you?",
    goodbye: "Goodbye! Come back any time you have a question.",
    identity: "I'm an automated assistant. Ask me a question and I'll do my best to answer it.",
    acknowledgement: "Got it. Let me know if there's anything else I can help with.",
    insult:
      "Sorry I haven't been able to help so far. Tell me in a few words what you need, and I'll try again.",
    emoji: "How can I help you?",
  },
  "zh-CN": {
    greeting: "您好！请问有什么可以帮您？",
    how_are_you: "我很好，谢谢关心！请问有什么可以帮您？",
    thanks: "不客气！请问还有其他可以帮您的吗？",
    apology: "没关系！请问有什么可以帮您？",
    goodbye: "再见！有问题随时来找我。",
    identity: "我是智能助手。请告诉我您的问题，我会尽力解答。",
    acknowledgement: "好的，如有其他问题，请随时告诉我。",
    insult: "很抱歉没能帮到您。请您简单说说需要什么，我再试一次。",
    emoji: "请问有什么可以帮您？",
  },
};

/** What the agent says to it; undefined where it is switched off. */
export function smallTalkReply(
  { language, smallTalk }: AgentSettings,
  kind: SmallTalkKind,
): string | undefined {
  if (smallTalk?.enabled === false) return undefined;
  return smallTalk?.replies?.[kind] ?? REPLIES[language][kind];
}
