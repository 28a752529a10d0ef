import type { InputOf, MatchReply } from "@signalbox/contract";
import { readAgentSettings } from "../agents/index.ts";
import { findPairs, readBases, type FoundPair, type StatisticsCache } from "../knowledge/index.ts";
import { refuse, type AgentCaller, type AgentDatabase, type Refusal } from "../platform/index.ts";
import { branchOf, thresholdsOf, type Thresholds } from "./thresholds.ts";

export interface MatchParts {
  agents: AgentDatabase;
  statistics: StatisticsCache;
}

const TOP_K_DEFAULT = 5;

/** The retrieval test: what the agent would find, by the very code it finds it with. */
export function matchKnowledge(
  { agents, statistics }: MatchParts,
  { agentId }: AgentCaller,
  { prompt, top_k, group_ids, data_ids, doc_correlation, score_parts }: InputOf<"matchKnowledge">,
): Promise<MatchReply | Refusal> {
  return agents.asAgent(agentId, async (db) => {
    const [settings, bases] = await Promise.all([
      readAgentSettings(db, agentId),
      readBases(db, agentId, group_ids ?? undefined),
    ]);
    if (settings === undefined) return refuse("agentDeleted");
    if (group_ids && bases.length < new Set(group_ids).size)
      return refuse("badParameter", "group_ids names a knowledge base this agent does not have");
    const thresholds = thresholdsOf(settings, { withVectors: false });
    const found = await findPairs(db, statistics, {
      agentId,
      bases,
      asked: prompt,
      documentIds: data_ids ?? undefined,
      most: top_k ?? TOP_K_DEFAULT,
    });
    const shown = found.filter(({ score }) => score >= (doc_correlation ?? 0));
    return {
      total: shown.length,
      list: shown.map((pair) => describe(pair, thresholds, score_parts ?? false)),
    };
  });
}

function describe(pair: FoundPair, thresholds: Thresholds, withParts: boolean): MatchReply["list"][number] {
  const { parts } = pair;
  return {
    content: `${pair.question}\n${pair.answer}`,
    data_id: pair.documentId,
    score: pair.score,
    question: pair.question,
    answer: pair.answer,
    knowledge_base_id: pair.knowledgeBaseId,
    revision: pair.revision,
    would: branchOf(pair.score, thresholds),
    ...(withParts ? { parts: { ...parts, semantic: parts.semantic ?? null } } : {}),
  };
}
