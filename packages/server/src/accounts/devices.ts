import { createHash } from "node:crypto";
import { sql } from "kysely";
import { newId, randomText, type Database } from "../platform/index.ts";

// Browsers that an account has signed in from. A cookie names one; it opens nothing, and only keeps others' wrong guesses from
// counting against its browser.

const DEVICE_DAYS = 180;
/** The devices of one account; the one used longest ago makes room. */
const DEVICES_MAX = 20;

export interface Device {
  id: string;
  /** For a cookie, this once; only its hash is stored. */
  token: string;
  expiresAt: Date;
}

function hashToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/** Asked for an address that nobody has as well, so that it takes as long. */
export async function findDevice(
  db: Database,
  token: string | undefined,
  accountId: string | undefined,
): Promise<string | undefined> {
  if (token === undefined) return undefined;
  const { rows } = await sql<{ id: string }>`
    select id from account_device where token_hash = ${hashToken(token)} and account_id = ${accountId ?? null}::uuid
      and last_used_at > now() - ${sql.lit(DEVICE_DAYS)} * interval '1 day'`.execute(db);
  return rows[0]?.id;
}

/** Always a new token, also for the other accounts of the browser: one that somebody planted is worth nothing afterwards. */
export async function rememberDevice(
  db: Database,
  before: string | undefined,
  accountId: string,
): Promise<Device> {
  const token = `sbd_${randomText(40)}`;
  if (before !== undefined)
    await sql`update account_device set token_hash = ${hashToken(token)} where token_hash = ${hashToken(before)}`.execute(
      db,
    );
  const { rows } = await sql<{ id: string; expires_at: Date }>`
    insert into account_device (id, account_id, token_hash) values (${newId()}, ${accountId}, ${hashToken(token)})
    on conflict (account_id, token_hash) do update set last_used_at = now()
    returning id, last_used_at + ${sql.lit(DEVICE_DAYS)} * interval '1 day' as expires_at`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("the device was not stored");
  await sql`delete from account_device where account_id = ${accountId} and id not in (
    select id from account_device where account_id = ${accountId} order by last_used_at desc, id desc limit ${sql.lit(DEVICES_MAX)})`.execute(
    db,
  );
  return { id: row.id, token, expiresAt: row.expires_at };
}

/** All but the device of one session: somebody who had the old password may have signed in from any of them. */
export async function forgetDevices(db: Database, accountId: string, exceptSession?: string): Promise<void> {
  await sql`delete from account_device where account_id = ${accountId} and id is distinct from (
    select device_id from account_session where id = ${exceptSession ?? null}::uuid)`.execute(db);
}
