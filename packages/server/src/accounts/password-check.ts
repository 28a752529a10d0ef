import { createFairSemaphore, createMinuteLimiter, refuseBeyond, type Refusal } from "../platform/index.ts";
import { isPassword } from "./passwords.ts";

/** Of one account, on one node; the client's address has a limit of its own. */
const TRIES_PER_MINUTE = 10;
/** scrypt occupies a thread of the pool that also resolves names: a flood of tries must leave some free. */
const HASHES_AT_ONCE = 2;
const HASH_WAIT_MS = 5_000;

export interface PasswordTry {
  /** An address of email, also one that nobody has, or the id of an account. */
  triedFor: string;
  address: string;
  password: string;
  stored: string | undefined;
}

export type PasswordCheck = (tried: PasswordTry) => Promise<boolean | Refusal>;

/** Whoever tries a password, to sign in or with a session that may be stolen, has a few tries a minute. */
export function createPasswordCheck(): PasswordCheck {
  const tries = createMinuteLimiter(TRIES_PER_MINUTE);
  const hashes = createFairSemaphore({ permits: HASHES_AT_ONCE });

  return async ({ triedFor, address, password, stored }) => {
    const { allowed, limit: most, resetSeconds } = tries(triedFor, performance.now());
    if (!allowed)
      return refuseBeyond(
        { name: "sign_in", most },
        "too many tries at the password of this account; try again in a minute",
        resetSeconds,
      );
    const release = await hashes.acquire(address, HASH_WAIT_MS);
    if (release === undefined)
      return refuseBeyond(
        { name: "sign_in", most: HASHES_AT_ONCE },
        "too many people sign in at once; try again in a moment",
        1,
      );
    try {
      return await isPassword(password, stored);
    } finally {
      release();
    }
  };
}
