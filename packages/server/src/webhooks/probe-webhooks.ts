import { developerCallUrl, type Cause, type DeveloperCallName } from "@signalbox/contract";
import { newId, type Database, type Log, type Outbound, type Sealer } from "../platform/index.ts";
import { callDeveloper, type RequestFacts } from "./call-developer.ts";
import { openDestination, type Destination, type DestinationRow } from "./destination.ts";
import { redactReply } from "./redact-reply.ts";
import { testHandoff, testMessage } from "./test-bodies.ts";

export interface ProbeParts {
  /** With the work role: the api role may not read credentials. */
  db: Database;
  sealer: Sealer;
  outbound: Outbound;
  log: Log;
}

const PROBE_MS = 5_000;

export type ProbedWebhook = DestinationRow & { kind: string; name: string | null };

/** What one test request came to. */
export interface Finding {
  url: string;
  /** 0 without an answer. */
  status: number;
  spentMs: number;
  /** Undefined for HTTP 200. */
  cause: Cause | undefined;
  /** The beginning of the answer, without our credentials. */
  answer: Buffer | undefined;
}

/** `configured`: what somebody gave a URL for; `all`: also the inbox, whose URL is the service's own. */
export type WebhooksToProbe = "configured" | "all";

/**
 * Sends every webhook of the agent its test requests, by the very code, credentials and network rules of delivery. All at
 * once: one that hangs uses up its own time and nobody else's.
 */
export async function probeWebhooks(
  parts: ProbeParts,
  agentId: string,
  which: WebhooksToProbe,
): Promise<{ webhook: ProbedWebhook; findings: Finding[] }[]> {
  const webhooks = await readWebhooks(parts.db, agentId, which);
  return Promise.all(
    webhooks.map(async (webhook) => ({ webhook, findings: await probe(parts, agentId, webhook) })),
  );
}

function readWebhooks(db: Database, agentId: string, which: WebhooksToProbe): Promise<ProbedWebhook[]> {
  return db
    .selectFrom("webhook")
    .selectAll()
    .where("agent_id", "=", agentId)
    .where("kind", "in", ["message", "human_service"])
    .where("deleted_at", "is", null)
    .$if(which === "configured", (query) => query.where("inbox_assignment", "is", null))
    .orderBy((order) => order("kind", "=", "message"), "desc")
    .orderBy("id")
    .execute();
}

function probe(parts: ProbeParts, agentId: string, webhook: ProbedWebhook): Promise<Finding[]> {
  return sendTestRequests(parts, webhook, testRequestsOf(agentId, webhook, new Date()));
}

export async function sendTestRequests(
  { sealer, outbound, log }: ProbeParts,
  webhook: ProbedWebhook,
  requests: TestRequest[],
): Promise<Finding[]> {
  let destination: Destination;
  try {
    destination = openDestination(webhook, sealer, new Date());
  } catch (error) {
    // Delivery could not reach it either.
    log.error("webhook_secret_unreadable", { err: error, destinationId: webhook.id });
    return requests.map(({ url }) => ({
      url,
      status: 0,
      spentMs: 0,
      cause: "unreadable_secret",
      answer: undefined,
    }));
  }
  // In order: a desk knows a conversation by its establish, and one that did not answer that is asked no more.
  const findings: Finding[] = [];
  for (const request of requests) {
    const finding = await send(outbound, destination, request);
    findings.push(finding);
    if (finding.status === 0) break;
  }
  return findings;
}

export interface TestRequest {
  url: string;
  body: object;
  facts: RequestFacts;
}

function testRequestsOf(agentId: string, { kind, url }: ProbedWebhook, now: Date): TestRequest[] {
  const to = (call: DeveloperCallName, body: object, facts: RequestFacts): TestRequest => ({
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

async function send(
  outbound: Outbound,
  destination: Destination,
  { url, body, facts }: TestRequest,
): Promise<Finding> {
  const startedAt = performance.now();
  const { result } = await callDeveloper({ outbound, timeoutMs: PROBE_MS }, destination, {
    id: newId(),
    url,
    body: Buffer.from(JSON.stringify(body), "utf8"),
    sentAt: new Date(),
    facts,
  });
  const spentMs = performance.now() - startedAt;
  if (result.kind !== "answered") return { url, status: 0, spentMs, cause: result.cause, answer: undefined };
  const { status } = result;
  const cause = status === 200 ? undefined : "http_status";
  return { url, status, spentMs, cause, answer: redactReply(result.body, destination) };
}
