import type { ConversationConfig } from "@signalbox/contract";
import type { KnowledgeScope } from "../answering/index.ts";

/** What a caller wants one answer to be made with, where that is not the agent's own. */
export interface AnswerWith {
  /** Left out: what was said before is remembered. */
  memory?: false;
  within?: KnowledgeScope;
}

/** Undefined when the agent's own settings hold. */
export function readAnswerWith(config: ConversationConfig | null | undefined): AnswerWith | undefined {
  const { short_term_memory, knowledge } = config ?? {};
  const { group_ids = null, data_ids = null } = knowledge ?? {};
  const isWithin = group_ids !== null || data_ids !== null;
  if (short_term_memory !== false && !isWithin) return undefined;
  return {
    ...(short_term_memory === false && { memory: false }),
    ...(isWithin && { within: { knowledgeBaseIds: group_ids ?? [], documentIds: data_ids ?? [] } }),
  };
}
