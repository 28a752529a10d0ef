import { sql } from "kysely";
import { settingsOf, type StoredSettings } from "../handoff/index.ts";
import { createGroupCommit, type Database, type GroupCommit, type Log } from "../platform/index.ts";
import { hasDesk } from "./callers-turn-store.ts";
import {
  DUE_MESSAGES,
  IS_LEASED,
  oldestDue,
  turnOf,
  type Turn,
  type TurnCall,
  type TurnClaim,
  type TurnRow,
} from "./turn-store.ts";

export type ReadResult =
  | { kind: "read"; turn: Turn }
  | { kind: "nothing_due" }
  /** Another call has opened it, and is at work. */
  | { kind: "taken" };

export type ReadTogether = GroupCommit<TurnCall & { agentId: string }, ReadResult>;

/** Turns of all agents that begin at the same moment are read in one statement. */
export function readTogether(
  db: Database,
  claim: Pick<TurnClaim, "waitsMs" | "most">,
  log: Log,
): ReadTogether {
  return createGroupCommit({
    groupOf: () => "",
    shareOf: ({ agentId }) => agentId,
    write: (_, asked) => readTurns(db, asked, claim),
    readBack: "repeatable",
    log,
  });
}

type ReadRow = Omit<TurnRow, "turn_id" | "has_desk"> & {
  place: number;
  is_taken: boolean;
  desk_settings: StoredSettings | null;
};

/**
 * Reads the turns for the oldest unanswered messages of conversations of any agents, by key and without a lock. Nothing is
 * stored: the commit finds out whether it still holds (ADR 0033). The first of two calls for one conversation gets it.
 */
export async function readTurns(
  db: Database,
  asked: (TurnCall & { agentId: string })[],
  claim: Pick<TurnClaim, "waitsMs" | "most">,
): Promise<ReadResult[]> {
  const agentId = sql<string>`asked.agent_id`;
  const { rows } = await sql<ReadRow>`
    select asked.place, c.*, now() as began_at, due.messages as due,
      (select id from webhook where agent_id = asked.agent_id and kind = 'message' and deleted_at is null
        and (not c.is_live or mirrors_live)) as destination_id,
      case when ${hasDesk(agentId)} then ${settingsOf(agentId)} end as desk_settings,
      exists (select from turn where agent_id = asked.agent_id and conversation_id = asked.conversation_id and state = 'open'
        and owner <> asked.call_id and ${IS_LEASED}) as is_taken
    from unnest(
      ${asked.map((one) => one.agentId)}::uuid[], ${asked.map(({ conversationId }) => conversationId)}::uuid[],
      ${asked.map(({ callId }) => callId)}::text[]
    ) with ordinality as asked(agent_id, conversation_id, call_id, place),
    lateral (
      select turn_awake and control = 'bot' and redacted_at is null as is_due, channel <> 'api' as is_live, turn_done_seq, epoch,
        user_id, anonymous_id, no_answers, handoff_quiet_seq as quiet_seq, coalesce(handoff_quiet_until > now(), false) as is_quiet,
        away_component_id is not null as awaits_address
      from conversation where agent_id = asked.agent_id and id = asked.conversation_id
      limit 1
    ) c,
    lateral (
      select ${DUE_MESSAGES} as messages
      from (${oldestDue({ agentId, conversationId: sql`asked.conversation_id`, doneSeq: sql`c.turn_done_seq` }, claim)}) m
      where c.is_due and not m.is_for_caller
    ) due`.execute(db);
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  const given = new Set<string>();
  return asked.map(({ agentId, conversationId }, index): ReadResult => {
    const row = byPlace.get(index + 1);
    if (row === undefined || row.due === null || given.has(conversationId)) return { kind: "nothing_due" };
    if (row.is_taken) return { kind: "taken" };
    given.add(conversationId);
    const { desk_settings: deskSettings } = row;
    const turn = turnOf({ agentId, conversationId }, undefined, { ...row, has_desk: deskSettings !== null });
    return { kind: "read", turn: { ...turn, deskSettings: deskSettings ?? undefined } };
  });
}
