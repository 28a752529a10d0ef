import type { InputOf, MatchReply } from "@signalbox/contract";
import type { FoundPair } from "../knowledge/index.ts";
import { refuse, type AgentCaller, type Refusal } from "../platform/index.ts";
import { openKnowledge, type KnowledgeParts } from "./agent-knowledge.ts";
import { branchOf, type Thresholds } from "./thresholds.ts";

const TOP_K_DEFAULT = 5;

/** The retrieval test: what the agent would find, by the very code it finds it with. */
export async function matchKnowledge(
  parts: KnowledgeParts,
  { agentId }: AgentCaller,
  {
    prompt,
    top_k,
    embedding_rate,
    group_ids,
    data_ids,
    doc_correlation,
    score_parts,
  }: InputOf<"matchKnowledge">,
): Promise<MatchReply | Refusal> {
  const knowledge = await openKnowledge(parts, agentId);
  if (knowledge === undefined) return refuse("agentDeleted");
  if (!knowledge.hasBases(group_ids ?? []))
    return refuse("badParameter", "group_ids names a knowledge base this agent does not have");
  const question = await knowledge.read(prompt, embedding_rate ?? undefined);
  const found = await knowledge.find(question, {
    most: top_k ?? TOP_K_DEFAULT,
    knowledgeBaseIds: group_ids ?? undefined,
    documentIds: data_ids ?? undefined,
  });
  const shown = found.filter(({ score }) => score >= (doc_correlation ?? 0));
  return {
    total: shown.length,
    list: shown.map((pair) => describe(pair, question.thresholds, score_parts ?? false)),
  };
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
