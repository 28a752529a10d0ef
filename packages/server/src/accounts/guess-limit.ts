import { createHash } from "node:crypto";
import { sql } from "kysely";
import {
  Refusal,
  refuseBeyond,
  type BrowserCaller,
  type Database,
  type Log,
  type OperatorCaller,
} from "../platform/index.ts";
import { findDevice } from "./devices.ts";
import { recordLock, recordRefusal, type RefusedSignIn } from "./sign-in-audit.ts";

interface Bound {
  most: number;
  minutes: number;
}

/** Wrong ones of one account, or of one browser or session of it. At most 70 passwords fall into an hour (ASVS: 100). */
const BOUNDS = {
  password: { most: 10, minutes: 10 },
  /** Somebody who has the password finds a code within the hour once in 33,000 times. */
  one_time_code: { most: 10, minutes: 60 },
} satisfies Record<string, Bound>;
/** Wrong ones from one client address, for any account, codes and links included. */
const OF_ADDRESS: Bound = { most: 30, minutes: 10 };

export interface Guess {
  by: keyof typeof BOUNDS;
  caller: BrowserCaller | OperatorCaller;
  /** Undefined where nobody has the address of email: it is counted all the same, so that nobody learns it. */
  accountId: string | undefined;
  /** Under which the account was named. */
  name: string;
}

/** Returns undefined for a wrong one. */
type Judge<Right> = () => Promise<Right | undefined | Refusal>;

export interface GuessLimit {
  /** Passwords and codes. */
  judge<Right>(guess: Guess, judge: Judge<Right>): Promise<Right | undefined | Refusal>;
  /** Links and sign-ins that name no account: what is refused counts for the client's address. */
  judgeLink<Reply>(browser: BrowserCaller, judge: () => Promise<Reply | Refusal>): Promise<Reply | Refusal>;
}

interface Key extends Bound {
  of: "account" | "browser" | "session" | "address";
  hash: Buffer;
}

interface Counted extends Key {
  wrong: number;
  resetSeconds: number;
}

interface Parts {
  db: Database;
  log: Log;
}

/** In PostgreSQL, so that more nodes mean no more guesses, and before a guess is judged, so that many at once mean no more either. */
export function createGuessLimit({ db, log }: Parts): GuessLimit {
  return {
    async judge(guess, judge) {
      const counted = await count(db, await keysOf(db, guess));
      const beyond = refuseCounted(counted);
      if (beyond !== undefined) return beyond;
      const result = await judge();
      if (result instanceof Refusal) return result;
      if (result !== undefined) {
        await takeBack(db, counted);
        return result;
      }
      await recordRefusal({ db, log }, guess);
      await recordLocks(db, guess, counted);
      return undefined;
    },
    async judgeLink(browser, judge) {
      const counted = await count(db, ofAddress(browser));
      const beyond = refuseCounted(counted);
      if (beyond !== undefined) return beyond;
      const result = await judge();
      if (isWrongLink(result))
        await recordLocks(db, { caller: browser, by: "link", accountId: undefined }, counted);
      else await takeBack(db, counted);
      return result;
    },
  };
}

function isWrongLink(result: unknown): boolean {
  return result instanceof Refusal && ["notFound", "noAccount", "developerAuth"].includes(result.failure);
}

/** Once for each time that a limit is reached. */
async function recordLocks(
  db: Database,
  refused: Pick<RefusedSignIn, "caller" | "by" | "accountId">,
  counted: Counted[],
): Promise<void> {
  for (const { of, wrong, most, minutes } of counted)
    if (wrong === most) await recordLock(db, refused, { of, minutes });
}

async function keysOf(db: Database, { by, caller, accountId, name }: Guess): Promise<Key[]> {
  const bound = BOUNDS[by];
  // Somebody with a stolen session guesses on its account, and closes it to nobody else.
  if (caller.kind === "operator")
    return [{ of: "session", hash: hash(by, "session", caller.sessionId ?? ""), ...bound }];
  const device = await findDevice(db, caller.deviceToken, accountId);
  if (device !== undefined) return [{ of: "browser", hash: hash(by, "browser", device), ...bound }];
  return [{ of: "account", hash: hash(by, "account", name), ...bound }, ...ofAddress(caller)];
}

/** None behind a trusted proxy that names no client: all of them would be one. */
function ofAddress({ client }: BrowserCaller): Key[] {
  return client === undefined ? [] : [{ of: "address", hash: hash("any", "address", client), ...OF_ADDRESS }];
}

function hash(...parts: string[]): Buffer {
  return createHash("sha256").update(parts.join("\n")).digest();
}

async function count(db: Database, keys: Key[]): Promise<Counted[]> {
  if (keys.length === 0) return [];
  await sql`delete from account_guess where key_hash in (
    select key_hash from account_guess where resets_at < now() limit 100 for update skip locked)`.execute(db);
  // In one order for everybody, so that no two wait for each other.
  const sorted = keys.toSorted((a, b) => a.hash.compare(b.hash));
  const { rows } = await sql<{ key_hash: Buffer; wrong: number; reset_seconds: number }>`
    insert into account_guess as g (key_hash, wrong, resets_at)
    select k.key_hash, 1, now() + k.minutes * interval '1 minute' from unnest(
      ${sorted.map((key) => key.hash)}::bytea[], ${sorted.map(({ minutes }) => minutes)}::integer[]) as k (key_hash, minutes)
    on conflict (key_hash) do update set
      wrong = case when g.resets_at > now() then g.wrong + 1 else 1 end,
      resets_at = case when g.resets_at > now() then g.resets_at else excluded.resets_at end
    returning key_hash, wrong, ceil(extract(epoch from resets_at - now()))::integer as reset_seconds`.execute(
    db,
  );
  return sorted.flatMap((key) => {
    const row = rows.find(({ key_hash }) => key_hash.equals(key.hash));
    return row === undefined ? [] : [{ ...key, wrong: row.wrong, resetSeconds: row.reset_seconds }];
  });
}

async function takeBack(db: Database, counted: Counted[]): Promise<void> {
  if (counted.length === 0) return;
  await sql`update account_guess set wrong = wrong - 1 where wrong > 0 and key_hash in (
    select key_hash from account_guess where key_hash = any(${counted.map((key) => key.hash)}::bytea[])
    order by key_hash for update)`.execute(db);
}

function refuseCounted(counted: Counted[]): Refusal | undefined {
  const beyond = counted.find(({ wrong, most }) => wrong > most);
  if (beyond === undefined) return undefined;
  const { of, most, minutes, resetSeconds } = beyond;
  return refuseBeyond(
    { name: "sign_in", most },
    `${ADVICE[of]}; wait until Retry-After has passed (at most ${minutes} minutes)`,
    resetSeconds,
  );
}

const ADVICE = {
  account: "too many wrong tries at this account from browsers it does not know",
  browser: "too many wrong tries at this account from this browser",
  session: "too many wrong tries in this session",
  address: "too many wrong tries from your IP address",
};
