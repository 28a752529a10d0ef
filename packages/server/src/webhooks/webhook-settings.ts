import { ACKNOWLEDGED, type Acknowledged, type RotatedSigningSecret } from "@signalbox/contract";
import { sql } from "kysely";
import type { OperatorParts } from "../agents/index.ts";
import {
  audit,
  newId,
  Refusal,
  refuse,
  type Database,
  type OperatorCaller,
  type Sealer,
  type ShownOnce,
} from "../platform/index.ts";
import {
  changeCredentials,
  newSigningSecret,
  sealNewKeyPair,
  sealSecret,
  type GivenCredentials,
  type WebhookIdentity,
} from "./secrets.ts";
import { rotateSigningSecret } from "./rotate-signing-secret.ts";

/** What a change of an endpoint needs, and who must hear of it. */
export interface EndpointParts extends OperatorParts {
  /** WEBHOOK_HTTPS_ONLY. */
  httpsOnly: boolean;
  /** Deliveries that wait for the endpoint as it was need not wait any longer. */
  onChanged(agentId: string): Promise<void>;
  /** The same, and nobody may be left talking to an endpoint that is gone. */
  onDeleted(agentId: string): Promise<void>;
}

/** A webhook of which its owner has one at most: an agent's for messages, or the operator's for events. */
export interface SingleWebhook {
  agentId: string;
  kind: "message" | "operator";
}

export interface WebhookSettings extends GivenCredentials {
  url: string;
  strictAcknowledgement?: boolean | undefined;
  mirrorsLive?: boolean | undefined;
  asymmetricSignature?: boolean | undefined;
  cloudEvents?: boolean | undefined;
}

/** The stored row, and the signing secret when it is new: it is shown this once. */
export interface StoredWebhook {
  row: WebhookRow;
  signingSecret: string | undefined;
}

export async function storeWebhook(
  db: Database,
  { sealer }: OperatorParts,
  caller: OperatorCaller,
  { agentId, kind }: SingleWebhook,
  {
    url,
    username,
    secret,
    strictAcknowledgement,
    mirrorsLive,
    asymmetricSignature,
    cloudEvents,
  }: WebhookSettings,
): Promise<StoredWebhook | Refusal> {
  const stored = await lockWebhook(db, { agentId, kind });
  const identity = { agentId, webhookId: stored?.id ?? newId() };
  const credentials = changeCredentials(sealer, identity, stored, { url, username, secret });
  if (credentials instanceof Refusal) return credentials;
  const settings = {
    ...credentials,
    url,
    strict_acknowledgement: strictAcknowledgement ?? stored?.strict_acknowledgement ?? false,
    mirrors_live: mirrorsLive ?? stored?.mirrors_live ?? false,
    cloud_events: cloudEvents ?? stored?.cloud_events ?? false,
    ...changedKeyPair(sealer, identity, stored, asymmetricSignature),
  };
  const signingSecret = stored === undefined ? newSigningSecret() : undefined;
  const row =
    signingSecret === undefined
      ? await db
          .updateTable("webhook")
          .set({ ...settings, updated_at: sql`now()` })
          .where("id", "=", identity.webhookId)
          .returningAll()
          .executeTakeFirstOrThrow()
      : await db
          .insertInto("webhook")
          .values({
            ...settings,
            id: identity.webhookId,
            agent_id: agentId,
            kind,
            signing_secret_sealed: sealSecret(sealer, identity, "signing_secret_sealed", signingSecret),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
  await audit(db, caller, {
    action: `${kind}_webhook.${signingSecret === undefined ? "update" : "create"}`,
    agentId,
    subjectId: row.id,
    detail: { url, username_set: row.username_sealed !== null, secret_set: row.secret_sealed !== null },
  });
  return { row, signingSecret };
}

const NO_KEY_PAIR = { asymmetric_key_sealed: null, previous_asymmetric_key_sealed: null, public_key: null };

/** A key pair is made when it is asked for, and stays until it is no longer. */
function changedKeyPair(
  sealer: Sealer,
  identity: WebhookIdentity,
  stored: WebhookRow | undefined,
  isWanted: boolean | undefined,
) {
  const isThere = (stored?.public_key ?? null) !== null;
  if (isWanted === undefined || isWanted === isThere) return {};
  return isWanted ? sealNewKeyPair(sealer, identity) : NO_KEY_PAIR;
}

export async function removeWebhook(
  db: Database,
  caller: OperatorCaller,
  owner: SingleWebhook,
): Promise<Acknowledged | Refusal> {
  const row = await lockWebhook(db, owner);
  if (row === undefined) return notConfigured(owner);
  await db
    .updateTable("webhook")
    .set({ deleted_at: sql`now()` })
    .where("id", "=", row.id)
    .execute();
  await audit(db, caller, {
    action: `${owner.kind}_webhook.delete`,
    agentId: owner.agentId,
    subjectId: row.id,
    detail: { url: row.url },
  });
  return ACKNOWLEDGED;
}

export async function rotateSecretOf(
  db: Database,
  parts: OperatorParts,
  caller: OperatorCaller,
  owner: SingleWebhook,
  overlapSeconds: number,
): Promise<ShownOnce<RotatedSigningSecret> | Refusal> {
  const row = await lockWebhook(db, owner);
  if (row === undefined) return notConfigured(owner);
  return rotateSigningSecret(db, parts, caller, row, overlapSeconds);
}

export function webhookOf(db: Database, { agentId, kind }: SingleWebhook) {
  return db
    .selectFrom("webhook")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("kind", "=", kind)
    .where("deleted_at", "is", null);
}

function lockWebhook(db: Database, owner: SingleWebhook) {
  return webhookOf(db, owner).forUpdate().executeTakeFirst();
}

export type WebhookRow = NonNullable<Awaited<ReturnType<typeof lockWebhook>>>;

export function notConfigured({ kind }: SingleWebhook): Refusal {
  const what = kind === "message" ? "this agent has no message webhook" : "there is no operator webhook";
  return refuse("notFound", `${what}; create one with PUT on the same path`);
}
