import { isLongerThan, type IncomingPair } from "../incoming-pair.ts";
import type { Chunk } from "../extract/chunks.ts";
import { isQuestion } from "../extract/question.ts";

const QUESTION_CHARACTERS_MAX = 1_000;
const FIRST_SENTENCE_CHARACTERS_MAX = 120;

/** Without a model nothing is invented: a title is the question as it stands, else the first sentence is. */
export function pairWithoutModel({ text, headingPath, page }: Chunk): IncomingPair {
  const source = {
    ...(headingPath.length === 0 ? {} : { path: headingPath }),
    ...(page === undefined ? {} : { page }),
  };
  const title = questionOfPath(headingPath);
  return title === undefined
    ? { question: firstSentence(text), answer: text, alternates: [], origin: "first_sentence", source }
    : { question: title, answer: text, alternates: [], origin: "heading", source };
}

function questionOfPath(path: string[]): string | undefined {
  const title = path.at(-1);
  if (title === undefined) return undefined;
  if (isQuestion(title)) return isLongerThan(title, QUESTION_CHARACTERS_MAX) ? undefined : title;
  for (let from = 0; from < path.length; from += 1) {
    const joined = path.slice(from).join(" › ");
    if (!isLongerThan(joined, QUESTION_CHARACTERS_MAX)) return joined;
  }
  return undefined;
}

function firstSentence(text: string): string {
  const line = text
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, FIRST_SENTENCE_CHARACTERS_MAX * 4);
  const end = /[.!?…](?=\s|$)|[。！？]/.exec(line);
  const sentence = end === null ? line : line.slice(0, end.index + end[0].length);
  const characters = [...sentence];
  if (characters.length <= FIRST_SENTENCE_CHARACTERS_MAX) return sentence;
  const cut = characters.slice(0, FIRST_SENTENCE_CHARACTERS_MAX).join("");
  const blank = cut.lastIndexOf(" ");
  return blank > FIRST_SENTENCE_CHARACTERS_MAX / 2 ? cut.slice(0, blank) : cut;
}
