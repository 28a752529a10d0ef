import { normalized, TAG_MAX_CHARACTERS, TAGS_MAX } from "@signalbox/contract";
import type { IntakeLimits } from "./limits.ts";

export interface IncomingPair {
  question: string;
  answer: string;
  alternates: string[];
  /** Undefined where the file says nothing of tags: then a pair keeps those it has. */
  tags?: string[];
  /** How the pair came to be: as written in a row or a FAQ, or made from headings, a first sentence, or by a model. */
  origin: "row" | "faq" | "heading" | "first_sentence" | "model";
  source?: { page?: number; path?: string[]; line?: number };
}

const BETWEEN_WORDS = /[^\p{L}\p{N}\p{M}+#]+/gu;

/**
 * Two questions with one key are the same question. Marks count, or words of Hindi and Thai would fall together, and so
 * do + and #, which set C++ and C# apart.
 */
export function questionKey(question: string): string {
  const folded = normalized(question).toLowerCase();
  const key = folded.replace(BETWEEN_WORDS, " ").trim();
  return key === "" ? folded.trim() : key;
}

export function isLongerThan(text: string, charactersMax: number): boolean {
  if (text.length <= charactersMax) return false;
  if (text.length > charactersMax * 2) return true;
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters > charactersMax;
}

type PairLimits = Pick<IntakeLimits, "questionCharactersMax" | "answerCharactersMax" | "alternatesMax">;

export interface PairFault {
  cause:
    | "no_question"
    | "no_answer"
    | "question_too_long"
    | "answer_too_long"
    | "alternate_too_long"
    | "too_many_alternates"
    | "tag_too_long"
    | "too_many_tags";
  detail: string;
}

/** Why these cannot be a pair, or undefined when they can. All of them are trimmed already. */
export function pairFault(
  {
    question,
    answer,
    alternates,
    tags = [],
  }: Pick<IncomingPair, "question" | "answer" | "alternates" | "tags">,
  limits: PairLimits,
): PairFault | undefined {
  if (question === "") return { cause: "no_question", detail: "the question is missing" };
  if (answer === "") return { cause: "no_answer", detail: "the answer is missing" };
  if (isLongerThan(question, limits.questionCharactersMax))
    return tooLong("question_too_long", "question", limits.questionCharactersMax);
  if (isLongerThan(answer, limits.answerCharactersMax))
    return tooLong("answer_too_long", "answer", limits.answerCharactersMax);
  if (alternates.length > limits.alternatesMax)
    return {
      cause: "too_many_alternates",
      detail: `the pair has ${alternates.length} alternates, and at most ${limits.alternatesMax} are accepted`,
    };
  if (alternates.some((alternate) => isLongerThan(alternate, limits.questionCharactersMax)))
    return tooLong("alternate_too_long", "alternate", limits.questionCharactersMax);
  if (tags.length > TAGS_MAX)
    return {
      cause: "too_many_tags",
      detail: `the pair has ${tags.length} tags, and at most ${TAGS_MAX} are accepted`,
    };
  if (tags.some((tag) => isLongerThan(tag, TAG_MAX_CHARACTERS)))
    return tooLong("tag_too_long", "tag", TAG_MAX_CHARACTERS);
  return undefined;
}

function tooLong(cause: PairFault["cause"], what: string, charactersMax: number): PairFault {
  return { cause, detail: `the ${what} is longer than ${charactersMax} characters` };
}
