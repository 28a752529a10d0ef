import { z } from "zod";
import { normalized } from "./normalized.ts";
import { pairId } from "./pair-id.ts";
import { absentIfEmpty, identifier, textProblem } from "./values.ts";

// Short words that a team sorts its pairs by. They play no part in an answer.

export const TAGS_MAX = 10;
export const TAG_MAX_CHARACTERS = 40;

/** One spelling for each tag, whatever the case, width and blanks it was typed with. */
function normalTag(tag: string): string {
  return normalized(tag).toLowerCase().replaceAll(/\s+/g, " ").trim();
}

/** Each once and in order, so that two lists of the same tags are equal. */
export function normalTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map(normalTag))].filter((tag) => tag !== "").toSorted();
}

/** The separator of tags in a cell of a file. */
const SEPARATOR = /[,;、\r\n]/;

export function splitTags(cell: string): string[] {
  return normalTags(normalized(cell).split(SEPARATOR));
}

const tag = z
  .string()
  .check(({ value, issues }) => {
    const problem = SEPARATOR.test(normalized(value))
      ? "must not contain a comma, semicolon or line break"
      : (textProblem(value, TAG_MAX_CHARACTERS) ?? textProblem(normalTag(value), TAG_MAX_CHARACTERS));
    if (problem !== undefined)
      issues.push({ code: "custom", input: value, message: problem, continue: true });
  })
  .meta({ minLength: 1, maxLength: TAG_MAX_CHARACTERS });

export const tags = z
  .array(tag)
  .max(TAGS_MAX)
  .describe("Short words to sort pairs by. Stored in lower case, each once");

export const tagFilter = absentIfEmpty(tag).describe("Only pairs with this tag");

const TAGGED_TOGETHER_MAX = 200;
const PAIR = "0199f3a2-6c1e-7b44-9d0a-5f2f6f1c8e21-1-1";

export const TagPairsRequest = z
  .strictObject({
    pair_ids: z.array(pairId).min(1).max(TAGGED_TOGETHER_MAX),
    add: tags.nullish().describe("Tags that each of the pairs gets"),
    remove: tags.nullish().describe("Tags that each of the pairs loses"),
  })
  .meta({ id: "TagPairsRequest", examples: [{ pair_ids: [PAIR], add: ["opening hours"] }] });
export type TagPairsRequest = z.output<typeof TagPairsRequest>;

export const TagPairsReply = z
  .object({
    changed: z.array(pairId).describe("Pairs whose tags are different now, each with a new version"),
    missing: z.array(pairId).describe("Pairs that are not there, or no longer"),
  })
  .meta({ id: "TagPairsReply", examples: [{ changed: [PAIR], missing: [] }] });
export type TagPairsReply = z.output<typeof TagPairsReply>;

export const PairTagsQuery = z.strictObject({
  knowledge_base_id: absentIfEmpty(identifier).describe("The agent's default knowledge base if omitted"),
  doc_id: absentIfEmpty(identifier).describe("Only tags of this document"),
});

export const PairTagList = z
  .object({
    list: z
      .array(z.object({ tag: z.string(), pairs: z.int().min(1) }))
      .describe("Most used first; at most 200"),
  })
  .meta({ id: "PairTagList" });
export type PairTagList = z.output<typeof PairTagList>;
