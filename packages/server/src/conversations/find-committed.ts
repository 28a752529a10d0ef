import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import type { CommitResult, TurnReplies } from "./commit-replies.ts";

interface CommittedRow {
  place: number;
  more_due: boolean;
  lane_id: string | null;
  held_by: string | null;
}

/**
 * What the tables say of replies that may have been committed: a turn's replies stand together, so its last one says it of all.
 * Undefined where they are not there. A lane that this commit woke is called again, which finds nothing to do if others were there first.
 */
export async function findCommitted(
  db: Database,
  answered: TurnReplies[],
): Promise<(CommitResult | undefined)[]> {
  const { rows } = await sql<CommittedRow>`
    select asked.place::integer as place, c.turn_due_seq > c.turn_done_seq as more_due, l.id as lane_id, l.held_by
    from unnest(
      ${answered.map(({ turn }) => turn.agentId)}::uuid[], ${answered.map(({ turn }) => turn.conversationId)}::uuid[],
      ${answered.map(({ replies }) => replies.at(-1)?.messageId)}::uuid[], ${answered.map(({ turn }) => turn.destinationId ?? null)}::uuid[]
    ) with ordinality as asked(agent_id, conversation_id, message_id, destination_id, place),
    lateral (select from message where id = asked.message_id and agent_id = asked.agent_id) m,
    lateral (
      select turn_due_seq, turn_done_seq from conversation where agent_id = asked.agent_id and id = asked.conversation_id
    ) c
    left join lateral (
      select id, held_by from lane
      where agent_id = asked.agent_id and conversation_id = asked.conversation_id and destination_id = asked.destination_id
        and handoff_id is null and state = 'awake'
    ) l on true`.execute(db);
  const found = new Map(rows.map((row) => [row.place, row]));
  return answered.map(({ sentBy }, index) => {
    const row = found.get(index + 1);
    if (row === undefined) return undefined;
    const { lane_id: id, held_by: heldBy } = row;
    const is = sentBy !== undefined && heldBy === sentBy ? "held" : "woken";
    return { kind: "committed", moreDue: row.more_due, lane: id === null ? undefined : { id, is } };
  });
}
