import {
  ACKNOWLEDGED,
  type Acknowledged,
  type InputOf,
  type RevokeChatTokensRequest,
} from "@signalbox/contract";
import { sql } from "kysely";
import type { Sweep } from "../engine/index.ts";
import {
  audit,
  once,
  type Actor,
  type AgentCaller,
  type AgentDatabase,
  type Database,
  type OperatorCaller,
  type OperatorWriting,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";
import { ALL_USERS, anonymousSubject, userSubject } from "./chat-access.ts";

/** Refuses every token issued until now for those it names: a user, an anonymous id, or all users of the agent. */
export async function revokeChatTokens(
  db: Database,
  caller: Actor,
  agentId: string,
  { user_id, anonymous_id, all_users }: RevokeChatTokensRequest,
): Promise<Acknowledged> {
  const subjects = all_users
    ? [ALL_USERS]
    : [user_id ? userSubject(user_id) : [], anonymous_id ? anonymousSubject(anonymous_id) : []].flat();
  // Whole milliseconds, as in a token.
  await sql`
    insert into chat_revocation (agent_id, subject, not_before)
    select ${agentId}::uuid, subject, date_trunc('milliseconds', clock_timestamp()) from unnest(${subjects}::text[]) as subject
    on conflict (agent_id, subject) do update set not_before = greatest(chat_revocation.not_before, excluded.not_before)`.execute(
    db,
  );
  await audit(db, caller, {
    action: "chat_tokens.revoke",
    agentId,
    subjectId: agentId,
    detail: { all_users, by_user_id: Boolean(user_id), by_anonymous_id: Boolean(anonymous_id) },
  });
  return ACKNOWLEDGED;
}

/** By a caller, of its own agent. */
export function revokeOwnChatTokens(
  { agents, sealer }: { agents: AgentDatabase; sealer: Sealer },
  caller: AgentCaller,
  whose: InputOf<"revokeChatTokens">,
): Promise<Acknowledged | Refusal> {
  return agents.asAgent(caller.agentId, (db) =>
    once(db, sealer, caller, (db) => revokeChatTokens(db, caller, caller.agentId, whose)),
  );
}

/** By an operator, of any agent. */
export function revokeAgentChatTokens(
  { operator }: { operator: OperatorWriting },
  caller: OperatorCaller,
  { agent_id, ...whose }: InputOf<"revokeAgentChatTokens">,
): Promise<Acknowledged | Refusal> {
  return operator.write(caller, async (db): Promise<Acknowledged | Refusal> => {
    const missing = await operator.requireLiveAgent(db, agent_id);
    return missing ?? revokeChatTokens(db, caller, agent_id, whose);
  });
}

const FORGET_EVERY_MS = 3_600_000;

/** No token lives longer than a day, so an older revocation has nothing left to refuse. */
export function revocationSweep(db: Database): Sweep {
  return {
    name: "chat_revocations",
    everyMs: FORGET_EVERY_MS,
    run: async () => {
      const { numAffectedRows } =
        await sql`delete from chat_revocation where not_before < now() - interval '25 hours'`.execute(db);
      return Number(numAffectedRows ?? 0);
    },
  };
}
