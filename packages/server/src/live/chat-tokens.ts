import type { ChatToken, InputOf } from "@signalbox/contract";
import {
  once,
  randomText,
  Refusal,
  refuse,
  type AgentCaller,
  type AgentDatabase,
  type ChatUser,
  type Sealer,
} from "../platform/index.ts";

const CONTEXT = "chat_token";
const ANONYMOUS_LENGTH = 22;

/**
 * Lets one user into the live channel for a while. The developer's server mints it, so that no API key reaches a browser; it
 * is sealed, so that a browser can neither read nor change it, and every node opens it without asking.
 */
export async function mintChatToken(
  { agents, sealer }: { agents: AgentDatabase; sealer: Sealer },
  caller: AgentCaller,
  input: InputOf<"mintChatToken">,
): Promise<ChatToken | Refusal> {
  const { agentId, idempotency } = caller;
  const admit = () => Promise.resolve(userToAdmit(agentId, input));
  // Only a repeat has anything to do with the database. What is kept for it is the user, never a token.
  const user =
    idempotency === undefined
      ? await admit()
      : await agents.asAgent(agentId, (db) => once(db, sealer, caller, admit));
  if (user instanceof Refusal) return user;
  const { userId, anonymousId, expiresAt } = user;
  const token = sealer.seal(JSON.stringify(user), CONTEXT).toString("base64url");
  return { token, user_id: userId, anonymous_id: anonymousId, expire_time: expiresAt };
}

function userToAdmit(
  agentId: string,
  { user_id, anonymous_id, email, phone, expires_in_seconds }: InputOf<"mintChatToken">,
): ChatUser {
  return {
    agentId,
    userId: user_id ?? null,
    // Section 2.6: who talks on a channel of ours has one, signed in or not. It names its channel.
    anonymousId: anonymous_id ?? `widget:${randomText(ANONYMOUS_LENGTH)}`,
    email: email ?? null,
    phone: phone ?? null,
    expiresAt: Date.now() + expires_in_seconds * 1000,
  };
}

export function openChatToken(sealer: Sealer, token: string): ChatUser | Refusal {
  const user = unseal(sealer, token);
  if (user === undefined || user.expiresAt <= Date.now())
    return refuse("developerAuth", "the user's token is missing, wrong or expired; mint a new one");
  return user;
}

function unseal(sealer: Sealer, token: string): ChatUser | undefined {
  try {
    return JSON.parse(sealer.open(Buffer.from(token, "base64url"), CONTEXT)) as ChatUser;
  } catch {
    return undefined;
  }
}
