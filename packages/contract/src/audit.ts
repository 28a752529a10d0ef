import { z } from "zod";
import { identifier, pageFields, pageOf, text, timestamp } from "./values.ts";

export const AuditQuery = z.strictObject({ agent_id: identifier.optional(), ...pageFields });

export const AuditEntry = z
  .object({
    audit_id: text(64),
    at: timestamp,
    actor: z
      .string()
      .describe(
        "account, operator_token, bootstrap_token (OPERATOR_TOKEN of the environment), api_key, service, browser (of somebody who is not signed in), or operator in entries of earlier versions",
      ),
    actor_id: identifier.nullable().describe("Id of the account, operator token or API key"),
    actor_name: z.string().nullable().describe("Name at the time; for an account, name and email"),
    address: z.string().nullable().describe("Address of the client, behind TRUSTED_PROXIES"),
    request_id: z.string().nullable().describe("Signalbox-Request-Id of the response, as in the log"),
    action: z.string(),
    agent_id: identifier.nullable(),
    subject_id: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.output<typeof AuditEntry>;

export const AuditPage = pageOf(AuditEntry).meta({ id: "AuditPage" });
export type AuditPage = z.output<typeof AuditPage>;
