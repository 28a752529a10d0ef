import type { InputOf, TryQuestionReply } from "@signalbox/contract";
import { writePairId, type FoundPair } from "../knowledge/index.ts";
import { refuse, type Refusal } from "../platform/index.ts";
import { openKnowledge, type AgentKnowledge, type Choice, type KnowledgeParts } from "./agent-knowledge.ts";
import { draftOnce } from "./answer.ts";
import { confidenceOf, isLikelihood, isTie, offersOf, thresholdsOf } from "./decision.ts";

const SHOWN = 5;

export interface TryParts extends KnowledgeParts {
  /** Undefined when the agent has nobody to hand over to. */
  openHandoff: (
    agentId: string,
  ) => Promise<((text: string, isAnswered: boolean | undefined) => boolean) | undefined>;
}

/** What a user would get and why, by the very code that answers users. Nothing is recorded, and no chat model is asked. */
export async function tryQuestion(
  parts: TryParts,
  { agent_id, question, knowledge_base_id }: InputOf<"tryQuestion">,
): Promise<TryQuestionReply | Refusal> {
  const knowledge = await openKnowledge(parts, agent_id);
  if (knowledge === undefined) return noAgent();
  const base = knowledge_base_id ?? undefined;
  if (base !== undefined && !knowledge.hasBases([base]))
    return refuse("badParameter", "knowledge_base_id is not a knowledge base of this agent");
  const { settings, models } = knowledge;
  const documentsIn: Choice["documentsIn"] = (id) => (base === undefined || id === base ? "all" : []);
  const find: AgentKnowledge["find"] = (asked, choice) => knowledge.find(asked, { ...choice, documentsIn });
  const { pairs, searchedBy, decision } = await find(question, { most: SHOWN });
  const isAnswer = decision === "direct" || decision === "model";
  const offers = decision === "offer" ? offersOf(searchedBy, pairs) : [];
  return {
    reply: await replyTo(parts, { ...knowledge, find }, question),
    decision,
    answer: isAnswer ? (pairs[0]?.answer ?? null) : null,
    has_chat_model: models.chat !== undefined,
    offers: offers.map((pair) => pair.question),
    searched_by: isLikelihood(searchedBy) ? "meaning" : searchedBy,
    confidence: pairs.length === 0 ? null : confidenceOf(searchedBy, pairs),
    is_tie: isTie(searchedBy, pairs),
    thresholds: { ...thresholdsOf(settings, searchedBy), answer_score: settings.answerScore ?? null },
    pairs: pairs.map(describe),
  };
}

/** The pairs nearest to a question, best first, whatever the agent would say. */
export async function nearestPairs(
  parts: KnowledgeParts,
  agentId: string,
  question: string,
): Promise<TryQuestionReply["pairs"] | Refusal> {
  const knowledge = await openKnowledge(parts, agentId);
  if (knowledge === undefined) return noAgent();
  const { pairs } = await knowledge.find(question, { most: SHOWN });
  return pairs.map(describe);
}

const noAgent = () => refuse("notFound", "there is no such agent");

/** As the first message of a conversation. */
async function replyTo(
  parts: TryParts,
  knowledge: AgentKnowledge,
  question: string,
): Promise<TryQuestionReply["reply"]> {
  const handsOver = await parts.openHandoff(knowledge.agentId);
  const toPerson = { outcome: "handed_over", text: null } as const;
  if (handsOver?.(question, undefined) === true) return toPerson;
  const withoutModels = { ...knowledge, models: {} };
  const { draft } = await draftOnce(parts, withoutModels, question, {
    offersPerson: handsOver !== undefined,
  });
  if (handsOver?.(question, draft.outcome !== "unanswered") === true) return toPerson;
  return { outcome: draft.outcome, text: draft.text };
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
