import {
  developerCallUrl,
  type CheckWebhooksReply,
  type DeveloperCallName,
  type WebhookCheckResult,
} from "@signalbox/contract";
import {
  newId,
  once,
  recall,
  type AgentCaller,
  type AgentDatabase,
  type Database,
  type Log,
  type Outbound,
  type Refusal,
  type Sealer,
} from "../platform/index.ts";
import { callDeveloper, type RequestFacts } from "./call-developer.ts";
import { openDestination, type Destination, type DestinationRow } from "./destination.ts";
import { testHandoff, testMessage } from "./test-bodies.ts";

export interface CheckParts {
  /** Of the work role: the api's own may not read credentials. */
  db: Database;
  agents: AgentDatabase;
  sealer: Sealer;
  outbound: Outbound;
  log: Log;
}

const PROBE_MS = 5_000;
/** Forbidden and unreachable addresses must look alike: what has no answer is told in steps of this. */
const UNANSWERED_STEP_MS = 10;

/**
 * Section 4.3: asks every webhook of the agent by the very code, credentials and network rules of delivery. Nothing is
 * stored but the answer to an Idempotency-Key, and no connection to the database is held while developers take their time.
 */
export async function checkWebhooks(
  parts: CheckParts,
  { agentId, idempotency }: AgentCaller,
): Promise<CheckWebhooksReply | Refusal> {
  const { db, agents, sealer } = parts;
  const scope = { agentId, idempotency };
  const earlier = await agents.asAgent(agentId, (db) => recall<CheckWebhooksReply>(db, sealer, scope));
  if (earlier !== undefined) return earlier;

  const rows = await readWebhooks(db, agentId);
  // All at once: one that hangs uses up its own time and nobody else's.
  const results = await Promise.all(rows.map((row) => checkWebhook(parts, agentId, row)));
  return agents.asAgent(agentId, (db) => once(db, sealer, scope, async () => ({ results })));
}

type WebhookRow = DestinationRow & { kind: string; name: string | null };

function readWebhooks(db: Database, agentId: string): Promise<WebhookRow[]> {
  return db
    .selectFrom("webhook")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("kind", "in", ["message", "human_service"])
    .where("deleted_at", "is", null)
    .orderBy((order) => order("kind", "=", "message"), "desc")
    .orderBy("id")
    .execute();
}

async function checkWebhook(
  { sealer, outbound, log }: CheckParts,
  agentId: string,
  row: WebhookRow,
): Promise<WebhookCheckResult> {
  const now = new Date();
  const probes = probesOf(agentId, row, now);
  let destination: Destination;
  try {
    destination = openDestination(row, sealer, now);
  } catch (error) {
    // Delivery could not reach it either.
    log.error({ err: error, destinationId: row.id }, "the secrets of a webhook do not open");
    return describe(
      row,
      probes.map(({ url }) => ({ url, status: 0, latencyMs: 0 })),
    );
  }
  return describe(row, await Promise.all(probes.map((probe) => ask(outbound, destination, probe))));
}

/** One request of the test. */
interface Probe {
  url: string;
  body: object;
  facts: RequestFacts;
}

function probesOf(agentId: string, { kind, url }: WebhookRow, now: Date): Probe[] {
  const to = (call: DeveloperCallName, body: object, facts: RequestFacts): Probe => ({
    url: developerCallUrl(url, call),
    body,
    // No message has this number: they count from one.
    facts: { ...facts, attempt: 1, sequence: 0 },
  });
  if (kind === "message")
    return [to("deliverMessage", testMessage(now), { event: "message", sender: "system" })];
  const { establish, chat } = testHandoff(agentId, now);
  const about = { sender: "user", conversation: newId() };
  return [
    to("establishHandoff", establish, { event: "handoff_requested", ...about }),
    to("sendHandoffChat", chat, { event: "user_message", ...about }),
  ];
}

interface Finding {
  url: string;
  /** 0 without an answer. */
  status: number;
  latencyMs: number;
}

async function ask(
  outbound: Outbound,
  destination: Destination,
  { url, body, facts }: Probe,
): Promise<Finding> {
  const begun = performance.now();
  const { result } = await callDeveloper({ outbound, timeoutMs: PROBE_MS }, destination, {
    id: newId(),
    url,
    body: Buffer.from(JSON.stringify(body), "utf8"),
    sentAt: new Date(),
    facts,
  });
  const spentMs = performance.now() - begun;
  if (result.kind === "answered") return { url, status: result.status, latencyMs: Math.round(spentMs) };
  const steps = Math.max(1, Math.ceil(spentMs / UNANSWERED_STEP_MS));
  return { url, status: 0, latencyMs: steps * UNANSWERED_STEP_MS };
}

/** A human service is reachable only if both of its endpoints are. Its one result is of the first that is not, or of the first. */
function describe({ id, kind, name, url }: WebhookRow, findings: Finding[]): WebhookCheckResult {
  const failed = findings.find(({ status }) => status !== 200);
  const told = failed ?? findings[0];
  const probe = {
    webhook_url: told?.url ?? url,
    reachable: failed === undefined,
    http_status: told?.status ?? 0,
    latency_ms: Math.max(0, ...findings.map(({ latencyMs }) => latencyMs)),
  };
  return kind === "message"
    ? { type: "message", component_id: null, component_name: null, ...probe }
    : { type: "human_service", component_id: id, component_name: name ?? "", ...probe };
}
