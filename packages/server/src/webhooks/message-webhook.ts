import {
  ACKNOWLEDGED,
  type Acknowledged,
  type InputOf,
  type MessageWebhook,
  type RotatedSigningSecret,
} from "@signalbox/contract";
import { sql } from "kysely";
import { audit, requireLiveAgent, writeAsOperator, type OperatorParts } from "../agents/index.ts";
import { newId, Refusal, refuse, type Database, type OperatorCaller } from "../platform/index.ts";
import { changeCredentials, newSigningSecret, sealSecret } from "./secrets.ts";

/** Messages that wait when this changes go to the new address, with the new credentials: a drain reads them each time. */
export function setMessageWebhook(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, url, username, secret, strict_acknowledgement }: InputOf<"setMessageWebhook">,
): Promise<MessageWebhook | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const stored = await lockMessageWebhook(db, agent_id);
    const identity = { agentId: agent_id, webhookId: stored?.id ?? newId() };
    const credentials = changeCredentials(
      parts.sealer,
      identity,
      stored ?? { username_sealed: null, secret_sealed: null },
      { username, secret },
    );
    if (credentials instanceof Refusal) return credentials;
    const settings = {
      ...credentials,
      url,
      strict_acknowledgement: strict_acknowledgement ?? stored?.strict_acknowledgement ?? false,
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
              agent_id,
              kind: "message",
              signing_secret_sealed: sealSecret(
                parts.sealer,
                identity,
                "signing_secret_sealed",
                signingSecret,
              ),
            })
            .returningAll()
            .executeTakeFirstOrThrow();
    await audit(db, {
      action: signingSecret === undefined ? "message_webhook.update" : "message_webhook.create",
      agentId: agent_id,
      subjectId: row.id,
      detail: { url, username_set: row.username_sealed !== null, secret_set: row.secret_sealed !== null },
    });
    return { ...describe(row), ...(signingSecret === undefined ? {} : { signing_secret: signingSecret }) };
  });
}

export async function getMessageWebhook(
  { db }: OperatorParts,
  { agent_id }: InputOf<"getMessageWebhook">,
): Promise<MessageWebhook | Refusal> {
  const row = await messageWebhookOf(db, agent_id).executeTakeFirst();
  return row === undefined ? notConfigured() : describe(row);
}

export function deleteMessageWebhook(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id }: InputOf<"deleteMessageWebhook">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const row = await lockMessageWebhook(db, agent_id);
    if (row === undefined) return notConfigured();
    await db
      .updateTable("webhook")
      .set({ deleted_at: sql`now()` })
      .where("id", "=", row.id)
      .execute();
    await audit(db, {
      action: "message_webhook.delete",
      agentId: agent_id,
      subjectId: row.id,
      detail: { url: row.url },
    });
    return ACKNOWLEDGED;
  });
}

/** Both secrets sign until the overlap ends, so that a receiver never sees a signature it cannot verify. */
export function rotateMessageWebhookSecret(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, overlap_seconds }: InputOf<"rotateMessageWebhookSecret">,
): Promise<RotatedSigningSecret | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const row = await lockMessageWebhook(db, agent_id);
    if (row === undefined) return notConfigured();
    const signingSecret = newSigningSecret();
    const identity = { agentId: agent_id, webhookId: row.id };
    const overlaps = overlap_seconds > 0;
    const updated = await db
      .updateTable("webhook")
      .set({
        signing_secret_sealed: sealSecret(parts.sealer, identity, "signing_secret_sealed", signingSecret),
        previous_signing_secret_sealed: overlaps ? row.signing_secret_sealed : null,
        previous_signing_secret_until: overlaps
          ? sql`now() + ${overlap_seconds} * interval '1 second'`
          : null,
        updated_at: sql`now()`,
      })
      .where("id", "=", row.id)
      .returning("previous_signing_secret_until")
      .executeTakeFirstOrThrow();
    await audit(db, {
      action: "message_webhook.rotate_signing_secret",
      agentId: agent_id,
      subjectId: row.id,
      detail: { overlap_seconds },
    });
    return {
      webhook_id: row.id,
      signing_secret: signingSecret,
      previous_expire_time: updated.previous_signing_secret_until?.getTime() ?? null,
    };
  });
}

function messageWebhookOf(db: Database, agentId: string) {
  return db
    .selectFrom("webhook")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("kind", "=", "message")
    .where("deleted_at", "is", null);
}

function lockMessageWebhook(db: Database, agentId: string) {
  return messageWebhookOf(db, agentId).forUpdate().executeTakeFirst();
}

type WebhookRow = NonNullable<Awaited<ReturnType<typeof lockMessageWebhook>>>;

function notConfigured(): Refusal {
  return refuse("notFound", "this agent has no message webhook; configure one with PUT on the same path");
}

function describe(row: WebhookRow): MessageWebhook {
  return {
    webhook_id: row.id,
    url: row.url,
    username_set: row.username_sealed !== null,
    secret_set: row.secret_sealed !== null,
    strict_acknowledgement: row.strict_acknowledgement,
    update_time: row.updated_at.getTime(),
  };
}
