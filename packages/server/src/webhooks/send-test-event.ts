import {
  CALL_OF_EVENT,
  developerCalls,
  developerCallUrl,
  type InputOf,
  type TestableEvent,
  type WebhookProbe,
} from "@signalbox/contract";
import { getAgent, writeAsOperator } from "../agents/index.ts";
import {
  audit,
  newId,
  OPERATOR_SCOPE,
  recall,
  refuse,
  Refusal,
  type Database,
  type OperatorCaller,
} from "../platform/index.ts";
import { describeFinding } from "./diagnose-webhooks.ts";
import { sendTestRequests, type ProbedWebhook, type ProbeParts, type TestRequest } from "./probe-webhooks.ts";

/**
 * One call with a body that an operator wrote, marked as a test whatever it says: receivers take it for no message. Nothing of
 * it is queued, tried again or kept; the audit tells that it was sent, and how it ended.
 */
export async function sendTestEvent(
  parts: ProbeParts,
  from: OperatorCaller,
  { agent_id, webhook_id, event, body }: InputOf<"sendTestEvent">,
): Promise<WebhookProbe | Refusal> {
  const { db, sealer } = parts;
  const scope = { agentId: OPERATOR_SCOPE, idempotency: from.idempotency };
  const earlier = await recall<WebhookProbe>(db, sealer, scope);
  if (earlier !== undefined) return earlier;
  const agent = await getAgent(parts, { agent_id });
  if (agent instanceof Refusal) return agent;
  const webhook = await findWebhook(db, agent_id, webhook_id);
  if (webhook === undefined) return refuse("notFound", "this agent has no webhook with this webhook_id");
  const call = CALL_OF_EVENT[event];
  if (developerCalls[call].target !== webhook.kind)
    return refuse("badParameter", `event must be ${eventsOf(webhook.kind)} for this webhook`);

  const request: TestRequest = {
    url: developerCallUrl(webhook.url, call),
    body: { ...body, istest: true },
    facts: { event, ...factsOf(event), attempt: 1, sequence: 0 },
  };
  const [finding] = await sendTestRequests(parts, webhook, [request]);
  if (finding === undefined) throw new Error("a test event came to nothing");
  const probe = describeFinding(finding);
  return writeAsOperator(parts, from, async (db) => {
    const detail = { event, http_status: probe.http_status, cause: probe.cause };
    await audit(db, from, { action: "webhook.test", agentId: agent_id, subjectId: webhook_id, detail });
    return probe;
  });
}

function findWebhook(db: Database, agentId: string, webhookId: string): Promise<ProbedWebhook | undefined> {
  return db
    .selectFrom("webhook")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("id", "=", webhookId)
    .where("kind", "in", ["message", "human_service"])
    .where("deleted_at", "is", null)
    .executeTakeFirst();
}

function eventsOf(kind: string): string {
  return kind === "message" ? "message" : "handoff_requested, message_left or user_message";
}

function factsOf(event: TestableEvent) {
  return event === "message" ? { sender: "system" } : { sender: "user", conversation: newId() };
}
