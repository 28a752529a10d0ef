import { readAgentSettings, type AgentSettings } from "../agents/index.ts";
import { findPair, knowledgeBasesOf, type FoundPair } from "../knowledge/index.ts";
import type { Database } from "../platform/index.ts";

export interface Answer {
  text: string;
  branch: "direct" | "fallback";
  componentName: string;
}

/** The name under which the agent itself speaks, beside its human service components. */
const COMPONENT_NAME = "Answer";

/** Below this a pair has less than half its terms in common with the question, and is no answer to it. */
const DIRECT_SCORE_MIN = 0.5;

const FALLBACK_TEXTS: Record<AgentSettings["language"], string> = {
  en: "I have no answer to that yet. Please try to ask in other words.",
  "zh-CN": "这个问题我暂时还没有答案，请换一种说法再试试。",
};

/** What the agent says to a question; undefined when the agent is gone. */
export async function answerQuestion(
  db: Database,
  agentId: string,
  question: string,
): Promise<Answer | undefined> {
  const settings = await readAgentSettings(db, agentId);
  if (settings === undefined) return undefined;
  let best: FoundPair | undefined;
  for (const knowledgeBaseId of await knowledgeBasesOf(db, agentId)) {
    const found = await findPair(db, agentId, knowledgeBaseId, question);
    if (found !== undefined && (best === undefined || found.score > best.score)) best = found;
  }
  if (best !== undefined && best.score >= DIRECT_SCORE_MIN) {
    return { text: best.answer, branch: "direct", componentName: COMPONENT_NAME };
  }
  return {
    text: settings.fallbackText ?? FALLBACK_TEXTS[settings.language],
    branch: "fallback",
    componentName: COMPONENT_NAME,
  };
}
