import { createHmac } from "node:crypto";
import type { Bed } from "./bed.ts";
import { fromPage, PASSWORD, type Member } from "./members.ts";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const STEP_MS = 30_000;

/** What an authenticator app shows now, or some steps of 30 seconds from now: RFC 6238 once more, from its text alone. */
export function oneTimeCode(secret: string, stepsAway = 0): string {
  const bits = [...secret].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, "0")).join("");
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + stepsAway));
  const hash = createHmac("sha1", key).update(counter).digest();
  const at = (hash.at(-1) ?? 0) % 16;
  const [a = 0, b = 0, c = 0, d = 0] = hash.subarray(at, at + 4);
  const number = (a % 128) * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
  return String(number % 1_000_000).padStart(6, "0");
}

export interface Enrolled {
  secret: string;
  /** The one that turned them on. */
  code: string;
  recoveryCodes: string[];
}

/** Somebody who signs in with one-time codes from now on. The code of the present step is used up. */
export async function enrol(bed: Bed, { cookie }: Pick<Member, "cookie">): Promise<Enrolled> {
  const started = await fromPage(bed, "/admin/v1/account/totp", { password: PASSWORD }, { cookie });
  const { totp_secret: secret } = started.body as { totp_secret: string };
  const code = oneTimeCode(secret);
  const confirmed = await fromPage(
    bed,
    "/admin/v1/account/totp/confirm",
    { one_time_code: code },
    { cookie },
  );
  if (confirmed.status !== 200) throw new Error(`one-time codes are not on: ${confirmed.text}`);
  const { recovery_codes: recoveryCodes } = confirmed.body as { recovery_codes: string[] };
  return { secret, code, recoveryCodes };
}
