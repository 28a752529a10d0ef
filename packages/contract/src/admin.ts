import { z } from "zod";
import {
  checkChangedCredentials,
  checkNewCredentials,
  webhookSecret,
  webhookUsername,
} from "./credentials.ts";
import {
  BusinessHours,
  HandoffTimer,
  HumanServiceRule,
  HumanServiceRuleRequest,
  Language,
} from "./handoff-settings.ts";
import { API_KEY_SCOPES, ApiKeyScope } from "./scopes.ts";
import { SmallTalkSettings, synonymGroups } from "./phrasing.ts";
import { identifier, pageFields, pageOf, text, timestamp, timestampInput, webUrl, words } from "./values.ts";

// Our own bodies: an unknown field is refused, because a misspelt setting that is ignored is found out too late.
// In every PUT a field left out stays as it is, and null removes what is stored.

export const AgentPath = z.strictObject({ agent_id: identifier });
export const ApiKeyPath = z.strictObject({ agent_id: identifier, key_id: identifier });
export const HumanServicePath = z.strictObject({ agent_id: identifier, component_id: identifier });
export const PageQuery = z.strictObject(pageFields);

const agentName = words(100);
const language = Language;
const fallbackText = words(2_000).describe(
  "What the agent says when it knows no answer; null: the service's own words",
);

const score = z.number().min(0).max(1);
const scoreFields = {
  direct_score: score
    .nullish()
    .describe(
      "From this score on a pair's answer is given word for word; null: the service's own, calibrated",
    ),
  answer_score: score
    .nullish()
    .describe("Below this score there is no answer; null: the service's own, calibrated"),
};

const phrasingFields = {
  small_talk: SmallTalkSettings.nullish().describe(
    "What the agent says to greetings, thanks and the like; null: the service's own words",
  ),
  synonyms: synonymGroups
    .nullish()
    .describe(
      "Groups of words and phrases that mean the same to this agent, beside the service's own; null: none",
    ),
};

export const CreateAgentRequest = z
  .strictObject({
    name: agentName,
    language: language.default("en"),
    fallback_text: fallbackText.nullish(),
    ...scoreFields,
    ...phrasingFields,
  })
  .meta({ id: "CreateAgentRequest" });
export type CreateAgentRequest = z.output<typeof CreateAgentRequest>;

export const UpdateAgentRequest = z
  .strictObject({
    name: agentName.optional(),
    language: language.optional(),
    fallback_text: fallbackText.nullish(),
    ...scoreFields,
    ...phrasingFields,
  })
  .meta({ id: "UpdateAgentRequest" });
export type UpdateAgentRequest = z.output<typeof UpdateAgentRequest>;

export const Agent = z
  .object({
    agent_id: identifier,
    name: z.string(),
    language,
    fallback_text: z.string().nullable(),
    direct_score: score.nullable(),
    answer_score: score.nullable(),
    small_talk: SmallTalkSettings.nullable(),
    synonyms: z.array(z.array(z.string())).nullable(),
    default_knowledge_base_id: identifier,
    create_time: timestamp,
    delete_time: timestamp.nullable(),
  })
  .meta({ id: "Agent" });
export type Agent = z.output<typeof Agent>;

export const AgentPage = pageOf(Agent).meta({ id: "AgentPage" });
export type AgentPage = z.output<typeof AgentPage>;

export const CreateApiKeyRequest = z
  .strictObject({
    name: words(100),
    scopes: z
      .array(ApiKeyScope)
      .min(1)
      .default([...API_KEY_SCOPES])
      .transform((given) => [...new Set(given)])
      .describe("What the key may do; left out: everything"),
    expire_time: timestampInput.nullish(),
  })
  .meta({ id: "CreateApiKeyRequest" });
export type CreateApiKeyRequest = z.output<typeof CreateApiKeyRequest>;

const apiKeyFields = {
  key_id: identifier,
  name: z.string(),
  scopes: z.array(ApiKeyScope),
  prefix: z.string().describe("The first characters of the key, to tell keys apart"),
  expire_time: timestamp.nullable(),
  create_time: timestamp,
};

export const CreatedApiKey = z
  .object({
    ...apiKeyFields,
    api_key: z
      .string()
      .regex(/^sbx_[A-Za-z0-9]{40}$/)
      .describe("Shown this once; only its hash is stored"),
  })
  .meta({ id: "CreatedApiKey" });
export type CreatedApiKey = z.output<typeof CreatedApiKey>;

export const ApiKey = z
  .object({ ...apiKeyFields, revoke_time: timestamp.nullable(), last_used_time: timestamp.nullable() })
  .meta({ id: "ApiKey" });
export type ApiKey = z.output<typeof ApiKey>;

export const ApiKeyPage = pageOf(ApiKey).meta({ id: "ApiKeyPage" });
export type ApiKeyPage = z.output<typeof ApiKeyPage>;

const credentialFields = {
  username: webhookUsername.nullish().describe("Alone it is sent as Bearer token"),
  secret: webhookSecret.nullish().describe("With it username and secret are sent as HTTP Basic"),
};

const signingSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]+={0,2}$/)
  .describe("Signs every call (Standard Webhooks). Shown only when it is new");

export const SetMessageWebhookRequest = z
  .strictObject({
    url: webUrl,
    ...credentialFields,
    strict_acknowledgement: z.boolean().optional(),
    mirror_live_channel: z.boolean().optional(),
  })
  .check(checkChangedCredentials)
  .meta({ id: "SetMessageWebhookRequest" });
export type SetMessageWebhookRequest = z.output<typeof SetMessageWebhookRequest>;

