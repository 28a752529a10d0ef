import { contentTermsOf } from "../knowledge/index.ts";
import type { ModelUsage } from "../platform/index.ts";
import type { Said } from "./question-and-answer.ts";
import type { AgentKnowledge, Choice, Found } from "./agent-knowledge.ts";
import type { Rewrite } from "./rewrite-question.ts";

/** Found together with the question before; a model may make something of it. */
export interface FoundInContext extends Found {
  isInContext: true;
  /** The tokens of the model that reworded the question. */
  used: ModelUsage | undefined;
}

/** A message with more words of its own asks for itself. */
const OWN_TERMS_MAX = 2;

/** "And on Sundays?" finds nothing by itself: it may need what was asked before. */
export function needsContext({ decision }: Found, asked: string): boolean {
  return (decision === "fallback" || decision === "offer") && contentTermsOf(asked).length <= OWN_TERMS_MAX;
}

/**
 * Looks once more, with the question as a model puts it by what was said before, or else with the words of the user's
 * question before it. Without a model the pair must speak of what is new: the old question alone would find the old answer.
 */
export async function findInContext(
  find: AgentKnowledge["find"],
  { asked, plain, said }: { asked: string; plain: Found; said: Said[] },
  choice: Choice,
  rewrite: Rewrite | undefined,
): Promise<FoundInContext | undefined> {
  const isUnclear = plain.decision === "fallback" || plain.decision === "offer";
  const before = said.findLast(({ who }) => who === "user");
  if (!isUnclear || before === undefined) return undefined;
  const rewritten = await rewrite?.(asked, said);
  const found = await find(rewritten?.question ?? `${before.text}\n${asked}`, choice);
  if (rewrite !== undefined) return { ...found, isInContext: true, used: rewritten?.usage };
  const [best] = found.pairs;
  const speaksOfIt = plain.pairs.some(
    (pair) => pair.documentId === best?.documentId && pair.ordinal === best.ordinal && pair.unsupported < 1,
  );
  const isAnswer = found.decision === "direct" || found.decision === "model";
  if (!speaksOfIt || !isAnswer || !needsContext(plain, asked)) return undefined;
  return { ...found, isInContext: true, used: undefined };
}
