import type { Said } from "./question-and-answer.ts";

/** Four Latin characters a token, one for each of the others: a budget needs no exact count. */
export function estimatedTokens(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += character.codePointAt(0)! < 0x250 ? 0.25 : 1;
  return tokens;
}

/** The last that was said, as far as it fits: a long message ends it. */
export function latestWithinBudget(said: Said[], tokensMax: number): Said[] {
  let tokens = 0;
  const firstLeftOut = said.findLastIndex(({ text }) => (tokens += estimatedTokens(text)) > tokensMax);
  return said.slice(firstLeftOut + 1);
}
