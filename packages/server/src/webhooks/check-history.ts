import { causePage, type Cause, type InputOf, type WebhookCheckPage } from "@signalbox/contract";
import { sql } from "kysely";
import { getAgent, pageOfRows, pageStart, type OperatorParts } from "../agents/index.ts";
import { newId, Refusal, type Database } from "../platform/index.ts";
import type { Finding, ProbedWebhook } from "./probe-webhooks.ts";

/** For each webhook; a new one removes the oldest. */
const CHECKS_KEPT = 50;

/** One entry for each webhook that was checked: of the first request that failed, or of the first. */
export async function keepChecks(
  db: Database,
  agentId: string,
  probed: { webhook: ProbedWebhook; findings: Finding[] }[],
): Promise<void> {
  const rows = probed.flatMap(({ webhook, findings }) => {
    const told = findings.find(({ cause }) => cause !== undefined) ?? findings[0];
    if (told === undefined) return [];
    return {
      agent_id: agentId,
      webhook_id: webhook.id,
      id: newId(),
      url: told.url,
      http_status: told.status,
      latency_ms: Math.round(Math.max(...findings.map(({ spentMs }) => spentMs))),
      cause: told.cause ?? null,
    };
  });
  if (rows.length === 0) return;
  await db.insertInto("webhook_check").values(rows).execute();
  const webhookIds = rows.map((row) => row.webhook_id);
  await sql`
    delete from webhook_check c using (
      select webhook_id, id, row_number() over (partition by webhook_id order by id desc) as place
      from webhook_check where agent_id = ${agentId} and webhook_id = any(${webhookIds}::uuid[])) o
    where c.agent_id = ${agentId} and c.webhook_id = o.webhook_id and c.id = o.id and o.place > ${CHECKS_KEPT}`.execute(
    db,
  );
}

/** Newest first; of deleted webhooks none. */
export async function listWebhookChecks(
  parts: OperatorParts,
  { agent_id, webhook_id, cursor, limit }: InputOf<"listWebhookChecks">,
): Promise<WebhookCheckPage | Refusal> {
  const start = pageStart(cursor);
  if (start instanceof Refusal) return start;
  const agent = await getAgent(parts, { agent_id });
  if (agent instanceof Refusal) return agent;
  const rows = await parts.db
    .selectFrom("webhook_check")
    .innerJoin("webhook", (join) =>
      join
        .onRef("webhook.agent_id", "=", "webhook_check.agent_id")
        .onRef("webhook.id", "=", "webhook_check.webhook_id"),
    )
    .selectAll("webhook_check")
    .where("webhook_check.agent_id", "=", agent_id)
    .where("webhook.deleted_at", "is", null)
    .where("webhook_check.id", "<", start)
    .$if(webhook_id !== undefined, (query) => query.where("webhook_check.webhook_id", "=", webhook_id ?? ""))
    .orderBy("webhook_check.id", "desc")
    .limit(limit + 1)
    .execute();
  return pageOfRows(rows, limit, (row) => {
    // Safe because a finding's causes are the contract's.
    const cause = row.cause as Cause | null;
    return {
      check_id: row.id,
      webhook_id: row.webhook_id,
      check_time: row.checked_at.getTime(),
      url: row.url,
      reachable: cause === null,
      http_status: row.http_status,
      latency_ms: row.latency_ms,
      cause,
      cause_page: cause === null ? null : causePage(cause),
    };
  });
}
