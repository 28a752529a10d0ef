import { z } from "zod";
import { identifier } from "./values.ts";

export const VerifyApiKeyReply = z
  .strictObject({
    entity_type: z.literal("agent"),
    entity_id: identifier.describe("The agent the key belongs to"),
  })
  .meta({ id: "VerifyApiKeyReply" });
export type VerifyApiKeyReply = z.output<typeof VerifyApiKeyReply>;
