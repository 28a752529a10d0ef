import type { Chunk } from "../extract/chunks.ts";
import { splitAfter } from "../extract/split-text.ts";

const TOKENS_MIN = 64;

/**
 * Two chunks that together say the same, or undefined when it is too small to part. Their tokens are estimated: the
 * tokenizer takes 90 MB, and this runs outside the worker that has it.
 */
export function halveChunk(chunk: Chunk): [Chunk, Chunk] | undefined {
  if (chunk.tokens < TOKENS_MIN) return undefined;
  const sentences = splitAfter(chunk.text, "sentences");
  const parts = sentences.length > 1 ? sentences : splitAfter(chunk.text, "words");
  if (parts.length < 2) return undefined;
  let index = 0;
  let characters = 0;
  while (
    index < parts.length - 1 &&
    (index === 0 || characters + parts[index]!.length / 2 < chunk.text.length / 2)
  ) {
    characters += parts[index]!.length;
    index += 1;
  }
  const halfOf = (text: string) => ({
    ...chunk,
    text: text.trim(),
    tokens: Math.max(1, Math.round((chunk.tokens * text.length) / chunk.text.length)),
  });
  return [halfOf(parts.slice(0, index).join("")), halfOf(parts.slice(index).join(""))];
}
