import type { InputOf, MatchReply } from "@signalbox/contract";
import type { FoundPair } from "../knowledge/index.ts";
import { once, recall, Refusal, refuse, type AgentCaller, type AgentDatabase } from "../platform/index.ts";
import { openKnowledge, type KnowledgeParts } from "./agent-knowledge.ts";
import { decide } from "./decision.ts";

const TOP_K_DEFAULT = 5;

export interface MatchParts extends KnowledgeParts {
  agents: AgentDatabase;
}

/** The retrieval test. It changes nothing, and an Idempotency-Key is honoured all the same, as on every POST. */
export async function matchKnowledge(
  parts: MatchParts,
  { agentId, idempotency }: AgentCaller,
  input: InputOf<"matchKnowledge">,
): Promise<MatchReply | Refusal> {
  const { agents, sealer } = parts;
  const scope = { agentId, idempotency };
  if (idempotency === undefined) return match(parts, agentId, input);
  const earlier = await agents.asAgent(agentId, (db) => recall<MatchReply>(db, sealer, scope));
  if (earlier !== undefined) return earlier;
  const reply = await match(parts, agentId, input);
  if (reply instanceof Refusal) return reply;
  return agents.asAgent(agentId, (db) => once(db, sealer, scope, async () => reply));
}

/** What the agent would find, by the very code it finds it with. */
async function match(
  parts: KnowledgeParts,
  agentId: string,
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
    return refuse(
      "badParameter",
      "group_ids contains an unknown knowledge base; list them with GET /v1/bot/knowledge/base/page",
    );
  const { settings } = knowledge;
  const { pairs, searchedBy } = await knowledge.find(prompt, {
    most: top_k ?? TOP_K_DEFAULT,
    embeddingRate: embedding_rate ?? undefined,
    documentsIn: (id) => (group_ids?.includes(id) === false ? [] : (data_ids ?? "all")),
  });
  const shown = pairs.filter(({ score }) => score >= (doc_correlation ?? 0));
  return {
    total: shown.length,
    list: shown.map((pair, at) => ({
      ...describe(pair, score_parts ?? false),
      would: decide(settings, searchedBy, shown.slice(at)),
    })),
  };
}

function describe(pair: FoundPair, withParts: boolean): Omit<MatchReply["list"][number], "would"> {
  const { parts } = pair;
  return {
    content: `${pair.question}\n${pair.answer}`,
    data_id: pair.documentId,
    score: pair.score,
    question: pair.question,
    answer: pair.answer,
    knowledge_base_id: pair.knowledgeBaseId,
    revision: pair.revision,
    ...(withParts ? { parts: { ...parts, semantic: parts.semantic ?? null } } : {}),
  };
}
