import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

export const IN_SCOPE_KINDS = ["paraphrase", "typo", "short", "long"] as const;
export type QuestionKind = (typeof IN_SCOPE_KINDS)[number] | "out_of_scope" | "small_talk";

/** A FAQ as a small company writes it, and questions as its customers type them. */
export interface ParaphraseSet {
  name: string;
  language: "en" | "zh-CN";
  pairs: { question: string; answer: string }[];
  questions: ParaphraseQuestion[];
}

export interface ParaphraseQuestion {
  text: string;
  /** The place of the right pair; null: no pair answers it. */
  expects: number | null;
  kind: QuestionKind;
}

export async function readParaphraseSets(directory: string): Promise<ParaphraseSet[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".json")).toSorted();
  if (names.length === 0) throw new Error(`${directory} holds no paraphrase sets (*.json)`);
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(join(directory, name), "utf8")) as ParaphraseSet),
  );
}

/** `right` and `wrong` are answers of pairs; an offer with the right question in it is `offered`, any other `offered_other`. */
export type Verdict = "right" | "wrong" | "offered" | "offered_other" | "handled" | "unanswered";

export interface ServiceReply {
  text: string;
  branch: string;
  suggestions: string[];
}

export function judge(
  { pairs }: ParaphraseSet,
  { expects }: ParaphraseQuestion,
  { text, branch, suggestions }: ServiceReply,
): Verdict {
  const right = expects === null ? undefined : pairs[expects];
  if (right !== undefined && text === right.answer) return "right";
  if (pairs.some(({ answer }) => answer === text)) return "wrong";
  if (suggestions.length > 0)
    return right !== undefined && suggestions.includes(right.question) ? "offered" : "offered_other";
  return branch === "fallback" ? "unanswered" : "handled";
}
