import { sql } from "kysely";
import { LruMap, Refusal, refuse, type Database, type Log } from "../platform/index.ts";
import { hashApiKey } from "./api-keys.ts";

export interface KnownKey {
  agentId: string;
  apiKeyId: string;
}

/** Says which agent a key opens. */
export interface KeyDirectory {
  find(key: string): Promise<KnownKey | Refusal>;
}

interface Entry {
  readAt: number;
  answer: Promise<KnownKey | Refusal>;
}

/** Decisions, section 5: a revoked key is refused on every node within 5 s. */
const REMEMBERED_MS = 2_000;
const REMEMBERED_MAX = 10_000;
const USED_EVERY_MS = 60_000;
const KEY = /^sbx_[A-Za-z0-9]{40}$/;

export function createKeyDirectory(db: Database, log: Log): KeyDirectory {
  const remembered = new LruMap<string, Entry>(REMEMBERED_MAX);
  const usedAt = new LruMap<string, number>(REMEMBERED_MAX);

  function noteUse(apiKeyId: string, now: number): void {
    if (now - (usedAt.get(apiKeyId) ?? -Infinity) < USED_EVERY_MS) return;
    usedAt.set(apiKeyId, now);
    sql`update api_key set last_used_at = now() where id = ${apiKeyId}`
      .execute(db)
      .catch((error: unknown) => log.debug({ err: error }, "the use of a key was not noted"));
  }

  async function read(hash: Buffer): Promise<KnownKey | Refusal> {
    const row = await db
      .selectFrom("api_key")
      .innerJoin("agent", "agent.id", "api_key.agent_id")
      .select(["api_key.id", "api_key.agent_id", "agent.deleted_at"])
      .where("key_hash", "=", hash)
      .where("revoked_at", "is", null)
      .where(sql<boolean>`(expires_at is null or expires_at > now())`)
      .executeTakeFirst();
    if (row === undefined) return unknownKey();
    if (row.deleted_at !== null) return refuse("agentDeleted");
    return { agentId: row.agent_id, apiKeyId: row.id };
  }

  return {
    async find(key) {
      if (!KEY.test(key)) return unknownKey();
      const hash = hashApiKey(key);
      const name = hash.toString("base64");
      const now = performance.now();
      let entry = remembered.get(name);
      if (entry === undefined || now - entry.readAt > REMEMBERED_MS) {
        entry = { readAt: now, answer: read(hash) };
        remembered.set(name, entry);
        entry.answer.catch(() => remembered.delete(name));
      }
      const answer = await entry.answer;
      if (!(answer instanceof Refusal)) noteUse(answer.apiKeyId, now);
      return answer;
    },
  };
}

function unknownKey(): Refusal {
  return refuse("developerAuth", "send a valid API key as Authorization: Bearer <API_KEY>");
}
