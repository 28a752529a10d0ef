import type { AgentSettings } from "../agents/index.ts";

/** Scores that decide what becomes of a question. */
export interface Thresholds {
  /** From here on the pair's answer is given word for word. */
  direct: number;
  /** Below this nothing found is an answer. */
  answer: number;
}

// Near what one half of the evaluation sets asks for and the other half bears out: docs/knowledge.md has table and command.
const BY_WORDS: Thresholds = { direct: 0.85, answer: 0.35 };
const WITH_VECTORS: Thresholds = { direct: 0.75, answer: 0.35 };

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
