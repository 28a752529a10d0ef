import {
  createFairSemaphore,
  Refusal,
  refuse,
  refuseBeyond,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import type { Guess, GuessLimit } from "./guess-limit.ts";
import { isPassword } from "./passwords.ts";

/** scrypt occupies a thread of the pool that also resolves names: a flood of tries must leave some free. */
const HASHES_AT_ONCE = 2;
const HASH_WAIT_MS = 5_000;

export interface PasswordTry {
  guess: Omit<Guess, "by">;
  password: string;
  stored: string | undefined;
}

export type PasswordCheck = (tried: PasswordTry) => Promise<boolean | Refusal>;

/** A password may be wrong a few times, in a sign-in or in a session that may be stolen. */
export function createPasswordCheck(limit: GuessLimit): PasswordCheck {
  const hashes = createFairSemaphore({ permits: HASHES_AT_ONCE });

  return async ({ guess, password, stored }) => {
    const found = await limit.judge({ ...guess, by: "password" }, async () => {
      const release = await hashes.acquire(guess.caller.request.address, HASH_WAIT_MS);
      if (release === undefined)
        return refuseBeyond(
          { name: "sign_in", most: HASHES_AT_ONCE },
          "too many people sign in at once; try again in a moment",
          1,
        );
      try {
        return (await isPassword(password, stored)) ? true : undefined;
      } finally {
        release();
      }
    });
    return found instanceof Refusal ? found : found === true;
  };
}

/** Asks for the password again before something that a stolen session must not do. */
export async function checkOwnPassword(
  { db, checkPassword }: { db: Database; checkPassword: PasswordCheck },
  caller: OperatorCaller,
  accountId: string,
  password: string,
): Promise<{ email: string; name: string } | Refusal> {
  const account = await db
    .selectFrom("account")
    .select(["email", "name", "password_hash"])
    .where("id", "=", accountId)
    .executeTakeFirst();
  const isRight = await checkPassword({
    guess: { caller, accountId, name: accountId },
    password,
    stored: account?.password_hash,
  });
  if (isRight instanceof Refusal) return isRight;
  if (!isRight || account === undefined) return refuse("wrongPassword", "password is not your password");
  return { email: account.email, name: account.name };
}
