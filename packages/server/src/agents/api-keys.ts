import { createHash } from "node:crypto";
import {
  ACKNOWLEDGED,
  type Acknowledged,
  type ApiKeyPage,
  type ApiKeyScope,
  type CreatedApiKey,
  type InputOf,
} from "@signalbox/contract";
import { sql } from "kysely";
import {
  audit,
  newId,
  randomText,
  Refusal,
  refuse,
  ShownOnce,
  type OperatorCaller,
} from "../platform/index.ts";
import { requireLiveAgent } from "./agents.ts";
import { writeAsOperator, type OperatorParts } from "./operator-write.ts";
import { pageOfRows, pageStart } from "./paging.ts";

const PREFIX_CHARACTERS = 8;

/** 238 random bits need no slow hash: there is nothing to guess. */
export function hashApiKey(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

export function createApiKey(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, name, scopes, expire_time }: InputOf<"createApiKey">,
): Promise<CreatedApiKey | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const key = `sbx_${randomText(40)}`;
    const row = await db
      .insertInto("api_key")
      .values({
        id: newId(),
        agent_id,
        key_hash: hashApiKey(key),
        prefix: key.slice(0, PREFIX_CHARACTERS),
        name,
        scopes,
        expires_at: expire_time === undefined || expire_time === null ? null : new Date(expire_time),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await audit(db, caller, {
      action: "api_key.create",
      agentId: agent_id,
      subjectId: row.id,
      detail: { name, scopes },
    });
    const created = {
      key_id: row.id,
      api_key: key,
      name: row.name,
      scopes,
      prefix: row.prefix,
      expire_time: row.expires_at?.getTime() ?? null,
      create_time: row.created_at.getTime(),
    };
    return new ShownOnce(
      created,
      `the API key ${row.id} was created and is shown once, in the first answer to this Idempotency-Key; if that answer was lost, revoke this key and create another under a new Idempotency-Key`,
    );
  });
}

export async function listApiKeys(
  { db }: OperatorParts,
  { agent_id, cursor, limit }: InputOf<"listApiKeys">,
): Promise<ApiKeyPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const rows = await db
    .selectFrom("api_key")
    .selectAll()
    .where("agent_id", "=", agent_id)
    .where("id", "<", start)
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOfRows(rows, limit, (row) => ({
    key_id: row.id,
    name: row.name,
    scopes: row.scopes as ApiKeyScope[],
    prefix: row.prefix,
    expire_time: row.expires_at?.getTime() ?? null,
    create_time: row.created_at.getTime(),
    revoke_time: row.revoked_at?.getTime() ?? null,
    last_used_time: row.last_used_at?.getTime() ?? null,
  }));
}

/** Revoking twice is no mistake: the first time stands. */
export function revokeApiKey(
  parts: OperatorParts,
  caller: OperatorCaller,
  { agent_id, key_id }: InputOf<"revokeApiKey">,
): Promise<Acknowledged | Refusal> {
  return writeAsOperator(parts, caller, async (db) => {
    const row = await db
      .selectFrom("api_key")
      .select(["id", "revoked_at"])
      .where("agent_id", "=", agent_id)
      .where("id", "=", key_id)
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return refuse("notFound", "this agent has no API key with this key_id");
    if (row.revoked_at !== null) return ACKNOWLEDGED;
    await db
      .updateTable("api_key")
      .set({ revoked_at: sql`now()` })
      .where("id", "=", key_id)
      .execute();
    await audit(db, caller, { action: "api_key.revoke", agentId: agent_id, subjectId: key_id, detail: {} });
    return ACKNOWLEDGED;
  });
}
