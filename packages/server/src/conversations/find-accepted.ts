import { sql } from "kysely";
import type { AgentDatabase } from "../platform/index.ts";
import type { UserMessage } from "./accept-messages.ts";

/** The place of each message that is stored, in the order of the messages; undefined for the others. */
export async function findAccepted(
  agents: AgentDatabase,
  messages: UserMessage[],
): Promise<(number | undefined)[]> {
  const found = new Map<string, number>();
  for (const [agentId, ofAgent] of Map.groupBy(messages, ({ agentId }) => agentId)) {
    const rows = await agents.asAgent(agentId, async (db) => {
      const { rows } = await sql<{ id: string; seq: number }>`
        select m.id, m.seq from unnest(${ofAgent.map(({ id }) => id)}::uuid[]) as asked(id),
        lateral (select id, seq from message where id = asked.id and agent_id = ${agentId}) m`.execute(db);
      return rows;
    });
    for (const { id, seq } of rows) found.set(id, seq);
  }
  return messages.map(({ id }) => found.get(id));
}
