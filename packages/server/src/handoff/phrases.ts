import type { HandoffSettings, Language } from "@signalbox/contract";

/** What users say who want a person, unless the agent has a list of its own. */
const OWN_PHRASES: Readonly<Record<Language, readonly string[]>> = {
  en: [
    "talk to a human",
    "talk to a person",
    "talk to someone",
    "talk to an agent",
    "speak to a human",
    "speak to a person",
    "speak to someone",
    "speak to an agent",
    "speak with a human",
    "speak with a person",
    "chat with a human",
    "human please",
    "a real person",
    "a real human",
    "a human being",
    "human agent",
    "live agent",
    "customer service representative",
    "connect me to a person",
    "transfer me to a person",
  ],
  "zh-CN": [
    "转人工",
    "人工客服",
    "人工服务",
    "真人客服",
    "找人工",
    "接人工",
    "要人工",
    "找真人",
    "和真人说话",
    "联系客服",
  ],
};

const NEGATIONS_EN = /\b(not|don't|dont|never|no need|without)\b[^.!?]{0,24}$/;
const NEGATIONS_ZH = /(不要|不用|不想|不需要|无需|别)[^。！？]{0,4}$/;
/** Who writes this much has a question, and a phrase in it is about something else. */
const WORDS_MAX_CHARACTERS = 300;

/** Whether the user asks for a person in so many words. */
export function asksForPerson(text: string, { phrases }: Pick<HandoffSettings, "phrases">): boolean {
  const said = normalise(text);
  if (said.length > WORDS_MAX_CHARACTERS) return false;
  return (["en", "zh-CN"] as const).some((language) =>
    (phrases[language] ?? OWN_PHRASES[language]).some((phrase) => contains(said, normalise(phrase))),
  );
}

function normalise(text: string): string {
  return text.normalize("NFKC").toLowerCase().replaceAll("’", "'").replaceAll(/\s+/g, " ").trim();
}

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
