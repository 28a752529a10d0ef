import type { AuditPage, InputOf } from "@signalbox/contract";
import { newId, Refusal, type Database } from "../platform/index.ts";
import { pageOfRows, pageStart } from "./paging.ts";

export interface AuditedChange {
  action: string;
  agentId: string;
  subjectId: string;
  /** What changed, in words and flags; secrets are named, never shown. */
  detail: Record<string, unknown>;
}

/** Belongs in the transaction of the change itself: no change without its row, no row without its change. */
export async function audit(
  db: Database,
  { action, agentId, subjectId, detail }: AuditedChange,
): Promise<void> {
  await db
    .insertInto("audit")
    .values({
      id: newId(),
      actor: "operator",
      action,
      agent_id: agentId,
      subject_id: subjectId,
      detail: JSON.stringify(detail),
    })
    .execute();
}

export async function listAudit(
  { db }: { db: Database },
  { agent_id, cursor, limit }: InputOf<"listAudit">,
): Promise<AuditPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const rows = await db
    .selectFrom("audit")
    .selectAll()
    .where("id", "<", start)
    .$if(agent_id !== undefined, (query) => query.where("agent_id", "=", agent_id ?? null))
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOfRows(rows, limit, (row) => ({
    audit_id: row.id,
    at: row.at.getTime(),
    actor: row.actor,
    action: row.action,
    agent_id: row.agent_id,
    subject_id: row.subject_id,
    // Safe because audit() above is the only writer.
    detail: row.detail as Record<string, unknown>,
  }));
}
