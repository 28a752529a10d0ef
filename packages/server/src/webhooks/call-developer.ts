import { WEBHOOK_HEADERS } from "@signalbox/contract";
import type { Outbound, OutboundResult } from "../platform/index.ts";
import { authorizationOf, type Destination } from "./destination.ts";
import { signatureHeaders } from "./signing.ts";

/** One call to a developer's endpoint: a delivery, or a check of 4.3. Both go out by the same code. */
export interface DeveloperRequest {
  /** Stays the same over all attempts. */
  id: string;
  url: string;
  body: Buffer;
  /** What the signature is dated with. */
  sentAt: Date;
  /** What travels beside the body: our additive headers. */
  facts: {
    event: string;
    sender?: string;
    attempt?: number;
    sequence?: number;
    conversation?: string;
    replay?: true;
  };
}

export interface CallParts {
  outbound: Outbound;
  timeoutMs: number;
}

export async function callDeveloper(
  { outbound, timeoutMs }: CallParts,
  destination: Destination,
  { id, url, body, sentAt, facts }: DeveloperRequest,
): Promise<OutboundResult> {
  const authorization = authorizationOf(destination);
  const { event, sender, attempt, sequence, conversation, replay } = facts;
  return outbound.post({
    url,
    body,
    timeoutMs,
    headers: {
      "content-type": "application/json",
      "user-agent": "Signalbox",
      ...(authorization === undefined ? {} : { authorization }),
      ...signatureHeaders(id, body, destination.signingKeys, sentAt),
      [WEBHOOK_HEADERS.event]: event,
      ...(sender === undefined ? {} : { [WEBHOOK_HEADERS.sender]: sender }),
      ...(attempt === undefined ? {} : { [WEBHOOK_HEADERS.attempt]: String(attempt) }),
      ...(sequence === undefined ? {} : { [WEBHOOK_HEADERS.sequence]: String(sequence) }),
      ...(conversation === undefined ? {} : { [WEBHOOK_HEADERS.conversation]: conversation }),
      ...(replay === undefined ? {} : { [WEBHOOK_HEADERS.replay]: "true" }),
    },
  });
}
