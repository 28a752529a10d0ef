import { ACKNOWLEDGED, type Acknowledged, type InputOf } from "@signalbox/contract";
import { sql } from "kysely";
import { audit, refuse, type AgentCaller, type AgentDatabase, type Refusal } from "../../platform/index.ts";
import { raiseBaseVersion } from "./revision-store.ts";

/** All of them or none. Nobody finds their pairs from the commit on; the sweep removes them. Deleting twice is no mistake. */
export function deleteDocuments(
  { agents }: { agents: AgentDatabase },
  caller: AgentCaller,
  { doc }: InputOf<"deleteDocuments">,
): Promise<Acknowledged | Refusal> {
  const { agentId } = caller;
  return agents.asAgent(agentId, async (db) => {
    const ids = [...new Set(doc)];
    const known = await db
      .selectFrom("document")
      .select(["id", "knowledge_base_id", "deleted_at"])
      .where("agent_id", "=", agentId)
      .where("id", "in", ids)
      .orderBy("id")
      .forUpdate()
      .execute();
    if (known.length < ids.length)
      return refuse("badParameter", "doc contains an id that is not a document of this agent");
    const living = known.filter(({ deleted_at }) => deleted_at === null);
    if (living.length === 0) return ACKNOWLEDGED;
    const livingIds = living.map(({ id }) => id);
    await db
      .updateTable("document")
      .set({ deleted_at: sql`now()` })
      .where("agent_id", "=", agentId)
      .where("id", "in", livingIds)
      .execute();
    await db
      .updateTable("document_revision")
      .set({ state: "superseded", finished_at: sql`now()` })
      .where("agent_id", "=", agentId)
      .where("document_id", "in", livingIds)
      .where("state", "in", ["current", "appended", "held"])
      .execute();
    for (const baseId of new Set(living.map(({ knowledge_base_id }) => knowledge_base_id)))
      await raiseBaseVersion(db, agentId, baseId);
    for (const subjectId of livingIds)
      await audit(db, caller, { action: "document.delete", agentId, subjectId, detail: {} });
    return ACKNOWLEDGED;
  });
}
