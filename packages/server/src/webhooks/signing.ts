import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  generateKeyPairSync,
  sign,
  timingSafeEqual,
  type KeyObject,
} from "node:crypto";

const PRIVATE_KEY = "whsk_";

/**
 * A shared secret, or the private key of a pair. Made once for a drain: a key that is parsed for every message costs more
 * than the signature.
 */
export function signingKey(secret: string): KeyObject {
  if (secret.startsWith(PRIVATE_KEY))
    return createPrivateKey({
      key: Buffer.from(secret.slice(PRIVATE_KEY.length), "base64"),
      format: "der",
      type: "pkcs8",
    });
  return createSecretKey(Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
}

/** The length of an Ed25519 key, which ends its DER. */
const PUBLIC_KEY_BYTES = 32;

/** The public key has the form that Standard Webhooks give it. The private key never leaves the service. */
export function newKeyPair(): { privateKey: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync("ed25519");
  const written = createPublicKey(privateKey).export({ format: "der", type: "spki" });
  return {
    privateKey: `${PRIVATE_KEY}${privateKey.export({ format: "der", type: "pkcs8" }).toString("base64")}`,
    publicKey: `whpk_${written.subarray(-PUBLIC_KEY_BYTES).toString("base64")}`,
  };
}

function signatureBy(key: KeyObject, head: string, body: Buffer): string {
  if (key.type === "private")
    return `v1a,${sign(null, Buffer.concat([Buffer.from(head), body]), key).toString("base64")}`;
  return `v1,${createHmac("sha256", key).update(head).update(body).digest("base64")}`;
}

/** Standard Webhooks: the id stays over all attempts, the time is the attempt's, and each key gives one signature. */
export function signatureHeaders(
  id: string,
  body: Buffer,
  keys: KeyObject[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const signatures = keys.map((key) => signatureBy(key, `${id}.${timestamp}.`, body));
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
