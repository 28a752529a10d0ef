import type { ChatToken, InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import {
  aboutUser,
  createBriefCache,
  once,
  randomText,
  Refusal,
  type AgentCaller,
  type AgentDatabase,
  type ChatUser,
  type Database,
  type Sealer,
} from "../platform/index.ts";
import { readEndedTokens, tokenEnded } from "./chat-access.ts";

const CONTEXT = "chat_token";
const ANONYMOUS_LENGTH = 22;
/** A token that was revoked, or whose key was, is refused on every node after this. */
const REMEMBERED = { forMs: 2_000, most: 10_000 };

/**
 * Lets one user into the live channel for a while. The developer's server mints it, so that no API key reaches a browser; it
 * is sealed, so that a browser can neither read nor change it. It names the key that minted it and does not outlive it.
 */
export async function mintChatToken(
  { agents, sealer }: { agents: AgentDatabase; sealer: Sealer },
  caller: AgentCaller,
  input: InputOf<"mintChatToken">,
): Promise<ChatToken | Refusal> {
  const { agentId } = caller;
  // Section 2.6: who talks on a channel of ours has one, signed in or not. It names its channel.
  const anonymousId = input.anonymous_id ?? `widget:${randomText(ANONYMOUS_LENGTH)}`;
  const named = { ...input, anonymous_id: anonymousId };
  const about = aboutUser(agentId, { userId: input.user_id, anonymousIds: [anonymousId] });
  // For a repeated call the user is stored, never a token.
  const user = await agents.asAgent(agentId, (db) =>
    once(db, sealer, { ...caller, about }, async (db) => userToAdmit(caller, named, await readClockMs(db))),
  );
  if (user instanceof Refusal) return user;
  const token = sealer.seal(JSON.stringify(user), CONTEXT).toString("base64url");
  return { token, user_id: user.userId, anonymous_id: user.anonymousId, expire_time: user.expiresAt };
}

/** The database's: the clock that revocations are told by. A node whose own is ahead would issue tokens that outlive them. */
async function readClockMs(db: Database): Promise<number> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]?.now.getTime() ?? Date.now();
}

function userToAdmit(
  { agentId, apiKeyId }: AgentCaller,
  {
    user_id,
    anonymous_id,
    email,
    phone,
    expires_in_seconds,
  }: InputOf<"mintChatToken"> & { anonymous_id: string },
  issuedAt: number,
): ChatUser {
  return {
    agentId,
    apiKeyId,
    userId: user_id ?? null,
    anonymousId: anonymous_id,
    email: email ?? null,
    phone: phone ?? null,
    issuedAt,
    expiresAt: issuedAt + expires_in_seconds * 1000,
  };
}

/** Says whose a token is, while it is good. */
export function createChatTokens({ db, sealer }: { db: Database; sealer: Sealer }) {
  const remembered = createBriefCache<Refusal | undefined>(REMEMBERED);
  return {
    async open(token: string): Promise<ChatUser | Refusal> {
      const user = unseal(sealer, token);
      if (user === undefined || user.expiresAt <= Date.now()) return tokenEnded();
      const { agentId, apiKeyId, userId, anonymousId, issuedAt } = user;
      const name = JSON.stringify([agentId, apiKeyId, userId, anonymousId, issuedAt]);
      const ended = await remembered(name, async () => (await readEndedTokens(db, [user]))[0]);
      return ended ?? user;
    },
  };
}

function unseal(sealer: Sealer, token: string): ChatUser | undefined {
  try {
    const user = JSON.parse(sealer.open(Buffer.from(token, "base64url"), CONTEXT)) as Partial<ChatUser>;
    // One of an earlier version names no key; it can be minted anew, and not judged.
    return user.apiKeyId === undefined || user.issuedAt === undefined ? undefined : (user as ChatUser);
  } catch {
    return undefined;
  }
}
