import { ACKNOWLEDGED, type Acknowledged, type RotatedSigningSecret } from "@signalbox/contract";
import { sql } from "kysely";
import { audit, type OperatorParts } from "../agents/index.ts";
import { newId, Refusal, refuse, type Database, type ShownOnce } from "../platform/index.ts";
import {
  changeCredentials,
  newSigningSecret,
  sealSecret,
  showSigningSecret,
  type GivenCredentials,
} from "./secrets.ts";

/** A webhook of which its owner has one at most: an agent's for messages, or the operator's for events. */
export interface SingleWebhook {
  agentId: string;
  kind: "message" | "operator";
}

export interface WebhookSettings extends GivenCredentials {
  url: string;
  strictAcknowledgement?: boolean | undefined;
  mirrorsLive?: boolean | undefined;
}

/** What is stored, and the signing secret when it is new: it is shown this once. */
export interface StoredWebhook {
  row: WebhookRow;
  signingSecret: string | undefined;
}

export async function storeWebhook(
  db: Database,
  { sealer }: OperatorParts,
  { agentId, kind }: SingleWebhook,
  { url, username, secret, strictAcknowledgement, mirrorsLive }: WebhookSettings,
): Promise<StoredWebhook | Refusal> {
  const stored = await lockWebhook(db, { agentId, kind });
  const identity = { agentId, webhookId: stored?.id ?? newId() };
  const credentials = changeCredentials(
    sealer,
    identity,
    stored ?? { username_sealed: null, secret_sealed: null },
    { username, secret },
  );
  if (credentials instanceof Refusal) return credentials;
  const settings = {
    ...credentials,
    url,
    strict_acknowledgement: strictAcknowledgement ?? stored?.strict_acknowledgement ?? false,
    mirrors_live: mirrorsLive ?? stored?.mirrors_live ?? false,
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
  await audit(db, {
    action: `${kind}_webhook.${signingSecret === undefined ? "update" : "create"}`,
    agentId,
    subjectId: row.id,
    detail: { url, username_set: row.username_sealed !== null, secret_set: row.secret_sealed !== null },
  });
  return { row, signingSecret };
}

export async function removeWebhook(db: Database, owner: SingleWebhook): Promise<Acknowledged | Refusal> {
  const row = await lockWebhook(db, owner);
  if (row === undefined) return notConfigured(owner);
  await db
    .updateTable("webhook")
    .set({ deleted_at: sql`now()` })
    .where("id", "=", row.id)
    .execute();
  await audit(db, {
    action: `${owner.kind}_webhook.delete`,
    agentId: owner.agentId,
    subjectId: row.id,
    detail: { url: row.url },
  });
  return ACKNOWLEDGED;
}

/** Both secrets sign until the overlap ends, so that a receiver never sees a signature it cannot verify. */
export async function rotateSigningSecret(
  db: Database,
  { sealer }: OperatorParts,
  owner: SingleWebhook,
  overlapSeconds: number,
): Promise<ShownOnce<RotatedSigningSecret> | Refusal> {
  const row = await lockWebhook(db, owner);
  if (row === undefined) return notConfigured(owner);
  const signingSecret = newSigningSecret();
  const identity = { agentId: owner.agentId, webhookId: row.id };
  const overlaps = overlapSeconds > 0;
  const updated = await db
    .updateTable("webhook")
    .set({
      signing_secret_sealed: sealSecret(sealer, identity, "signing_secret_sealed", signingSecret),
      previous_signing_secret_sealed: overlaps ? row.signing_secret_sealed : null,
      previous_signing_secret_until: overlaps ? sql`now() + ${overlapSeconds} * interval '1 second'` : null,
      updated_at: sql`now()`,
    })
    .where("id", "=", row.id)
    .returning("previous_signing_secret_until")
    .executeTakeFirstOrThrow();
  await audit(db, {
    action: `${owner.kind}_webhook.rotate_signing_secret`,
    agentId: owner.agentId,
    subjectId: row.id,
    detail: { overlap_seconds: overlapSeconds },
  });
  return showSigningSecret(`the ${owner.kind} webhook`, {
    webhook_id: row.id,
    signing_secret: signingSecret,
    previous_expire_time: updated.previous_signing_secret_until?.getTime() ?? null,
  });
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
  return refuse("notFound", `${what}; configure one with PUT on the same path`);
}
