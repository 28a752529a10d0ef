import { contentTermsOf } from "../knowledge/index.ts";
import type { Said } from "./answer.ts";
import type { AgentKnowledge, Choice, Found } from "./agent-knowledge.ts";

/** Found together with the question before; a model may make something of it. */
export interface FoundInContext extends Found {
  isInContext: true;
}

/** A message with more words of its own asks for itself. */
const OWN_TERMS_MAX = 2;

/** "And on Sundays?" finds nothing by itself: it may need what was asked before. */
export function needsContext({ decision }: Found, asked: string): boolean {
  return (decision === "fallback" || decision === "offer") && contentTermsOf(asked).length <= OWN_TERMS_MAX;
}

/**
 * Looks once more, with the words of the user's question before it. Without a model the pair must speak of what is new:
 * the old question alone would find the old answer again.
 */
export async function findInContext(
  knowledge: AgentKnowledge,
  { asked, plain, said }: { asked: string; plain: Found; said: Said[] },
  choice: Choice,
): Promise<FoundInContext | undefined> {
  const isUnclear = plain.decision === "fallback" || plain.decision === "offer";
  const before = said.findLast(({ who }) => who === "user");
  if (!isUnclear || before === undefined) return undefined;
  const found = await knowledge.find(`${before.text}\n${asked}`, choice);
  if (knowledge.models.chat !== undefined) return { ...found, isInContext: true };
  const [best] = found.pairs;
  const speaksOfIt = plain.pairs.some(
    (pair) => pair.documentId === best?.documentId && pair.ordinal === best.ordinal && pair.unsupported < 1,
  );
  const isAnswer = found.decision === "direct" || found.decision === "model";
  return speaksOfIt && isAnswer && needsContext(plain, asked) ? { ...found, isInContext: true } : undefined;
}
