import type { Acknowledged, InputOf, OperatorWebhook, RotatedSigningSecret } from "@signalbox/contract";
import { lockOperators, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { OPERATOR_SCOPE, Refusal, unlessRefused, type OperatorCaller } from "../platform/index.ts";
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

/** Where operators hear of destinations that fail and of deliveries given up. It belongs to no agent. */
const OPERATORS: SingleWebhook = { agentId: OPERATOR_SCOPE, kind: "operator" };

export async function setOperatorWebhook(
  parts: EndpointParts,
  caller: OperatorCaller,
  settings: InputOf<"setOperatorWebhook">,
): Promise<OperatorWebhook | Refusal> {
  const refusal = refusePlainHttp(settings.url, parts.httpsOnly);
  if (refusal !== undefined) return refusal;
  const change = writeAsOperator(parts, caller, async (db) => {
    await lockOperators(db);
    const stored = await storeWebhook(db, parts, caller, OPERATORS, settings);
    if (stored instanceof Refusal) return stored;
    const { row, signingSecret } = stored;
    if (signingSecret === undefined) return describe(row);
    return showSigningSecret("the operator webhook", { ...describe(row), signing_secret: signingSecret });
  });
  return unlessRefused(change, () => parts.onChanged(OPERATOR_SCOPE));
}

export async function getOperatorWebhook({ db }: OperatorParts): Promise<OperatorWebhook | Refusal> {
  const row = await webhookOf(db, OPERATORS).executeTakeFirst();
  return row === undefined ? notConfigured(OPERATORS) : describe(row);
}

export function deleteOperatorWebhook(
  parts: EndpointParts,
  caller: OperatorCaller,
): Promise<Acknowledged | Refusal> {
  const change = writeAsOperator(parts, caller, (db) => removeWebhook(db, caller, OPERATORS));
  return unlessRefused(change, () => parts.onChanged(OPERATOR_SCOPE));
}

export function rotateOperatorWebhookSecret(
  parts: OperatorParts,
  caller: OperatorCaller,
  { overlap_seconds }: InputOf<"rotateOperatorWebhookSecret">,
): Promise<RotatedSigningSecret | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    await lockOperators(db);
    return rotateSecretOf(db, parts, caller, OPERATORS, overlap_seconds);
  });
}

function describe(row: WebhookRow): OperatorWebhook {
  return {
    webhook_id: row.id,
    url: row.url,
    username_set: row.username_sealed !== null,
    secret_set: row.secret_sealed !== null,
    update_time: row.updated_at.getTime(),
  };
}
