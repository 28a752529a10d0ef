import type { AgentDecision, SavedQuestionResult } from "@signalbox/contract";
import { questionKey, type FoundPair } from "../../knowledge/index.ts";
import { openKnowledge, type KnowledgeParts } from "../agent-knowledge.ts";

/** What somebody expects of a question. */
export interface QuestionToCheck {
  id: string;
  question: string;
  /** Undefined: the agent should not answer. */
  expected: { question: string; answer: string } | undefined;
}

/** As `tryQuestion` looks: a tie needs the second, a choice the third. */
const LOOKED_AT = 5;

/** Asks each question by the very code the agent answers with. Ends early, with fewer results, when it is called off. */
export async function checkQuestions(
  parts: KnowledgeParts,
  agentId: string,
  questions: QuestionToCheck[],
  before: ReadonlyMap<string, boolean>,
  signal?: AbortSignal,
): Promise<SavedQuestionResult[]> {
  const knowledge = await openKnowledge(parts, agentId);
  const results: SavedQuestionResult[] = [];
  if (knowledge === undefined) return results;
  for (const { id, question, expected } of questions) {
    if (signal?.aborted === true) break;
    const { pairs, decision } = await knowledge.find(question, { most: LOOKED_AT });
    const [best] = pairs;
    const passed = isExpected(expected, decision, best);
    results.push({
      saved_question_id: id,
      question,
      expected: expected ?? null,
      passed,
      change: changeOf(before.get(id), passed),
      decision,
      closest: best === undefined ? null : { question: best.question, answer: best.answer },
      score: best?.score ?? null,
    });
  }
  return results;
}

/** A new import may reword the question or the answer of a pair, but hardly both. */
function isExpected(
  expected: QuestionToCheck["expected"],
  decision: AgentDecision,
  best: FoundPair | undefined,
): boolean {
  const isAnswered = decision === "direct" || decision === "model";
  if (expected === undefined) return !isAnswered;
  if (!isAnswered || best === undefined) return false;
  return (
    questionKey(best.question) === questionKey(expected.question) ||
    best.answer.trim() === expected.answer.trim()
  );
}

function changeOf(before: boolean | undefined, passed: boolean): SavedQuestionResult["change"] {
  if (before === undefined) return "new";
  if (before === passed) return "same";
  return passed ? "better" : "worse";
}
