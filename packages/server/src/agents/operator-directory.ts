import { createHash, timingSafeEqual } from "node:crypto";
import { OPERATOR_SCOPES, type OperatorScope } from "@signalbox/contract";
import { sql } from "kysely";
import {
  createBriefCache,
  isDatabaseUnavailable,
  LruMap,
  refuse,
  type Database,
  type Log,
  type Operator,
  type Refusal,
} from "../platform/index.ts";

export interface KnownOperator extends Operator {
  scopes: readonly OperatorScope[];
}

/** Says what an operator token may do. */
export interface OperatorDirectory {
  find(token: string): Promise<KnownOperator | Refusal>;
}

const BOOTSTRAP: KnownOperator = {
  actor: "bootstrap_token",
  actorId: null,
  actorName: "OPERATOR_TOKEN",
  sessionId: undefined,
  scopes: OPERATOR_SCOPES,
};
/** Decisions, section 5: what is revoked is refused on every node within 5 s. */
const REMEMBERED = { forMs: 2_000, most: 1_000 };
/** While the database is down, an operator who was let in before stays in: metrics are wanted most then. */
const OUTAGE_MS = 900_000;
const USED_EVERY_MS = 60_000;
const TOKEN = /^sbo_[A-Za-z0-9]{40}$/;

export function hashOperatorToken(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}

/**
 * The environment's token opens everything until a named token that manages is in force, and nothing from then on: it makes
 * the first. Should the last such token expire or be revoked, it opens again, so that nobody is locked out for good.
 */
export function createOperatorDirectory(
  db: Database,
  log: Log,
  bootstrapToken: string | undefined,
): OperatorDirectory {
  const bootstrapHash = bootstrapToken === undefined ? undefined : hashOperatorToken(bootstrapToken);
  const remembered = createBriefCache<KnownOperator | undefined>(REMEMBERED);
  const lastFound = new LruMap<string, { at: number; operator: KnownOperator }>(REMEMBERED.most);
  const usedAt = new LruMap<string, number>(REMEMBERED.most);

  async function readNamed(hash: Buffer): Promise<KnownOperator | undefined> {
    const row = await inForce(db)
      .select(["id", "name", "scopes"])
      .where("token_hash", "=", hash)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const scopes = row.scopes as OperatorScope[];
    return { actor: "operator_token", actorId: row.id, actorName: row.name, sessionId: undefined, scopes };
  }

  async function readBootstrap(): Promise<KnownOperator | undefined> {
    return (await isManaged(db)) ? undefined : BOOTSTRAP;
  }

  function noteUse(tokenId: string | null, now: number): void {
    if (tokenId === null || now - (usedAt.get(tokenId) ?? -Infinity) < USED_EVERY_MS) return;
    usedAt.set(tokenId, now);
    sql`update operator_token set last_used_at = now() where id = ${tokenId}`
      .execute(db)
      .catch((error: unknown) => log.debug("operator_token_use_not_stored", { err: error }));
  }

  return {
    async find(token) {
      const hash = hashOperatorToken(token);
      // Digests have one length, so the comparison takes the same time for every token.
      const isBootstrap = bootstrapHash !== undefined && timingSafeEqual(hash, bootstrapHash);
      if (!isBootstrap && !TOKEN.test(token)) return unknownToken();
      const name = hash.toString("base64");
      const now = performance.now();
      try {
        const operator = await remembered(name, () => (isBootstrap ? readBootstrap() : readNamed(hash)));
        if (operator === undefined) {
          lastFound.delete(name);
          return isBootstrap ? bootstrapIsOver() : unknownToken();
        }
        lastFound.set(name, { at: now, operator });
        noteUse(operator.actorId, now);
        return operator;
      } catch (error) {
        const last = lastFound.get(name);
        if (!isDatabaseUnavailable(error) || last === undefined || now - last.at > OUTAGE_MS) throw error;
        return last.operator;
      }
    },
  };
}

/** Tokens that are neither revoked nor expired. */
function inForce(db: Database) {
  return db
    .selectFrom("operator_token")
    .where("revoked_at", "is", null)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`);
}

/** Whether a named token that manages is in force, other than `except`. */
export async function isManaged(db: Database, except?: string): Promise<boolean> {
  const found = await inForce(db)
    .select("id")
    .where(sql<boolean>`'manage' = any(scopes)`)
    .$if(except !== undefined, (query) => query.where("id", "<>", except ?? ""))
    .executeTakeFirst();
  return found !== undefined;
}

function unknownToken(): Refusal {
  return refuse("developerAuth", "send a valid operator token as Authorization: Bearer <token>");
}

function bootstrapIsOver(): Refusal {
  return refuse(
    "developerAuth",
    "the OPERATOR_TOKEN setting can only create the first named token; use a named operator token",
  );
}
