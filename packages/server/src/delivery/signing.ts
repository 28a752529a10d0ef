import { createHmac } from "node:crypto";

/** Standard Webhooks: the id stays over all attempts, the time is the attempt's, and each secret gives one signature. */
export function signatureHeaders(
  id: string,
  body: Buffer,
  secrets: string[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const digest = createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64");
    return `v1,${digest}`;
  });
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures.join(" ") };
}
