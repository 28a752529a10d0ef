import {
  createFairSemaphore,
  createMinuteLimiter,
  Refusal,
  refuse,
  refuseBeyond,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
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

/** Whoever is signed in says it again, before something that a stolen session must not do. */
export async function checkOwnPassword(
  { db, checkPassword }: { db: Database; checkPassword: PasswordCheck },
  { request }: OperatorCaller,
  accountId: string,
  password: string,
): Promise<{ email: string; name: string } | Refusal> {
  const account = await db
    .selectFrom("account")
    .select(["email", "name", "password_hash"])
    .where("id", "=", accountId)
    .executeTakeFirst();
  const { address } = request;
  const isRight = await checkPassword({
    triedFor: accountId,
    address,
    password,
    stored: account?.password_hash,
  });
  if (isRight instanceof Refusal) return isRight;
  if (!isRight || account === undefined) return refuse("wrongPassword", "password is not your password");
  return { email: account.email, name: account.name };
}
