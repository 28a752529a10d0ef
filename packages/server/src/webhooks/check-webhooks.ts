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
const WHOLE_MS = 9_500;
const AT_ONCE = 5;
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
  const { db, agents, sealer, outbound } = parts;
  const scope = { agentId, idempotency };
  const earlier = await agents.asAgent(agentId, (db) => recall<CheckWebhooksReply>(db, sealer, scope));
  if (earlier !== undefined) return earlier;

  const rows = await readWebhooks(db, agentId);
  const probes = rows.map((row) => probesOf(parts, agentId, row));
  const findings = await runProbes(outbound, probes.flat());
  const results = rows.map((row, index) =>
    describe(
      row,
      (probes[index] ?? []).flatMap((probe) => findings.get(probe) ?? []),
    ),
  );
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

/** One request of the test. */
interface Probe {
  destination: Destination;
  url: string;
  body: object;
  facts: RequestFacts;
}

/** None where the webhook's secrets do not open: delivery could not reach it either. */
function probesOf({ sealer, log }: CheckParts, agentId: string, row: WebhookRow): Probe[] {
  const now = new Date();
  let destination: Destination;
  try {
    destination = openDestination(row, sealer, now);
  } catch (error) {
    log.error({ err: error, destinationId: row.id }, "the secrets of a webhook do not open");
    return [];
  }
  const to = (call: DeveloperCallName, body: object, facts: RequestFacts): Probe => ({
    destination,
    url: developerCallUrl(row.url, call),
    body,
    // No message has this number: they count from one.
    facts: { ...facts, attempt: 1, sequence: 0 },
  });
  if (row.kind === "message")
    return [to("deliverMessage", testMessage(now), { event: "message", sender: "system" })];
  const { establish, chat } = testHandoff(agentId, now);
  const about = { sender: "user", conversation: newId() };
  return [
    to("establishHandoff", establish, { event: "handoff_requested", ...about }),
    to("sendHandoffChat", chat, { event: "user_message", ...about }),
  ];
}

interface Finding {
  /** 0 without an answer; null when no time was left to ask. */
  status: number | null;
  latencyMs: number;
}

/** Side by side, a few at once, and done in time whatever the developers do. */
async function runProbes(outbound: Outbound, probes: Probe[]): Promise<Map<Probe, Finding>> {
  const findings = new Map<Probe, Finding>();
  const deadline = performance.now() + WHOLE_MS;
  const waiting = [...probes];
  async function work(): Promise<void> {
    for (let probe = waiting.shift(); probe !== undefined; probe = waiting.shift()) {
      const timeoutMs = Math.min(PROBE_MS, deadline - performance.now());
      findings.set(
        probe,
        timeoutMs < 1 ? { status: null, latencyMs: 0 } : await ask(outbound, probe, timeoutMs),
      );
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return findings;
}

async function ask(
  outbound: Outbound,
  { destination, url, body, facts }: Probe,
  timeoutMs: number,
): Promise<Finding> {
  const begun = performance.now();
  const { result } = await callDeveloper({ outbound, timeoutMs: Math.ceil(timeoutMs) }, destination, {
    id: newId(),
    url,
    body: Buffer.from(JSON.stringify(body), "utf8"),
    sentAt: new Date(),
    facts,
  });
  const spentMs = performance.now() - begun;
  if (result.kind === "answered") return { status: result.status, latencyMs: Math.round(spentMs) };
  const steps = Math.max(1, Math.ceil(spentMs / UNANSWERED_STEP_MS));
  return { status: 0, latencyMs: steps * UNANSWERED_STEP_MS };
}

const UNASKED: Finding = { status: 0, latencyMs: 0 };

/** A human service is reachable only if both of its endpoints are; it has one result, of the first that is not. */
function describe({ id, kind, name, url }: WebhookRow, findings: Finding[]): WebhookCheckResult {
  const failed = findings.length === 0 ? UNASKED : findings.find(({ status }) => status !== 200);
  const probe = {
    webhook_url: url,
    reachable: failed === undefined,
    http_status: failed === undefined ? 200 : failed.status,
    latency_ms: Math.max(0, ...findings.map(({ latencyMs }) => latencyMs)),
  };
  return kind === "message"
    ? { type: "message", component_id: null, component_name: null, ...probe }
    : { type: "human_service", component_id: id, component_name: name ?? "", ...probe };
}
