import { CALL_OF_EVENT, developerCallUrl, WEBHOOK_HEADERS } from "@signalbox/contract";
import { bytesOf } from "../receiver/bytes.ts";
import type { CallKind } from "../receiver/calls.ts";
import { authorizationOf, type WebhookCredentials } from "../receiver/credentials.ts";
import { decodeSigningSecret, importSigningKey, signParts } from "../receiver/signature.ts";
import { SAMPLE_CONVERSATION_ID } from "./samples.ts";

export interface CallToSend extends WebhookCredentials {
  /** The URL as it is configured: the path of a human service's call is added to it. */
  url: string;
  kind: CallKind;
  /** An object, or the very text to send. */
  body: object | string;
  /** Signs; with several, one signature each, in this order. */
  signingSecrets?: string | readonly string[] | undefined;
  webhookId?: string;
  attempt?: number;
  sequence?: number;
  /** When it was signed. */
  signedAtMs?: number;
  /** In place of what would be sent; undefined leaves a header out. */
  headers?: Record<string, string | undefined>;
}

export interface PreparedCall {
  url: string;
  method: "POST";
  headers: Record<string, string>;
  body: string;
}

/** A call as the service makes it: path, credentials, signature and the headers beside the body. */
export async function prepareCall(call: CallToSend): Promise<PreparedCall> {
  const body = typeof call.body === "string" ? call.body : JSON.stringify(call.body);
  const id = call.webhookId ?? crypto.randomUUID();
  const timestamp = String(Math.floor((call.signedAtMs ?? Date.now()) / 1000));
  const secrets = [call.signingSecrets ?? []].flat();
  const signatures = await Promise.all(
    secrets.map(async (secret) => {
      const key = await importSigningKey(decodeSigningSecret(secret));
      return signParts(key, { id, timestamp, body: bytesOf(body) });
    }),
  );
  const isOfHandoff = !["message", "operator_event"].includes(call.kind);
  const headers: Record<string, string | undefined> = {
    "content-type": "application/json",
    authorization: authorizationOf(call),
    [WEBHOOK_HEADERS.id]: id,
    [WEBHOOK_HEADERS.timestamp]: timestamp,
    [WEBHOOK_HEADERS.signature]: signatures.length === 0 ? undefined : signatures.join(" "),
    [WEBHOOK_HEADERS.event]: call.kind,
    [WEBHOOK_HEADERS.attempt]: String(call.attempt ?? 1),
    [WEBHOOK_HEADERS.sequence]: String(call.sequence ?? 1),
    [WEBHOOK_HEADERS.sender]: call.kind === "message" ? "ai" : isOfHandoff ? "user" : "system",
    [WEBHOOK_HEADERS.conversation]: isOfHandoff ? SAMPLE_CONVERSATION_ID : undefined,
    ...call.headers,
  };
  const present = Object.entries(headers).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return {
    url: developerCallUrl(call.url, CALL_OF_EVENT[call.kind]),
    method: "POST",
    headers: Object.fromEntries(present),
    body,
  };
}

export type CallResult =
  | { kind: "answered"; status: number; location: string | undefined; text: string; durationMs: number }
  | { kind: "unanswered"; timedOut: boolean; cause: unknown; durationMs: number };

/** Sends as the service does: no redirect is followed, and an answer has its time. */
export async function sendCall(
  { url, ...init }: PreparedCall,
  {
    timeoutMs = 10_000,
    fetch = globalThis.fetch,
  }: { timeoutMs?: number; fetch?: typeof globalThis.fetch } = {},
): Promise<CallResult> {
  const began = performance.now();
  const timeout = AbortSignal.timeout(timeoutMs);
  const since = () => Math.round(performance.now() - began);
  try {
    const response = await fetch(url, { ...init, redirect: "manual", signal: timeout });
    const text = await response.text();
    const location = response.headers.get("location") ?? undefined;
    return { kind: "answered", status: response.status, location, text, durationMs: since() };
  } catch (cause) {
    return { kind: "unanswered", timedOut: timeout.aborted, cause, durationMs: since() };
  }
}
