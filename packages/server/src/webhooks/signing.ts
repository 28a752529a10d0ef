import { createHmac, createSecretKey, type KeyObject } from "node:crypto";

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
