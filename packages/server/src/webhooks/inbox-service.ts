import {
  ACKNOWLEDGED,
  SetInboxRequest,
  type Acknowledged,
  type Inbox,
  type InboxAssignment,
  type InputOf,
} from "@signalbox/contract";
import { sql } from "kysely";
import { requireAgent, requireLiveAgent, writeAsOperator } from "../agents/index.ts";
import {
  audit,
  newId,
  refuse,
  unlessRefused,
  type Database,
  type OperatorCaller,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";
import { openDestination, type Destination } from "./destination.ts";
import { jsonOrNull } from "./human-services.ts";
import { newSigningSecret, sealSecret } from "./secrets.ts";
import type { EndpointParts } from "./webhook-settings.ts";

/** Where the service receives the calls to an inbox; its own routes follow it. */
const INBOX_PATH = "/inbox/v1";

/** The human service that the service itself answers for. Its signing secret is not shown: nobody else signs with it. */
export function setInbox(
  parts: EndpointParts & { inboxUrl: string },
  caller: OperatorCaller,
  { agent_id, name, assignment, business_hours, first_reply }: InputOf<"setInbox">,
): Promise<Inbox | Refusal> {
  const change = writeAsOperator(parts, caller, async (db) => {
    const missing = await requireLiveAgent(db, agent_id);
    if (missing !== undefined) return missing;
    const settings = {
      name,
      inbox_assignment: assignment,
      business_hours: jsonOrNull(business_hours),
      first_reply: jsonOrNull(first_reply),
    };
    const stored = await readRow(db, agent_id);
    const id = stored?.id ?? newId();
    if (stored === undefined) {
      const identity = { agentId: agent_id, webhookId: id };
      await db
        .insertInto("webhook")
        .values({
          ...settings,
          id,
          agent_id,
          kind: "human_service",
          url: `${parts.inboxUrl}${INBOX_PATH}/${id}`,
          allow_unauthenticated_replies: false,
          signing_secret_sealed: sealSecret(
            parts.sealer,
            identity,
            "signing_secret_sealed",
            newSigningSecret(),
          ),
        })
        .execute();
    } else {
      await db
        .updateTable("webhook")
        .set({ ...settings, updated_at: sql`now()` })
        .where("id", "=", id)
        .execute();
    }
    await audit(db, caller, {
      action: stored === undefined ? "inbox.enable" : "inbox.update",
      agentId: agent_id,
      subjectId: id,
      detail: { name, assignment, business_hours, first_reply },
    });
    return describe(await readRow(db, agent_id));
  });
  return unlessRefused(change, () => parts.onChanged(agent_id));
}

export async function getInbox(
  { db }: { db: Database },
  { agent_id }: InputOf<"getInbox">,
): Promise<Inbox | Refusal> {
  return (await requireAgent(db, agent_id)) ?? describe(await readRow(db, agent_id));
}

/** As for any desk that is deleted, its open handoffs end and the agent has control again. */
export function deleteInbox(
  parts: EndpointParts,
  caller: OperatorCaller,
  { agent_id }: InputOf<"deleteInbox">,
): Promise<Acknowledged | Refusal> {
  const change = writeAsOperator(parts, caller, async (db) => {
    const row = await readRow(db, agent_id);
    if (row === undefined) return refuse("notFound", "this agent has no inbox");
    await db
      .updateTable("webhook")
      .set({ deleted_at: sql`now()` })
      .where("id", "=", row.id)
      .execute();
    await audit(db, caller, { action: "inbox.disable", agentId: agent_id, subjectId: row.id, detail: {} });
    return ACKNOWLEDGED;
  });
  return unlessRefused(change, () => parts.onDeleted(agent_id));
}

/** An inbox as its receiver needs it: its agent, and the secret that signs its calls. */
export async function openInbox(
  { db, sealer }: { db: Database; sealer: Sealer },
  componentId: string,
): Promise<{ agentId: string; destination: Destination } | undefined> {
  const row = await db
    .selectFrom("webhook")
    .innerJoin("agent", "agent.id", "webhook.agent_id")
    .selectAll("webhook")
    .where("webhook.id", "=", componentId)
    .where("webhook.inbox_assignment", "is not", null)
    .where("webhook.deleted_at", "is", null)
    .where("agent.deleted_at", "is", null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { agentId: row.agent_id, destination: openDestination(row, sealer, new Date()) };
}

function readRow(db: Database, agentId: string) {
  return db
    .selectFrom("webhook")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("inbox_assignment", "is not", null)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

function describe(row: Awaited<ReturnType<typeof readRow>>): Inbox {
  if (row === undefined) return { component_id: null, is_enabled: false, ...SetInboxRequest.parse({}) };
  return {
    component_id: row.id,
    is_enabled: true,
    name: row.name ?? "",
    assignment: row.inbox_assignment as InboxAssignment,
    business_hours: row.business_hours as Inbox["business_hours"],
    first_reply: row.first_reply as Inbox["first_reply"],
  };
}
