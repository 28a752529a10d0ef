import { sql } from "kysely";
import type { Database } from "../platform/index.ts";

/** A channel as `set-userid` calls it. */
export type ConversationType = "API" | "WIDGET";

/**
 * A conversation that is begun and a binding that is made at the same moment see each other: both hold the anonymous id until they
 * commit. Several are held in their order, after the user they are bound to.
 */
export async function holdAnonymousIds(
  db: Database,
  agentId: string,
  anonymousIds: string[],
  userId?: string,
): Promise<void> {
  const ids = [...new Set(anonymousIds)].toSorted().map((id) => `anonymous_id|${agentId}|${id}`);
  const keys = userId === undefined ? ids : [`user_id|${agentId}|${userId}`, ...ids];
  await sql`select pg_advisory_xact_lock(hashtextextended(key, 0)) from unnest(${keys}::text[]) as key`.execute(
    db,
  );
}

/** Whom an anonymous id stands for on a channel of ours, which has no accounts within it. */
export async function boundUser(
  db: Database,
  agentId: string,
  anonymousId: string,
  conversationType: ConversationType,
): Promise<string | null> {
  await holdAnonymousIds(db, agentId, [anonymousId]);
  const binding = await db
    .selectFrom("user_binding")
    .select("user_id")
    .where("agent_id", "=", agentId)
    .where("anonymous_id", "=", anonymousId)
    .where("conversation_type", "=", conversationType)
    .where("source_id", "=", "")
    .executeTakeFirst();
  return binding?.user_id ?? null;
}
