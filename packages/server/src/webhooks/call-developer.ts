import { CLOUD_EVENT_HEADERS, WEBHOOK_HEADERS } from "@signalbox/contract";
import type { Outbound, OutboundResult } from "../platform/index.ts";
import { authorizationOf, type Destination } from "./destination.ts";
import { signatureHeaders } from "./signing.ts";

/** What travels beside the body: our additive headers. */
export interface RequestFacts {
  event: string;
  sender?: string;
  attempt?: number;
  sequence?: number;
  conversation?: string;
  /** What the event is about, for a destination that takes CloudEvents. */
  subject?: string;
  replay?: true;
  /** W3C trace context of the attempt. */
  traceparent?: string;
}

/** One call to a developer's endpoint: a delivery, or a check of 4.3. Both go out by the same code. */
export interface DeveloperRequest {
  /** Stays the same over all attempts. */
  id: string;
  url: string;
  body: Buffer;
  /** What the signature is dated with. */
  sentAt: Date;
  facts: RequestFacts;
}

/** The values made for this one attempt: with the facts they give every header that was sent. */
export interface Proof {
  timestamp: number;
  signature: string;
  /** How the credentials were given; never the credentials. */
  authorizationScheme: string | undefined;
}

export interface CallParts {
  outbound: Outbound;
  timeoutMs: number;
}

export async function callDeveloper(
  { outbound, timeoutMs }: CallParts,
  destination: Destination,
  { id, url, body, sentAt, facts }: DeveloperRequest,
): Promise<{ result: OutboundResult; proof: Proof }> {
  const authorization = authorizationOf(destination);
  const signed = signatureHeaders(id, body, destination.signingKeys, sentAt);
  const timestamp = Number(signed[WEBHOOK_HEADERS.timestamp]);
  const signature = signed[WEBHOOK_HEADERS.signature] ?? "";
  const headers = {
    ...requestHeaders(id, facts, { timestamp, signature, authorization }),
    ...cloudEventHeaders(id, facts, destination.eventSource),
  };
  return {
    result: await outbound.post({
      url,
      body,
      timeoutMs,
      headers,
      ...(destination.isInbox && { toInbox: true }),
    }),
    proof: { timestamp, signature, authorizationScheme: authorization?.split(" ")[0] },
  };
}

/** CloudEvents 1.0 in binary mode: the event is described by headers, and the body stays as it is. */
function cloudEventHeaders(
  id: string,
  { event, subject }: RequestFacts,
  source: string | undefined,
): Record<string, string> {
  if (source === undefined) return {};
  return {
    [CLOUD_EVENT_HEADERS.specversion]: "1.0",
    [CLOUD_EVENT_HEADERS.id]: id,
    [CLOUD_EVENT_HEADERS.source]: source,
    [CLOUD_EVENT_HEADERS.type]: `signalbox.${event}`,
    ...(subject === undefined ? {} : { [CLOUD_EVENT_HEADERS.subject]: subject }),
  };
}

/** The same headers once more, for the log, which leaves those of CloudEvents out. */
export function redactedHeaders(id: string, facts: RequestFacts, proof: Proof): Record<string, string> {
  const { timestamp, signature, authorizationScheme: scheme } = proof;
  return requestHeaders(id, facts, {
    timestamp,
    signature,
    authorization: scheme === undefined ? undefined : `${scheme} [redacted]`,
  });
}

function requestHeaders(
  id: string,
  { event, sender, attempt, sequence, conversation, replay, traceparent }: RequestFacts,
  made: { timestamp: number; signature: string; authorization: string | undefined },
): Record<string, string> {
  const { timestamp, signature, authorization } = made;
  return {
    "content-type": "application/json",
    "user-agent": "Signalbox",
    ...(authorization === undefined ? {} : { authorization }),
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: String(timestamp),
    [WEBHOOK_HEADERS.signature]: signature,
    [WEBHOOK_HEADERS.event]: event,
    ...(sender === undefined ? {} : { [WEBHOOK_HEADERS.sender]: sender }),
    ...(attempt === undefined ? {} : { [WEBHOOK_HEADERS.attempt]: String(attempt) }),
    ...(sequence === undefined ? {} : { [WEBHOOK_HEADERS.sequence]: String(sequence) }),
    ...(conversation === undefined ? {} : { [WEBHOOK_HEADERS.conversation]: conversation }),
    ...(replay === undefined ? {} : { [WEBHOOK_HEADERS.replay]: "true" }),
    ...(traceparent === undefined ? {} : { [WEBHOOK_HEADERS.traceparent]: traceparent }),
  };
}
