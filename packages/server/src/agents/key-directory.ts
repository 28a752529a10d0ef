import type { ApiKeyScope } from "@signalbox/contract";
import { sql } from "kysely";
import {
  createBriefCache,
  createGroupCommit,
  LruMap,
  Refusal,
  refuse,
  type Database,
  type Log,
} from "../platform/index.ts";
import { hashApiKey } from "./api-keys.ts";

export interface KnownKey {
  agentId: string;
  apiKeyId: string;
  apiKeyName: string;
  scopes: readonly ApiKeyScope[];
}

/** Says which agent a key opens. */
export interface KeyDirectory {
  find(key: string): Promise<KnownKey | Refusal>;
}

/** Decisions, section 5: a revoked key is refused on every node within 5 s. */
const REMEMBERED = { forMs: 2_000, most: 10_000 };
const USED_EVERY_MS = 60_000;
const KEY = /^sbx_[A-Za-z0-9]{40}$/;

export function createKeyDirectory(db: Database, log: Log): KeyDirectory {
  const remembered = createBriefCache<KnownKey | Refusal>(REMEMBERED);
  const usedAt = new LruMap<string, number>(REMEMBERED.most);

  /** Keys of all agents that arrive at the same moment are looked up together. */
  const readTogether = createGroupCommit<Buffer, KnownKey | Refusal>({
    groupOf: () => "",
    write: (_, hashes) => readKeys(db, hashes),
    readBack: "repeatable",
  });
  const storeUse = createGroupCommit<string, void>({
    groupOf: () => "",
    write: async (_, ids) => {
      await storeUses(db, ids);
      return ids.map(() => undefined);
    },
    readBack: "repeatable",
  });

  function noteUse(apiKeyId: string, now: number): void {
    if (now - (usedAt.get(apiKeyId) ?? -Infinity) < USED_EVERY_MS) return;
    usedAt.set(apiKeyId, now);
    storeUse(apiKeyId).catch((error: unknown) => log.debug("api_key_use_not_stored", { err: error }));
  }

  return {
    async find(key) {
      if (!KEY.test(key)) return unknownKey();
      const hash = hashApiKey(key);
      const answer = await remembered(hash.toString("base64"), () => readTogether(hash));
      if (!(answer instanceof Refusal)) noteUse(answer.apiKeyId, performance.now());
      return answer;
    },
  };
}

async function readKeys(db: Database, hashes: Buffer[]): Promise<(KnownKey | Refusal)[]> {
  const rows = await db
    .selectFrom("api_key")
    .innerJoin("agent", "agent.id", "api_key.agent_id")
    .select([
      "api_key.id",
      "api_key.agent_id",
      "api_key.name",
      "api_key.scopes",
      "agent.deleted_at",
      sql<string>`encode(key_hash, 'hex')`.as("hash"),
    ])
    .where("key_hash", "=", sql<Buffer>`any(${hashes}::bytea[])`)
    .where("revoked_at", "is", null)
    .where(sql<boolean>`(expires_at is null or expires_at > now())`)
    .execute();
  const found = new Map(rows.map((row) => [row.hash, row]));
  return hashes.map((hash): KnownKey | Refusal => {
    const row = found.get(hash.toString("hex"));
    if (row === undefined) return unknownKey();
    if (row.deleted_at !== null) return refuse("agentDeleted");
    const { agent_id: agentId, id: apiKeyId, name: apiKeyName } = row;
    return { agentId, apiKeyId, apiKeyName, scopes: row.scopes as ApiKeyScope[] };
  });
}

/** A key that somebody else has locked is used again soon: nobody waits to say so. */
async function storeUses(db: Database, ids: string[]): Promise<void> {
  await sql`
    update api_key set last_used_at = now()
    where id = any(array(select id from api_key where id = any(${ids}::uuid[]) for no key update skip locked))`.execute(
    db,
  );
}

function unknownKey(): Refusal {
  return refuse("developerAuth", "send a valid API key as Authorization: Bearer <API_KEY>");
}
