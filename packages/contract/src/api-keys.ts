import { z } from "zod";
import { API_KEY_SCOPES, ApiKeyScope } from "./scopes.ts";
import { identifier, pageOf, timestamp, timestampInput, words } from "./values.ts";

export const ApiKeyPath = z.strictObject({ agent_id: identifier, key_id: identifier });

export const CreateApiKeyRequest = z
  .strictObject({
    name: words(100),
    scopes: z
      .array(ApiKeyScope)
      .min(1)
      .default([...API_KEY_SCOPES])
      .transform((given) => [...new Set(given)])
      .describe("What the key can do; everything if omitted"),
    expire_time: timestampInput.nullish(),
  })
  .meta({ id: "CreateApiKeyRequest" });
export type CreateApiKeyRequest = z.output<typeof CreateApiKeyRequest>;

const apiKeyFields = {
  key_id: identifier,
  name: z.string(),
  scopes: z.array(ApiKeyScope),
  prefix: z.string().describe("First characters of the key, to tell keys apart"),
  expire_time: timestamp.nullable(),
  create_time: timestamp,
};

export const CreatedApiKey = z
  .object({
    ...apiKeyFields,
    api_key: z
      .string()
      .regex(/^sbx_[A-Za-z0-9]{40}$/)
      .describe("Shown only once. Only its hash is stored"),
  })
  .meta({ id: "CreatedApiKey" });
export type CreatedApiKey = z.output<typeof CreatedApiKey>;

export const ApiKey = z
  .object({ ...apiKeyFields, revoke_time: timestamp.nullable(), last_used_time: timestamp.nullable() })
  .meta({ id: "ApiKey" });
export type ApiKey = z.output<typeof ApiKey>;

export const ApiKeyPage = pageOf(ApiKey).meta({ id: "ApiKeyPage" });
export type ApiKeyPage = z.output<typeof ApiKeyPage>;

export const VerifyApiKeyReply = z
  .strictObject({
    entity_type: z.literal("agent"),
    entity_id: identifier.describe("The agent the key belongs to"),
  })
  .meta({ id: "VerifyApiKeyReply" });
export type VerifyApiKeyReply = z.output<typeof VerifyApiKeyReply>;
