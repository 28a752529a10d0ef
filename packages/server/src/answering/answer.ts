import { zeroUsage, type Usage } from "@signalbox/contract";
import { readAgentSettings, type AgentSettings } from "../agents/index.ts";
import { findPairs, readBases, type FoundPair, type StatisticsCache } from "../knowledge/index.ts";
import type { Database } from "../platform/index.ts";
import { branchOf, thresholdsOf } from "./thresholds.ts";
import { recordUnanswered } from "./unanswered-questions.ts";

export interface Answer {
  text: string;
  branch: "direct" | "model" | "fallback";
  componentName: string;
  usage: Usage;
}

/** Answers questions to one agent, as it was set up when the turn began. */
export type Answerer = (question: string) => Promise<Answer>;

/** Undefined when the agent is gone. */
export type OpenAnswering = (db: Database, agentId: string) => Promise<Answerer | undefined>;

export interface AnsweringParts {
  statistics: StatisticsCache;
}

/** The name under which the agent itself speaks, beside its human service components. */
const COMPONENT_NAME = "Answer";

const FALLBACK_TEXTS: Record<AgentSettings["language"], string> = {
  en: "I have no answer to that yet. Please try to ask in other words.",
  "zh-CN": "这个问题我暂时还没有答案，请换一种说法再试试。",
};

const PAIRS_CONSIDERED = 5;

export function createAnswering({ statistics }: AnsweringParts): OpenAnswering {
  return async (db, agentId) => {
    const [settings, bases] = await Promise.all([readAgentSettings(db, agentId), readBases(db, agentId)]);
    if (settings === undefined) return undefined;
    const thresholds = thresholdsOf(settings, { withVectors: false });
    return async (question) => {
      const found = await findPairs(db, statistics, {
        agentId,
        bases,
        asked: question,
        most: PAIRS_CONSIDERED,
      });
      const [best] = found;
      if (best !== undefined && branchOf(best.score, thresholds) !== "fallback") return directly(best);
      await recordUnanswered(db, agentId, question, best);
      return fallback(settings);
    };
  };
}

function directly({ answer }: FoundPair): Answer {
  return { text: answer, branch: "direct", componentName: COMPONENT_NAME, usage: zeroUsage() };
}

function fallback({ fallbackText, language }: AgentSettings): Answer {
  return {
    text: fallbackText ?? FALLBACK_TEXTS[language],
    branch: "fallback",
    componentName: COMPONENT_NAME,
    usage: zeroUsage(),
  };
}
