import {
  ACKNOWLEDGED,
  type InboxMember,
  type InboxMemberList,
  type InputOf,
  type Presence,
} from "@signalbox/contract";
import { sql } from "kysely";
import { requireAgent, requireLiveAgent, writeAsOperator } from "../agents/index.ts";
import { audit, Refusal, refuse, type Database, type OperatorCaller } from "../platform/index.ts";
import { offerAgain } from "./offer-again.ts";
import { IS_AVAILABLE } from "./offer-talks.ts";
import type { TalkParts } from "./take-talk.ts";

/** A person who arrives is offered waiting chats; the offers of one who leaves return to the queue, or go to the next. */
export async function setPresence(
  parts: TalkParts,
  caller: OperatorCaller,
  { agent_id: agentId, presence }: InputOf<"setPresence">,
): Promise<InboxMemberList | Refusal> {
  const { actor, actorId } = caller;
  const saved = await writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agentId);
    if (missing !== undefined) return missing;
    if (actor !== "account" || actorId === null)
      return refuse("stateConflict", "only accounts have a presence; sign in to the console");
    await savePresence(db, caller, { agentId, accountId: actorId, presence });
    return ACKNOWLEDGED;
  });
  if (saved instanceof Refusal) return saved;
  await offerAgain(parts, agentId);
  return listInboxMembers(parts, caller, { agent_id: agentId });
}

/** The audit has a row when somebody comes or goes, not for every sign of life between. */
async function savePresence(
  db: Database,
  caller: OperatorCaller,
  { agentId, accountId, presence }: { agentId: string; accountId: string; presence: Presence },
): Promise<void> {
  const { rows } = await sql<{ presence: Presence }>`
    select presence from inbox_presence where agent_id = ${agentId} and account_id = ${accountId} for update`.execute(
    db,
  );
  await sql`insert into inbox_presence (agent_id, account_id, presence) values (${agentId}, ${accountId}, ${presence})
    on conflict (agent_id, account_id) do update set presence = excluded.presence, set_at = now()`.execute(
    db,
  );
  if ((rows[0]?.presence ?? "away") === presence) return;
  await audit(db, caller, {
    action: "inbox.presence",
    agentId,
    subjectId: accountId,
    detail: { presence },
  });
}

interface PresenceRow {
  account_id: string;
  is_available: boolean;
}

export async function listInboxMembers(
  { db, readAnswerers }: Pick<TalkParts, "db" | "readAnswerers">,
  caller: OperatorCaller,
  { agent_id: agentId }: InputOf<"listInboxMembers">,
): Promise<InboxMemberList | Refusal> {
  const missing = await requireAgent(db, agentId);
  if (missing !== undefined) return missing;
  const people = await readAnswerers(db, agentId);
  const { rows } = await sql<PresenceRow>`
    select p.account_id, ${IS_AVAILABLE} as is_available from inbox_presence p where p.agent_id = ${agentId}`.execute(
    db,
  );
  const { rows: held } = await sql<{ holder_id: string; count: number }>`
    select holder_id, count(*)::integer as count from inbox_talk
    where agent_id = ${agentId} and state = 'taken' and holder = 'account' group by holder_id`.execute(db);
  const available = new Set(rows.filter((row) => row.is_available).map(({ account_id }) => account_id));
  const counts = new Map(held.map(({ holder_id, count }) => [holder_id, count]));
  return {
    list: people.map(({ accountId, name, email }): InboxMember => ({
      account_id: accountId,
      name,
      email,
      presence: available.has(accountId) ? "available" : "away",
      open_count: counts.get(accountId) ?? 0,
      is_me: caller.actor === "account" && caller.actorId === accountId,
    })),
  };
}
