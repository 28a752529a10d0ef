import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from "node:crypto";

/** Made once for a drain: a key that is parsed for every message costs more than the signature. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
}

/** Standard Webhooks: the id stays over all attempts, the time is the attempt's, and each secret gives one signature. */
export function signatureHeaders(
  id: string,
  body: Buffer,
  keys: KeyObject[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = keys.map((key) => {
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
    return `v1,${digest}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}

const SIGNATURE_LIFE_MS = 5 * 60_000;

export interface SignatureGiven {
  id: string;
  /** In seconds. */
  timestamp: string;
  signature: string;
}

/** What a receiver checks: the signature of one of the keys, and that it is no old request sent again. */
export function isSignedBy(
  keys: KeyObject[],
  { id, timestamp, signature }: SignatureGiven,
  body: Buffer,
  now: Date,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false;
  const signedAt = new Date(Number(timestamp) * 1000);
  if (Math.abs(now.getTime() - signedAt.getTime()) > SIGNATURE_LIFE_MS) return false;
  const wanted = signatureHeaders(id, body, keys, signedAt)["webhook-signature"]?.split(" ") ?? [];
  return signature.split(" ").some((given) => wanted.some((right) => isEqual(given, right)));
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
