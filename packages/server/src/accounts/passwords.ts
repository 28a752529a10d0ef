import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from "node:crypto";
import { promisify } from "node:util";

const deriveKey = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** One of the settings that OWASP recommends for scrypt: 32 MB and about a tenth of a second of one core. */
const COST = { N: 2 ** 15, r: 8, p: 3 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** 128 * N * r, with room to spare. */
const MEMORY_MAX_BYTES = 64 * 1024 * 1024;

const STORED = /^scrypt\$(\d+)\$(\d+)\$(\d+)\$([A-Za-z0-9_-]+)\$([A-Za-z0-9_-]+)$/;

/** The parameters stand with the hash, so that they may be raised later. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await derive(password, salt, COST);
  return ["scrypt", COST.N, COST.r, COST.p, salt.toString("base64url"), key.toString("base64url")].join("$");
}

/** An account that is not there, or has no password, costs as much time as any other, so that nobody learns who has one. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, N, r, p, salt = "", key = ""] = STORED.exec(stored ?? "") ?? [];
  const cost = stored === undefined || stored === "" ? COST : { N: Number(N), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, "base64url"), cost);
  const expected = Buffer.from(key, "base64url");
  return expected.length === derived.length && timingSafeEqual(derived, expected);
}

/** The same letters in another composition are the same password (RFC 8265). */
function derive(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  return deriveKey(password.normalize("NFC"), salt, KEY_BYTES, { ...cost, maxmem: MEMORY_MAX_BYTES });
}
