import {
  ACKNOWLEDGED,
  type Acknowledged,
  type CreatedOperatorToken,
  type InputOf,
  type OperatorScope,
  type OperatorTokenPage,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  audit,
  newId,
  OPERATOR_SCOPE,
  randomText,
  Refusal,
  refuse,
  ShownOnce,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { lockOperators } from "./agents.ts";
import { hashOperatorToken, isManaged } from "./operator-directory.ts";
import { writeAsOperator, type OperatorParts } from "./operator-write.ts";
import { pageOfRows, pageStart } from "./paging.ts";

const PREFIX_CHARACTERS = 8;

export function createOperatorToken(
  parts: OperatorParts,
  caller: OperatorCaller,
  { name, scopes, expire_time }: InputOf<"createOperatorToken">,
): Promise<CreatedOperatorToken | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const expiresAt = expire_time === undefined || expire_time === null ? null : new Date(expire_time);
    const created = await insertToken(db, { name, scopes, expiresAt });
    const subjectId = created.result.token_id;
    await auditToken(db, caller, { action: "operator_token.create", subjectId, detail: { name, scopes } });
    return created;
  });
}

/** The successor has the same name and scopes; both work until the overlap ends. */
export function rotateOperatorToken(
  parts: OperatorParts,
  caller: OperatorCaller,
  { token_id, overlap_seconds }: InputOf<"rotateOperatorToken">,
): Promise<CreatedOperatorToken | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    await lockOperators(db);
    const old = await lockToken(db, token_id);
    if (old === undefined) return noToken();
    if (old.revoked_at !== null || (old.expires_at !== null && old.expires_at <= new Date()))
      return refuse("stateConflict", "this token no longer works; create a new one");
    const { name, scopes, expires_at: expiresAt } = old;
    const created = await insertToken(db, { name, scopes: scopes as OperatorScope[], expiresAt });
    await db
      .updateTable("operator_token")
      .set({
        expires_at: sql`least(coalesce(expires_at, 'infinity'), now() + ${overlap_seconds} * interval '1 second')`,
      })
      .where("id", "=", token_id)
      .execute();
    const detail = { successor: created.result.token_id, overlap_seconds };
    await auditToken(db, caller, { action: "operator_token.rotate", subjectId: token_id, detail });
    return created;
  });
}

export async function listOperatorTokens(
  { db }: OperatorParts,
  { cursor, limit }: InputOf<"listOperatorTokens">,
): Promise<OperatorTokenPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const rows = await db
    .selectFrom("operator_token")
    .selectAll()
    .where("id", "<", start)
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOfRows(rows, limit, (row) => ({
    ...describe(row),
    revoke_time: row.revoked_at?.getTime() ?? null,
    last_used_time: row.last_used_at?.getTime() ?? null,
  }));
}

/** Revoking twice is no mistake: the first time stands. */
export function revokeOperatorToken(
  parts: OperatorParts,
  caller: OperatorCaller,
  { token_id }: InputOf<"revokeOperatorToken">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    // One after another: two that each saw the other's token in force would revoke both.
    await lockOperators(db);
    const row = await lockToken(db, token_id);
    if (row === undefined) return noToken();
    if (row.revoked_at !== null) return ACKNOWLEDGED;
    if (row.scopes.includes("manage") && !(await isManaged(db, token_id)))
      return refuse(
        "stateConflict",
        "this is the last token with the scope manage; create another one first",
      );
    await db
      .updateTable("operator_token")
      .set({ revoked_at: sql`now()` })
      .where("id", "=", token_id)
      .execute();
    await auditToken(db, caller, { action: "operator_token.revoke", subjectId: token_id, detail: {} });
    return ACKNOWLEDGED;
  });
}

async function insertToken(
  db: Database,
  { name, scopes, expiresAt }: { name: string; scopes: OperatorScope[]; expiresAt: Date | null },
): Promise<ShownOnce<CreatedOperatorToken>> {
  const token = `sbo_${randomText(40)}`;
  const row = await db
    .insertInto("operator_token")
    .values({
      id: newId(),
      name,
      token_hash: hashOperatorToken(token),
      prefix: token.slice(0, PREFIX_CHARACTERS),
      scopes,
      expires_at: expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return new ShownOnce(
    { ...describe(row), operator_token: token },
    `the operator token ${row.id} was created and is shown once, in the first answer to this Idempotency-Key; if that answer was lost, revoke this token and create another under a new Idempotency-Key`,
  );
}

function lockToken(db: Database, tokenId: string) {
  return db.selectFrom("operator_token").selectAll().where("id", "=", tokenId).forUpdate().executeTakeFirst();
}

type TokenRow = NonNullable<Awaited<ReturnType<typeof lockToken>>>;

function describe(row: TokenRow) {
  return {
    token_id: row.id,
    name: row.name,
    scopes: row.scopes as OperatorScope[],
    prefix: row.prefix,
    expire_time: row.expires_at?.getTime() ?? null,
    create_time: row.created_at.getTime(),
  };
}

function auditToken(
  db: Database,
  caller: OperatorCaller,
  change: { action: string; subjectId: string; detail: Record<string, unknown> },
): Promise<void> {
  return audit(db, caller, { agentId: OPERATOR_SCOPE, ...change });
}

function noToken(): Refusal {
  return refuse("notFound", "no operator token has this token_id");
}
