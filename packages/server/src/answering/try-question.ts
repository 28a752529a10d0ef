import type { InputOf, TryQuestionReply } from "@signalbox/contract";
import { writePairId, type FoundPair } from "../knowledge/index.ts";
import { refuse, type Refusal } from "../platform/index.ts";
import { openKnowledge, type KnowledgeParts } from "./agent-knowledge.ts";
import { confidenceOf, isTie, offersOf, thresholdsOf } from "./decision.ts";

const SHOWN = 5;

/** What the agent would answer and why, by the very code it answers with. Nothing is recorded, and no chat model is asked. */
export async function tryQuestion(
  parts: KnowledgeParts,
  { agent_id, question, knowledge_base_id }: InputOf<"tryQuestion">,
): Promise<TryQuestionReply | Refusal> {
  const knowledge = await openKnowledge(parts, agent_id);
  if (knowledge === undefined) return refuse("notFound", "there is no such agent");
  const base = knowledge_base_id ?? undefined;
  if (base !== undefined && !knowledge.hasBases([base]))
    return refuse("badParameter", "knowledge_base_id is not a knowledge base of this agent");
  const { settings, models } = knowledge;
  const { pairs, searchedBy, decision } = await knowledge.find(question, {
    most: SHOWN,
    documentsIn: (id) => (base === undefined || id === base ? "all" : []),
  });
  const isAnswer = decision === "direct" || decision === "model";
  const offers = decision === "offer" ? offersOf(searchedBy, pairs) : [];
  return {
    decision,
    answer: isAnswer ? (pairs[0]?.answer ?? null) : null,
    has_chat_model: models.chat !== undefined,
    offers: offers.map((pair) => pair.question),
    searched_by: searchedBy,
    confidence: pairs.length === 0 ? null : confidenceOf(pairs),
    is_tie: isTie(pairs),
    thresholds: { ...thresholdsOf(settings, searchedBy), answer_score: settings.answerScore ?? null },
    pairs: pairs.map(describe),
  };
}

function describe(pair: FoundPair): TryQuestionReply["pairs"][number] {
  const { documentId, question, answer, score, unsupported, parts } = pair;
  return {
    pair_id: writePairId(pair),
    doc_id: documentId,
    question,
    answer,
    score,
    parts: { ...parts, semantic: parts.semantic ?? null },
    unsupported,
  };
}
