import type { AgentSettings } from "../agents/index.ts";

/** Scores that decide what becomes of a question. */
export interface Thresholds {
  /** From here on the pair's answer is given word for word. */
  direct: number;
  /** Below this nothing found is an answer. */
  answer: number;
}

// Tuned on one half of the evaluation sets and reported on the other: docs/knowledge.md has the table and the command.
const BY_WORDS: Thresholds = { direct: 0.85, answer: 0.35 };
const WITH_VECTORS: Thresholds = { direct: 0.85, answer: 0.42 };

export function thresholdsOf(
  { directScore, answerScore }: AgentSettings,
  { withVectors }: { withVectors: boolean },
): Thresholds {
  const own = withVectors ? WITH_VECTORS : BY_WORDS;
  const answer = answerScore ?? own.answer;
  return { answer, direct: Math.max(answer, directScore ?? own.direct) };
}

/** What a pair with this score is good for. */
export function branchOf(score: number, { direct, answer }: Thresholds): "direct" | "model" | "fallback" {
  if (score >= direct) return "direct";
  return score >= answer ? "model" : "fallback";
}
