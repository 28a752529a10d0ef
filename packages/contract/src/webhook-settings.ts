import { z } from "zod";
import { checkChangedCredentials, credentialFields, publicKey, signingSecret } from "./credentials.ts";
import { identifier, timestamp, webUrl } from "./values.ts";

// Our own bodies: an unknown field is refused, because a misspelt setting that is ignored is found out too late.
// In every PUT a field left out stays as it is, and null removes what is stored.

export const SetMessageWebhookRequest = z
  .strictObject({
    url: webUrl,
    ...credentialFields,
    strict_acknowledgement: z.boolean().optional(),
    mirror_live_channel: z.boolean().optional(),
    asymmetric_signature: z
      .boolean()
      .optional()
      .describe("If true, a key pair also signs each call, and the reply shows its public key"),
    cloud_events: z.boolean().optional(),
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
    strict_acknowledgement: z.boolean().describe("If true, an HTTP 200 without the body of 4.5 is a failure"),
    mirror_live_channel: z
      .boolean()
      .describe("If true, replies on the live channel are also sent to this webhook"),
    cloud_events: z
      .boolean()
      .describe("If true, each call also has the headers of CloudEvents 1.0 in binary mode"),
    public_key: publicKey.nullable(),
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
      .describe("How long both secrets sign. 0 ends the old one at once"),
  })
  .meta({ id: "RotateSigningSecretRequest" });
export type RotateSigningSecretRequest = z.output<typeof RotateSigningSecretRequest>;

export const RotatedSigningSecret = z
  .object({
    webhook_id: identifier,
    signing_secret: signingSecret,
    public_key: publicKey.nullable(),
    previous_expire_time: timestamp
      .nullable()
      .describe("Until when the old secret also signs; null if it no longer does"),
  })
  .meta({ id: "RotatedSigningSecret" });
export type RotatedSigningSecret = z.output<typeof RotatedSigningSecret>;
