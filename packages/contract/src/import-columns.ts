import { z } from "zod";

const column = z.int().min(1).max(200);
const columns = z
  .array(column)
  .max(20)
  .meta({ examples: [[3]] });
const tags = "Tags, separated by commas. Without it, pairs keep the tags they have";

/** Which columns of a table are read, where somebody says so. */
export const ImportColumns = z
  .strictObject({
    question: column,
    answer: column,
    alternates: columns
      .nullish()
      .describe("Other wordings of the question")
      .transform((chosen) => chosen ?? [])
      .meta({ examples: [[3]] }),
    tags: column.nullish().describe(tags),
  })
  .describe("Counted from 1: column A is 1")
  .meta({ id: "ImportColumns", examples: [{ question: 2, answer: 3 }] });
export type ImportColumns = z.output<typeof ImportColumns>;

/** Which columns were recognised. */
export const FoundColumns = z
  .object({
    question: column.nullable().describe("null where a person has to choose"),
    answer: column.nullable().describe("null where a person has to choose"),
    alternates: columns,
    tags: column.nullable().describe(tags),
  })
  .describe("Counted from 1: column A is 1")
  .meta({ id: "FoundColumns" });
export type FoundColumns = z.output<typeof FoundColumns>;
