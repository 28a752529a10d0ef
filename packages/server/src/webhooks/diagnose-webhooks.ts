import { causePage, type DiagnoseWebhooksReply, type InputOf, type WebhookProbe } from "@signalbox/contract";
import { getAgent, writeAsOperator } from "../agents/index.ts";
import { OPERATOR_SCOPE, recall, Refusal, type OperatorCaller } from "../platform/index.ts";
import { keepChecks } from "./check-history.ts";
import { resultOf } from "./check-webhooks.ts";
import { probeWebhooks, type Finding, type ProbeParts } from "./probe-webhooks.ts";

/**
 * The check of 4.3 for operators, who may know why: whether an address is forbidden or merely unreachable, and what the
 * receiver answered. A caller with an API key is told neither.
 */
export async function diagnoseWebhooks(
  parts: ProbeParts,
  from: OperatorCaller,
  { agent_id }: InputOf<"diagnoseWebhooks">,
): Promise<DiagnoseWebhooksReply | Refusal> {
  const { db, sealer } = parts;
  const scope = { agentId: OPERATOR_SCOPE, idempotency: from.idempotency };
  const earlier = await recall<DiagnoseWebhooksReply>(db, sealer, scope);
  if (earlier !== undefined) return earlier;
  const agent = await getAgent(parts, { agent_id });
  if (agent instanceof Refusal) return agent;

  const probed = await probeWebhooks(parts, agent_id, "all");
  const results = probed.map(({ webhook, findings }) => ({
    webhook_id: webhook.id,
    ...resultOf(webhook, findings),
    probes: findings.map(describeFinding),
  }));
  await keepChecks(db, agent_id, probed);
  return writeAsOperator(parts, from, async () => ({ results }));
}

export function describeFinding({ url, status, spentMs, cause, answer }: Finding): WebhookProbe {
  return {
    url,
    http_status: status,
    latency_ms: Math.round(spentMs),
    cause: cause ?? null,
    cause_page: cause === undefined ? null : causePage(cause),
    response_body: answer?.toString("utf8") ?? null,
  };
}
