import { ROLE_SCOPES, type AccountRole, type OperatorScope } from "@signalbox/contract";
import { sql } from "kysely";
import { LruMap, type Database, type Log, type Operator, type Refusal } from "../platform/index.ts";
import { readRoles } from "./roles.ts";
import { actorNameOf, hashSessionToken, IN_FORCE, sessionEnded } from "./sessions.ts";

export interface KnownAccount extends Operator {
  roles: readonly AccountRole[];
  /** The scopes of all its roles together. */
  scopes: readonly OperatorScope[];
}

/** Says who a session is. */
export interface SessionDirectory {
  find(token: string): Promise<KnownAccount | Refusal>;
}

const USED_EVERY_MS = 60_000;
const USES_REMEMBERED = 1_000;
const TOKEN = /^sbs_[A-Za-z0-9]{40}$/;

/** Read at each call: people are few, and a role that changed must not be shown before it is granted. */
export function createSessionDirectory(db: Database, log: Log): SessionDirectory {
  const usedAt = new LruMap<string, number>(USES_REMEMBERED);

  async function read(hash: Buffer): Promise<KnownAccount | undefined> {
    const { rows } = await sql<{ id: string; account_id: string; email: string; name: string }>`
      select s.id, s.account_id, a.email, a.name from account_session s join account a on a.id = s.account_id
      where s.token_hash = ${hash} and ${IN_FORCE}`.execute(db);
    const [row] = rows;
    if (row === undefined) return undefined;
    const roles = (await readRoles(db, [row.account_id])).get(row.account_id) ?? [];
    return {
      actor: "account",
      actorId: row.account_id,
      actorName: actorNameOf(row),
      sessionId: row.id,
      roles,
      scopes: [...new Set(roles.flatMap(({ role }) => ROLE_SCOPES[role]))],
    };
  }

  function noteUse(sessionId: string): void {
    const now = performance.now();
    if (now - (usedAt.get(sessionId) ?? -Infinity) < USED_EVERY_MS) return;
    usedAt.set(sessionId, now);
    sql`update account_session set last_used_at = now() where id = ${sessionId}`
      .execute(db)
      .catch((error: unknown) => log.debug("session_use_not_stored", { err: error }));
  }

  return {
    async find(token) {
      if (!TOKEN.test(token)) return sessionEnded();
      const account = await read(hashSessionToken(token));
      if (account?.sessionId === undefined) return sessionEnded();
      noteUse(account.sessionId);
      return account;
    },
  };
}
