import { z } from "zod";
import { identifier, pageOf, timestamp } from "./values.ts";

export const ProposedAlternate = z
  .object({
    alternate_id: identifier,
    alternate: z.string().describe("What users typed"),
    question: z.string().describe("The stored question they then chose"),
    doc_id: identifier.describe("The document that has it"),
    chosen: z.int().min(1).describe("In how many conversations"),
    first_time: timestamp,
    last_time: timestamp,
  })
  .meta({ id: "ProposedAlternate" });
export type ProposedAlternate = z.output<typeof ProposedAlternate>;

export const ProposedAlternatePage = pageOf(ProposedAlternate).meta({ id: "ProposedAlternatePage" });
export type ProposedAlternatePage = z.output<typeof ProposedAlternatePage>;

export const ProposedAlternatePath = z.strictObject({ agent_id: identifier, alternate_id: identifier });
