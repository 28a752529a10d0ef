import type { AuditPage, InputOf } from "@signalbox/contract";
import { recordRead, Refusal, type Database, type OperatorCaller } from "../platform/index.ts";
import { pageOfRows, pageStart } from "./paging.ts";

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
    actor_id: row.actor_id,
    actor_name: row.actor_name,
    address: row.address,
    request_id: row.request_id,
    action: row.action,
    agent_id: row.agent_id,
    subject_id: row.subject_id,
    // Safe because audit() is the only writer.
    detail: row.detail as Record<string, unknown>,
  }));
}

/** A read of what users said is recorded before it is answered: nobody reads without a row of the last minutes. */
export async function auditRead<Result>(
  { db }: { db: Database },
  caller: OperatorCaller,
  read: { action: string; agentId: string; subjectId: string },
  result: Result | Refusal,
): Promise<Result | Refusal> {
  if (!(result instanceof Refusal)) await recordRead(db, caller, read);
  return result;
}
