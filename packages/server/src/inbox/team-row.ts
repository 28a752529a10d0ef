import { sql } from "kysely";
import { refuse, type Database, type Refusal } from "../platform/index.ts";

/** Kept until the commit, so that it is not deleted before the chat has come to it. */
export async function holdTeam(
  db: Database,
  { agentId, teamId }: { agentId: string; teamId: string },
): Promise<Refusal | undefined> {
  const { rows } = await sql`
    select from inbox_team where agent_id = ${agentId} and id = ${teamId} for key share`.execute(db);
  return rows.length === 0 ? refuse("badParameter", "team_id is not a team of this inbox") : undefined;
}
