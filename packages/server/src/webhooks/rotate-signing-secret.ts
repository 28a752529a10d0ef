import type { RotatedSigningSecret } from "@signalbox/contract";
import { sql } from "kysely";
import type { OperatorParts } from "../agents/index.ts";
import { audit, type Database, type OperatorCaller, type ShownOnce } from "../platform/index.ts";
import { newSigningSecret, sealNewKeyPair, sealSecret, showSigningSecret } from "./secrets.ts";

/** What of a webhook's row is rotated; the row is locked. */
interface SigningWebhook {
  id: string;
  agent_id: string;
  kind: string;
  signing_secret_sealed: Buffer;
  asymmetric_key_sealed: Buffer | null;
}

const NAMES: Record<string, { subject: string; inWords: string }> = {
  message: { subject: "message_webhook", inWords: "the message webhook" },
  operator: { subject: "operator_webhook", inWords: "the operator webhook" },
  human_service: { subject: "human_service", inWords: "the human service" },
};

/** Both secrets sign until the overlap ends, so that a receiver never sees a signature it cannot verify. */
export async function rotateSigningSecret(
  db: Database,
  { sealer }: OperatorParts,
  caller: OperatorCaller,
  { id, agent_id: agentId, kind, signing_secret_sealed: previous, asymmetric_key_sealed }: SigningWebhook,
  overlapSeconds: number,
): Promise<ShownOnce<RotatedSigningSecret>> {
  const { subject = kind, inWords = kind } = NAMES[kind] ?? {};
  const identity = { agentId, webhookId: id };
  const signingSecret = newSigningSecret();
  const pair = asymmetric_key_sealed === null ? undefined : sealNewKeyPair(sealer, identity);
  const overlaps = overlapSeconds > 0;
  const updated = await db
    .updateTable("webhook")
    .set({
      signing_secret_sealed: sealSecret(sealer, identity, "signing_secret_sealed", signingSecret),
      ...pair,
      previous_asymmetric_key_sealed: overlaps ? asymmetric_key_sealed : null,
      previous_signing_secret_sealed: overlaps ? previous : null,
      previous_signing_secret_until: overlaps ? sql`now() + ${overlapSeconds} * interval '1 second'` : null,
      updated_at: sql`now()`,
    })
    .where("id", "=", id)
    .returning("previous_signing_secret_until")
    .executeTakeFirstOrThrow();
  await audit(db, caller, {
    action: `${subject}.rotate_signing_secret`,
    agentId,
    subjectId: id,
    detail: { overlap_seconds: overlapSeconds },
  });
  return showSigningSecret(inWords, {
    webhook_id: id,
    signing_secret: signingSecret,
    public_key: pair?.public_key ?? null,
    previous_expire_time: updated.previous_signing_secret_until?.getTime() ?? null,
  });
}
