import { readAgentSettings, type AgentSettings } from "../agents/index.ts";
import { findPair, knowledgeBasesOf, type FoundPair } from "../knowledge/index.ts";
import type { Database } from "../platform/index.ts";

export interface Answer {
  text: string;
  branch: "direct" | "fallback";
  componentName: string;
  /** The model called its tool for a person; without a model nobody does. */
  asksForPerson: boolean;
}

/** Answers questions to one agent, as it was set up when the turn began. */
export type Answerer = (question: string) => Promise<Answer>;

/** The name under which the agent itself speaks, beside its human service components. */
const COMPONENT_NAME = "Answer";

/** Below this a pair has less than half its terms in common with the question, and is no answer to it. */
const DIRECT_SCORE_MIN = 0.5;

const FALLBACK_TEXTS: Record<AgentSettings["language"], string> = {
  en: "I have no answer to that yet. Please try to ask in other words.",
  "zh-CN": "这个问题我暂时还没有答案，请换一种说法再试试。",
};

/** Undefined when the agent is gone. */
export async function openAnswering(db: Database, agentId: string): Promise<Answerer | undefined> {
  const [settings, knowledgeBaseIds] = await Promise.all([
    readAgentSettings(db, agentId),
    knowledgeBasesOf(db, agentId),
  ]);
  if (settings === undefined) return undefined;
  return async (question) => {
    const best = await bestPair(db, agentId, knowledgeBaseIds, question);
    const isAnswer = best !== undefined && best.score >= DIRECT_SCORE_MIN;
    return {
      text: isAnswer ? best.answer : (settings.fallbackText ?? FALLBACK_TEXTS[settings.language]),
      branch: isAnswer ? "direct" : "fallback",
      componentName: COMPONENT_NAME,
      asksForPerson: false,
    };
  };
}

async function bestPair(
  db: Database,
  agentId: string,
  knowledgeBaseIds: string[],
  question: string,
): Promise<FoundPair | undefined> {
  let best: FoundPair | undefined;
  for (const knowledgeBaseId of knowledgeBaseIds) {
    const found = await findPair(db, agentId, knowledgeBaseId, question);
    if (found !== undefined && (best === undefined || found.score > best.score)) best = found;
  }
  return best;
}
