import { randomBytes } from "node:crypto";
import { credentialsProblem, type Credentials } from "@signalbox/contract";
import { refuse, refuseNewOrigin, ShownOnce, type Refusal, type Sealer } from "../platform/index.ts";
import { sealingContext, type SealedColumn } from "./destination.ts";
import { newKeyPair } from "./signing.ts";

/** 32 random bytes, in the form that Standard Webhooks libraries take. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/** The reply that shows a new signing secret; `what` names the webhook it belongs to. */
export function showSigningSecret<Reply>(what: string, reply: Reply): ShownOnce<Reply> {
  return new ShownOnce(
    reply,
    `the call was carried out, and the new signing secret of ${what} is shown once, in the first answer to this Idempotency-Key; if that answer was lost, rotate the secret under a new Idempotency-Key`,
  );
}

/** Which webhook a secret belongs to. */
export interface WebhookIdentity {
  agentId: string;
  webhookId: string;
}

export function sealSecret(
  sealer: Sealer,
  { agentId, webhookId }: WebhookIdentity,
  column: SealedColumn,
  plain: string,
): Buffer {
  return sealer.seal(plain, sealingContext(agentId, webhookId, column));
}

/** A new key pair as it is stored. */
export function sealNewKeyPair(
  sealer: Sealer,
  identity: WebhookIdentity,
): { asymmetric_key_sealed: Buffer; public_key: string } {
  const { privateKey, publicKey } = newKeyPair();
  return {
    asymmetric_key_sealed: sealSecret(sealer, identity, "asymmetric_key_sealed", privateKey),
    public_key: publicKey,
  };
}

export interface SealedCredentials {
  username_sealed: Buffer | null;
  secret_sealed: Buffer | null;
}

export interface GivenCredentials {
  username?: string | null | undefined;
  secret?: string | null | undefined;
}

/** A field left out stays as it is, null removes it; the result is judged as a whole and sealed again. */
export function changeCredentials(
  sealer: Sealer,
  identity: WebhookIdentity,
  stored: (SealedCredentials & { url: string }) | undefined,
  given: GivenCredentials & { url: string },
): SealedCredentials | Refusal {
  const { username_sealed = null, secret_sealed = null } = stored ?? {};
  const moved = refuseNewOrigin(
    stored && { url: stored.url, secrets: { username: username_sealed, secret: secret_sealed } },
    { ...given },
  );
  if (moved !== undefined) return moved;
  const context = (column: SealedColumn) => sealingContext(identity.agentId, identity.webhookId, column);
  const open = (column: keyof SealedCredentials, sealed: Buffer | null) =>
    sealed === null ? null : sealer.open(sealed, context(column));
  const credentials: Credentials = {
    username: given.username === undefined ? open("username_sealed", username_sealed) : given.username,
    secret: given.secret === undefined ? open("secret_sealed", secret_sealed) : given.secret,
  };
  const found = credentialsProblem(credentials);
  if (found !== undefined) return refuse("badParameter", `${found.field} ${found.problem}`);
  const { username, secret } = credentials;
  return {
    username_sealed: username === null ? null : sealer.seal(username, context("username_sealed")),
    secret_sealed: secret === null ? null : sealer.seal(secret, context("secret_sealed")),
  };
}
