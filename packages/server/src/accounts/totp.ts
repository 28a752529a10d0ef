import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

// RFC 6238 with what every authenticator app assumes where nothing else is said: SHA-1, 30 seconds, six digits.

const STEP_MS = 30_000;
const DIGITS = 6;
/** A phone's clock may be off, and people type slowly. */
const DRIFT_STEPS = 1;
/** As long as the hash, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export function newTotpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac("sha1", secret).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, "0");
}

export function stepAt(timeMs: number): number {
  return Math.floor(timeMs / STEP_MS);
}

/** The step that a code belongs to, if it is after the last one that was accepted. */
export function stepOfCode(
  secret: Buffer,
  code: string,
  { timeMs, lastStep }: { timeMs: number; lastStep: number },
): number | undefined {
  const given = Buffer.from(code.replaceAll(/\s/g, ""));
  const now = stepAt(timeMs);
  for (let step = Math.max(now - DRIFT_STEPS, lastStep + 1); step <= now + DRIFT_STEPS; step += 1) {
    const expected = Buffer.from(codeAt(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) return step;
  }
  return undefined;
}

/** RFC 4648, without padding, which apps do not expect. */
export function base32(bytes: Buffer): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xffff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(value >>> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31];
}

/** The key URI that authenticator apps read from a QR code. */
export function otpauthUri(secret: Buffer, email: string): string {
  const issuer = "Signalbox";
  return `otpauth://totp/${issuer}:${encodeURIComponent(email)}?secret=${base32(secret)}&issuer=${issuer}`;
}
