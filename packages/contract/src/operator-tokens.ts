import { z } from "zod";
import { OperatorScope } from "./scopes.ts";
import { identifier, pageOf, timestamp, timestampInput, words } from "./values.ts";

export const OperatorTokenPath = z.strictObject({ token_id: identifier });

const scopes = z
  .array(OperatorScope)
  .min(1)
  .transform((given) => [...new Set(given)]);

export const CreateOperatorTokenRequest = z
  .strictObject({
    name: words(100).describe("Name of its holder, shown in the audit log"),
    scopes,
    expire_time: timestampInput.nullish().describe("When it expires; never if null or omitted"),
  })
  .meta({ id: "CreateOperatorTokenRequest" });
export type CreateOperatorTokenRequest = z.output<typeof CreateOperatorTokenRequest>;

const tokenFields = {
  token_id: identifier,
  name: z.string(),
  scopes: z.array(OperatorScope),
  prefix: z.string().describe("First characters of the token, to tell tokens apart"),
  expire_time: timestamp.nullable(),
  create_time: timestamp,
};

export const CreatedOperatorToken = z
  .object({
    ...tokenFields,
    operator_token: z
      .string()
      .regex(/^sbo_[A-Za-z0-9]{40}$/)
      .describe("Shown only once. Only its hash is stored"),
  })
  .meta({ id: "CreatedOperatorToken" });
export type CreatedOperatorToken = z.output<typeof CreatedOperatorToken>;

export const RotateOperatorTokenRequest = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(86_400)
      .describe("How long both tokens work. 0 ends the old one at once"),
  })
  .meta({ id: "RotateOperatorTokenRequest" });
export type RotateOperatorTokenRequest = z.output<typeof RotateOperatorTokenRequest>;

export const OperatorToken = z
  .object({ ...tokenFields, revoke_time: timestamp.nullable(), last_used_time: timestamp.nullable() })
  .meta({ id: "OperatorToken" });
export type OperatorToken = z.output<typeof OperatorToken>;

export const OperatorTokenPage = pageOf(OperatorToken).meta({ id: "OperatorTokenPage" });
export type OperatorTokenPage = z.output<typeof OperatorTokenPage>;
