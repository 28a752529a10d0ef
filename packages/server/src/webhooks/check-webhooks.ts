import type { CheckWebhooksReply, WebhookCheckResult } from "@signalbox/contract";
import { once, recall, type AgentCaller, type AgentDatabase, type Refusal } from "../platform/index.ts";
import { keepChecks } from "./check-history.ts";
import { probeWebhooks, type Finding, type ProbedWebhook, type ProbeParts } from "./probe-webhooks.ts";

export interface CheckParts extends ProbeParts {
  agents: AgentDatabase;
}

/** Forbidden and unreachable addresses must look alike: what has no answer is told in steps of this. */
const UNANSWERED_STEP_MS = 10;

/**
 * Section 4.3. Stored are the answer to an Idempotency-Key and an entry in the history, and no connection to the database is
 * held while developers take their time.
 */
export async function checkWebhooks(
  parts: CheckParts,
  { agentId, idempotency }: AgentCaller,
): Promise<CheckWebhooksReply | Refusal> {
  const { agents, sealer } = parts;
  const scope = { agentId, idempotency };
  const earlier = await agents.asAgent(agentId, (db) => recall<CheckWebhooksReply>(db, sealer, scope));
  if (earlier !== undefined) return earlier;

  const probed = await probeWebhooks(parts, agentId, "configured");
  await keepChecks(parts.db, agentId, probed);
  const results = probed.map(({ webhook, findings }) => resultOf(webhook, findings));
  return agents.asAgent(agentId, (db) => once(db, sealer, scope, async () => ({ results })));
}

/** A human service is reachable only if both of its endpoints are. Its one result is of the first that is not, or of the first. */
export function resultOf({ id, kind, name, url }: ProbedWebhook, findings: Finding[]): WebhookCheckResult {
  const failed = findings.find(({ cause }) => cause !== undefined);
  const told = failed ?? findings[0];
  const probe = {
    webhook_url: told?.url ?? url,
    reachable: failed === undefined,
    http_status: told?.status ?? 0,
    latency_ms: Math.max(0, ...findings.map(latencyMs)),
  };
  return kind === "message"
    ? { type: "message", component_id: null, component_name: null, ...probe }
    : { type: "human_service", component_id: id, component_name: name ?? "", ...probe };
}

function latencyMs({ status, spentMs, cause }: Finding): number {
  if (cause === "unreadable_secret") return 0;
  if (status !== 0) return Math.round(spentMs);
  return Math.max(1, Math.ceil(spentMs / UNANSWERED_STEP_MS)) * UNANSWERED_STEP_MS;
}
