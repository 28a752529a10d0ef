import type { Answer } from "../answering/index.ts";
import type { TurnOutcome } from "../platform/index.ts";

/** Questions in a row without an answer; small talk is no question, and an offer has helped. */
export function noAnswersAfter(before: number, { outcome }: Pick<Answer, "outcome">): number {
  if (outcome === "small_talk") return before;
  return outcome === "unanswered" ? before + 1 : 0;
}

/** As metrics count turns. */
export function turnOutcome({ outcome, branch }: Pick<Answer, "outcome" | "branch">): TurnOutcome {
  return outcome === "offered" || outcome === "small_talk" ? outcome : branch;
}

/** Under which branch a reply is stored, so that it can be counted. */
export function storedBranch({ outcome, branch }: Pick<Answer, "outcome" | "branch">) {
  return outcome === "small_talk" ? outcome : branch;
}

/** Whether what may ask for a person was answered after all: by a model, or by a pair that asks the very thing. */
export function settlesRequest({ branch, isExact }: Pick<Answer, "branch" | "isExact">): boolean {
  return branch === "model" || isExact;
}
