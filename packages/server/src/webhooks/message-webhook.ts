import type { Acknowledged, InputOf, MessageWebhook, RotatedSigningSecret } from "@signalbox/contract";
import { requireLiveAgent, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { Refusal, unlessRefused, type OperatorCaller } from "../platform/index.ts";
import { refusePlainHttp } from "./https-only.ts";
import { showSigningSecret } from "./secrets.ts";
import {
  notConfigured,
  removeWebhook,
  rotateSecretOf,
  storeWebhook,
  webhookOf,
  type EndpointParts,
  type SingleWebhook,
  type WebhookRow,
} from "./webhook-settings.ts";

function ownedBy(agentId: string): SingleWebhook {
  return { agentId, kind: "message" };
}

/** Messages that wait when this changes go to the new address, with the new credentials: a drain reads them each time. */
export async function setMessageWebhook(
  parts: EndpointParts,
  caller: OperatorCaller,
  {
    agent_id,
    strict_acknowledgement,
    mirror_live_channel,
    asymmetric_signature,
    cloud_events,
    ...settings
  }: InputOf<"setMessageWebhook">,
): Promise<MessageWebhook | Refusal> {
  const refusal = refusePlainHttp(settings.url, parts.httpsOnly);
  if (refusal !== undefined) return refusal;
  const change = writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const stored = await storeWebhook(db, parts, caller, ownedBy(agent_id), {
      ...settings,
      strictAcknowledgement: strict_acknowledgement,
      mirrorsLive: mirror_live_channel,
      asymmetricSignature: asymmetric_signature,
      cloudEvents: cloud_events,
    });
    if (stored instanceof Refusal) return stored;
    const { row, signingSecret } = stored;
    if (signingSecret === undefined) return describe(row);
    return showSigningSecret("the message webhook", { ...describe(row), signing_secret: signingSecret });
  });
  return unlessRefused(change, () => parts.onChanged(agent_id));
}

export async function getMessageWebhook(
  { db }: OperatorParts,
  { agent_id }: InputOf<"getMessageWebhook">,
): Promise<MessageWebhook | Refusal> {
  const row = await webhookOf(db, ownedBy(agent_id)).executeTakeFirst();
  return row === undefined ? notConfigured(ownedBy(agent_id)) : describe(row);
}

export function deleteMessageWebhook(
  parts: EndpointParts,
  caller: OperatorCaller,
  { agent_id }: InputOf<"deleteMessageWebhook">,
): Promise<Acknowledged | Refusal> {
  const change = writeAsOperator(parts, caller, (db) => removeWebhook(db, caller, ownedBy(agent_id)));
  return unlessRefused(change, () => parts.onDeleted(agent_id));
}

export function rotateMessageWebhookSecret(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, overlap_seconds }: InputOf<"rotateMessageWebhookSecret">,
): Promise<RotatedSigningSecret | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    return missing ?? rotateSecretOf(db, parts, caller, ownedBy(agent_id), overlap_seconds);
  });
}

function describe(row: WebhookRow): MessageWebhook {
  return {
    webhook_id: row.id,
    url: row.url,
    username_set: row.username_sealed !== null,
    secret_set: row.secret_sealed !== null,
    strict_acknowledgement: row.strict_acknowledgement,
    mirror_live_channel: row.mirrors_live,
    public_key: row.public_key,
    cloud_events: row.cloud_events,
    update_time: row.updated_at.getTime(),
  };
}
