import { z } from "zod";

/** A document, one of its contents, and the pair's place in it. An edit changes none of these; a new import does. */
const PAIR_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}-[1-9][0-9]{0,8}-[1-9][0-9]{0,8}$/;

export const pairId = z
  .string()
  .regex(PAIR_ID, "must be the pair_id of a pair of this agent")
  .describe("Stays the same while the pair is edited. Replacing the document gives its pairs new ids");
