import { sql } from "kysely";
import type { Database } from "../platform/index.ts";
import type { Conversation } from "./scene.ts";

/** Rule 9: the conversation is locked first, then its lanes by id. For whoever is going to write to more than one of them. */
export async function lockLanes(
  db: Database,
  { agentId, id }: Pick<Conversation, "agentId" | "id">,
): Promise<void> {
  await sql`select id from lane where agent_id = ${agentId} and conversation_id = ${id} order by id for update`.execute(
    db,
  );
}