export const MessageWebhook = z
  .object({
    webhook_id: identifier,
    url: z.string(),
    username_set: z.boolean(),
    secret_set: z.boolean(),
    strict_acknowledgement: z.boolean().describe("A 200 without the body of 4.5 counts as a failure"),
    mirror_live_channel: z
      .boolean()
      .describe("Replies of the live channel come here too, beside their stream"),
    signing_secret: signingSecret.optional(),
    update_time: timestamp,
  })
  .meta({ id: "MessageWebhook" });
export type MessageWebhook = z.output<typeof MessageWebhook>;

/** Where operators hear of destinations that fail and of deliveries given up. */
export const SetOperatorWebhookRequest = z
  .strictObject({ url: webUrl, ...credentialFields })
  .check(checkChangedCredentials)
  .meta({ id: "SetOperatorWebhookRequest" });
export type SetOperatorWebhookRequest = z.output<typeof SetOperatorWebhookRequest>;

export const OperatorWebhook = z
  .object({
    webhook_id: identifier,
    url: z.string(),
    username_set: z.boolean(),
    secret_set: z.boolean(),
    signing_secret: signingSecret.optional(),
    update_time: timestamp,
  })
  .meta({ id: "OperatorWebhook" });
export type OperatorWebhook = z.output<typeof OperatorWebhook>;

export const RotateSigningSecretRequest = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(86_400)
      .describe("How long the old secret signs beside the new one"),
  })
  .meta({ id: "RotateSigningSecretRequest" });
export type RotateSigningSecretRequest = z.output<typeof RotateSigningSecretRequest>;

export const RotatedSigningSecret = z
  .object({
    webhook_id: identifier,
    signing_secret: signingSecret,
    previous_expire_time: timestamp
      .nullable()
      .describe("Until when the old secret signs too; null: it no longer does"),
  })
  .meta({ id: "RotatedSigningSecret" });
export type RotatedSigningSecret = z.output<typeof RotatedSigningSecret>;

const componentName = words(100);
const rule = HumanServiceRuleRequest.describe("When this component is the one to ask");
const hours = BusinessHours.describe("When somebody is there; null: always");

const establishTimeout = z
  .int()
  .min(1)
  .max(10)
  .describe("How long one attempt to ask this desk (4.6) waits for its answer");
const establishTries = z
  .int()
  .min(1)
  .max(5)
  .describe("After so many failed attempts the user is told that it is busy");
const firstReply = HandoffTimer.describe(
  "How long a human has for the first reply; null: as the agent's handoff settings say",
);

export const CreateHumanServiceRequest = z
  .strictObject({
    name: componentName,
    url: webUrl,
    ...credentialFields,
    allow_unauthenticated_replies: z
      .boolean()
      .default(false)
      .describe("Take 4.9 and 4.10 without an API key"),
    rule: rule.optional(),
    business_hours: hours.nullish(),
    establish_timeout_seconds: establishTimeout.default(3),
    establish_tries: establishTries.default(3),
    first_reply: firstReply.nullish(),
  })
  .check(checkNewCredentials)
  .meta({ id: "CreateHumanServiceRequest" });
export type CreateHumanServiceRequest = z.output<typeof CreateHumanServiceRequest>;

export const UpdateHumanServiceRequest = z
  .strictObject({
    name: componentName.optional(),
    url: webUrl.optional(),
    ...credentialFields,
    allow_unauthenticated_replies: z.boolean().optional(),
    rule: rule.optional(),
    business_hours: hours.nullish(),
    establish_timeout_seconds: establishTimeout.optional(),
    establish_tries: establishTries.optional(),
    first_reply: firstReply.nullish(),
  })
  .check(checkChangedCredentials)
  .meta({ id: "UpdateHumanServiceRequest" });
export type UpdateHumanServiceRequest = z.output<typeof UpdateHumanServiceRequest>;

export const HumanService = z
  .object({
    component_id: identifier,
    name: z.string(),
    url: z.string(),
    username_set: z.boolean(),
    secret_set: z.boolean(),
    allow_unauthenticated_replies: z.boolean(),
    rule: HumanServiceRule,
    business_hours: BusinessHours.nullable(),
    establish_timeout_seconds: z.int(),
    establish_tries: z.int(),
    first_reply: HandoffTimer.nullable(),
    signing_secret: signingSecret.optional(),
    create_time: timestamp,
    update_time: timestamp,
  })
  .meta({ id: "HumanService" });
export type HumanService = z.output<typeof HumanService>;

export const HumanServicePage = pageOf(HumanService).meta({ id: "HumanServicePage" });
export type HumanServicePage = z.output<typeof HumanServicePage>;

export const AuditQuery = z.strictObject({ agent_id: identifier.optional(), ...pageFields });

export const AuditEntry = z
  .object({
    audit_id: text(64),
    at: timestamp,
    actor: z
      .string()
      .describe(
        "operator_token, bootstrap_token (OPERATOR_TOKEN of the environment), api_key, service, or operator in entries of earlier versions",
      ),
    actor_id: identifier.nullable().describe("Of the operator token or API key"),
    actor_name: z.string().nullable().describe("The name it had"),
    address: z.string().nullable().describe("The client's, behind TRUSTED_PROXIES"),
    request_id: z.string().nullable().describe("The Signalbox-Request-Id of the answer, as in the log"),
    action: z.string(),
    agent_id: identifier.nullable(),
    subject_id: z.string().nullable(),
    detail: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.output<typeof AuditEntry>;

export const AuditPage = pageOf(AuditEntry).meta({ id: "AuditPage" });
export type AuditPage = z.output<typeof AuditPage>;
