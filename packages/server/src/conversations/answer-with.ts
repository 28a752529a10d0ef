import { textOfContent, type ConversationConfig, type InboundMessage } from "@signalbox/contract";
import type { KnowledgeScope, Said } from "../answering/index.ts";

/** What a caller wants one answer to be made with, where that is not the agent's own. */
export interface AnswerWith {
  /** Left out: what was said before is remembered. */
  memory?: false;
  within?: KnowledgeScope;
  showsCitations?: true;
  /** On the live channel, whose share of the agent's model tokens pays for it. */
  payer?: string;
  /** What the caller says was said before, oldest first. */
  history?: Said[];
}

/** More than a model is told of; what is kept with the message stays small. */
const HISTORY_MAX = 12;

/** Undefined when the agent's own settings hold. `earlier` are the messages a call carries before its last one. */
export function readAnswerWith(
  config: ConversationConfig | null | undefined,
  earlier: InboundMessage[],
): AnswerWith | undefined {
  const { short_term_memory, knowledge, corner_citation } = config ?? {};
  const { group_ids = null, data_ids = null } = knowledge ?? {};
  const isWithin = group_ids !== null || data_ids !== null;
  const history = earlier.slice(-HISTORY_MAX).flatMap(saidBy);
  const answerWith: AnswerWith = {
    ...(short_term_memory === false && { memory: false }),
    ...(isWithin && { within: { knowledgeBaseIds: group_ids ?? [], documentIds: data_ids ?? [] } }),
    ...(corner_citation === true && { showsCitations: true }),
    ...(history.length > 0 && { history }),
  };
  return Object.keys(answerWith).length === 0 ? undefined : answerWith;
}

function saidBy({ role, content }: InboundMessage): Said[] {
  const text = textOfContent(content);
  return text.trim() === "" ? [] : [{ who: role === "user" ? "user" : "agent", text }];
}
