import { sql } from "kysely";
import type { AgentCaller, BrowserCaller, OperatorCaller } from "./caller.ts";
import type { Database } from "./database.ts";
import { newId } from "./ids.ts";

export interface AuditedChange {
  action: string;
  agentId: string;
  /** Null: nobody knows of whom or what, as of a sign-in with an address that nobody has. */
  subjectId: string | null;
  /** What changed, in words and flags. Secrets are named, never shown; users are not named, because no row is ever erased. */
  detail: Record<string, unknown>;
}

/** Who acts; the service itself where nobody asks for it at that moment, as when a grace ends. */
export type Actor = OperatorCaller | AgentCaller | BrowserCaller | "service";

/** Belongs in the transaction of the change itself: no change without its row, no row without its change. */
export async function audit(
  db: Database,
  caller: Actor,
  { action, agentId, subjectId, detail }: AuditedChange,
): Promise<void> {
  await db
    .insertInto("audit")
    .values({
      id: newId(),
      ...actorOf(caller),
      action,
      agent_id: agentId,
      subject_id: subjectId,
      detail: JSON.stringify(detail),
    })
    .execute();
}

/** An open page reads again and again. Within this time that is one read. */
const READ_WINDOW_MINUTES = 10;

/**
 * A read of what users said, unless the same caller read the same from the same address within the window. Rows are only added:
 * the first read of a window writes its row. Reads that run at once may write one each.
 */
export async function recordRead(
  db: Database,
  caller: OperatorCaller,
  { action, agentId, subjectId }: Omit<AuditedChange, "detail">,
): Promise<void> {
  const { actor, actorId, actorName, request } = caller;
  await sql`
    insert into audit (id, actor, actor_id, actor_name, address, request_id, action, agent_id, subject_id, detail)
    select ${newId()}, ${actor}, ${actorId}::uuid, ${actorName}, ${request.address}, ${request.id}, ${action}, ${agentId},
      ${subjectId}, '{}'
    where not exists (select from audit
      where subject_id = ${subjectId} and at > now() - ${READ_WINDOW_MINUTES} * interval '1 minute'
        and agent_id = ${agentId} and action = ${action} and actor = ${actor}
        and actor_id is not distinct from ${actorId}::uuid and address is not distinct from ${request.address})`.execute(
    db,
  );
}

function actorOf(caller: Actor) {
  if (caller === "service") return { actor: caller };
  const { address, id: request_id } = caller.request;
  if (caller.kind === "browser") return { actor: "browser", address, request_id };
  return { ...authorColumns(caller), address, request_id };
}

/** Who acts, as the columns of a row that names its author. */
export function authorColumns(caller: OperatorCaller | AgentCaller) {
  return caller.kind === "agent"
    ? { actor: "api_key", actor_id: caller.apiKeyId, actor_name: caller.apiKeyName }
    : { actor: caller.actor, actor_id: caller.actorId, actor_name: caller.actorName };
}
