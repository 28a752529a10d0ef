import { bytesOf, fromBase64, toBase64 } from "./bytes.ts";

const PREFIX = "whsec_";
const PUBLIC_PREFIX = "whpk_";
const HMAC = { name: "HMAC", hash: "SHA-256" };
const ED25519 = { name: "Ed25519" };

export interface SignedParts {
  id: string;
  /** Seconds since 1970. */
  timestamp: string;
  body: Uint8Array;
}

export type SignatureVerdict = { ok: true } | { ok: false; problem: "missing" | "stale" | "early" | "wrong" };

export type SigningKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** A shared secret (`whsec_…`) verifies signatures `v1`, and a public key (`whpk_…`) those of `v1a`. */
export function importVerifyingKey(text: string): Promise<SigningKey> {
  if (!text.startsWith(PUBLIC_PREFIX)) return importSigningKey(decodeSigningSecret(text));
  const bytes = fromBase64(text.slice(PUBLIC_PREFIX.length));
  if (bytes?.length !== PUBLIC_KEY_BYTES)
    throw new TypeError(`A public key must be ${PUBLIC_PREFIX} followed by Base64, as Signalbox shows it`);
  return crypto.subtle.importKey("raw", bytes, ED25519, false, ["verify"]);
}

const PUBLIC_KEY_BYTES = 32;

/** Throws for what cannot be a secret: verifying with it would refuse every call. */
export function decodeSigningSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError(`A signing secret must be ${PREFIX} followed by Base64, as Signalbox showed it`);
  return bytes;
}

export function importSigningKey(secret: Uint8Array<ArrayBuffer>): Promise<SigningKey> {
  return crypto.subtle.importKey("raw", secret, HMAC, false, ["sign", "verify"]);
}

/** One signature as Standard Webhooks say: `v1,` and the base64 of an HMAC over id, timestamp and body. */
export async function signParts(key: SigningKey, parts: SignedParts): Promise<string> {
  const signature = await crypto.subtle.sign(HMAC, key, signedContent(parts));
  return `v1,${toBase64(new Uint8Array(signature))}`;
}

/** Right when any of the signatures fits any of the secrets: during a rotation there are two of either. */
export async function verifySignature(
  keys: readonly SigningKey[],
  given: {
    id: string | undefined;
    timestamp: string | undefined;
    signature: string | undefined;
    body: Uint8Array;
  },
  { nowMs, toleranceSeconds }: { nowMs: number; toleranceSeconds: number },
): Promise<SignatureVerdict> {
  const { id, timestamp, signature, body } = given;
  if (!id || !timestamp || !signature) return { ok: false, problem: "missing" };
  const ageSeconds = Math.floor(nowMs / 1000) - Number(timestamp);
  if (!/^\d+$/.test(timestamp) || ageSeconds > toleranceSeconds) return { ok: false, problem: "stale" };
  if (ageSeconds < -toleranceSeconds) return { ok: false, problem: "early" };

  const content = signedContent({ id, timestamp, body });
  for (const part of signature.split(" ")) {
    const [version, encoded = ""] = part.split(",", 2);
    const algorithm = version === "v1a" ? ED25519 : HMAC;
    const bytes = version === "v1" || version === "v1a" ? fromBase64(encoded) : undefined;
    if (bytes === undefined) continue;
    for (const key of keys.filter((one) => one.algorithm.name === algorithm.name))
      if (await crypto.subtle.verify(algorithm, key, bytes, content)) return { ok: true };
  }
  return { ok: false, problem: "wrong" };
}

function signedContent({ id, timestamp, body }: SignedParts): Uint8Array<ArrayBuffer> {
  const head = bytesOf(`${id}.${timestamp}.`);
  const content = new Uint8Array(head.length + body.length);
  content.set(head);
  content.set(body, head.length);
  return content;
}
