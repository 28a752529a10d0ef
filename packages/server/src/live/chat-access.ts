import { sql } from "kysely";
import { derivedId, refuse, type ChatUser, type Database, type Refusal } from "../platform/index.ts";

type Ending = "agent_deleted" | "token_ended";

/** The subjects under which tokens are revoked; the empty one stands for every user of the agent. Who is meant is not kept. */
export const ALL_USERS = "";
export const userSubject = (userId: string) => derivedId("user", userId);
export const anonymousSubject = (anonymousId: string) => derivedId("anonymous", anonymousId);

/** Sealed and in time is not enough. For each token, in their order, why it opens nothing any more; undefined: it does. */
export async function readEndedTokens(
  db: Database,
  users: readonly ChatUser[],
): Promise<(Refusal | undefined)[]> {
  const column = <Value>(read: (user: ChatUser, place: number) => Value) => users.map(read);
  const { rows } = await sql<{ place: number; ending: Ending }>`
    select given.place,
      case when agent.deleted_at is not null then 'agent_deleted' else 'token_ended' end as ending
    from unnest(${column((_, place) => place)}::integer[], ${column(({ agentId }) => agentId)}::uuid[],
      ${column(({ apiKeyId }) => apiKeyId)}::uuid[], ${column(({ userId }) => userId && userSubject(userId))}::text[],
      ${column(({ anonymousId }) => anonymousId && anonymousSubject(anonymousId))}::text[],
      ${column(({ issuedAt }) => issuedAt)}::float8[])
      as given(place, agent_id, api_key_id, user_subject, anonymous_subject, issued_at_ms)
    left join agent on agent.id = given.agent_id
    left join api_key on api_key.id = given.api_key_id and api_key.agent_id = given.agent_id
    where agent.id is null or agent.deleted_at is not null
      or api_key.id is null or api_key.revoked_at is not null or api_key.expires_at <= now()
      or exists (
        select from chat_revocation
        where agent_id = given.agent_id and subject in (${ALL_USERS}, given.user_subject, given.anonymous_subject)
          and not_before >= to_timestamp(given.issued_at_ms / 1000)
      )`.execute(db);
  const refusals: (Refusal | undefined)[] = users.map(() => undefined);
  for (const { place, ending } of rows)
    refusals[place] = ending === "agent_deleted" ? refuse("agentDeleted") : tokenEnded();
  return refusals;
}

/** One answer for every reason, so that nobody learns from it which tokens once were good. */
export function tokenEnded(): Refusal {
  return refuse(
    "developerAuth",
    "the chat token is missing, invalid, expired or revoked; create a new one with POST /chat/v1/tokens",
  );
}
