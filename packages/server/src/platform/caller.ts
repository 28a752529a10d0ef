import type { Database } from "./database.ts";
import type { Refusal } from "./refusal.ts";

export interface IdempotencyKey {
  keyHash: Buffer;
  requestHash: Buffer;
}

/** By which request somebody acts, for the audit. */
export interface RequestOrigin {
  id: string;
  address: string;
  /** The page that a browser sent it from; checked where a cookie came with it, or one is set. */
  pageOrigin?: string | undefined;
}

/** Ids under which a request can be found again. */
export interface TracedIds {
  conversationId?: string;
  messageId?: string;
}

/** For an operator who looks for what became of a message. */
export interface RequestTrace {
  /** W3C trace context of this request; stored with what it accepts, so that later work is part of the trace. */
  traceparent: string | undefined;
  /** Logged with the request. */
  note(ids: TracedIds): void;
}

/** A holder of an API key; the key is bound to one agent. */
export interface AgentCaller {
  kind: "agent";
  agentId: string;
  apiKeyId: string;
  apiKeyName: string;
  request: RequestOrigin;
  idempotency: IdempotencyKey | undefined;
  trace?: RequestTrace | undefined;
}

/** A human service that calls without a key: what it may do is decided by the handoff it names. */
export interface KeylessCaller {
  kind: "keyless";
  idempotency: IdempotencyKey | undefined;
  trace?: RequestTrace | undefined;
}

/** The inbox, for somebody who answers in it. What that person may do was decided by their role. */
export interface InboxCaller {
  kind: "inbox";
  agentId: string;
  author: MessageAuthor;
  /** Whether the author holds the chat is decided in the transaction that says the words: until it commits nobody takes over. */
  holdChat: (db: Database) => Promise<Refusal | undefined>;
  idempotency: IdempotencyKey | undefined;
  trace?: RequestTrace | undefined;
}

export interface MessageAuthor {
  /** The account's id; null for an operator token. */
  id: string | null;
  name: string;
}

/** Who speaks for a desk. */
export type DeskCaller = AgentCaller | KeylessCaller | InboxCaller;

/** One user of an agent, as the developer's server vouched for. */
export interface ChatUser {
  agentId: string;
  /** The key that minted the token; without it the token is worth nothing. */
  apiKeyId: string;
  userId: string | null;
  anonymousId: string | null;
  email: string | null;
  phone: string | null;
  /** In milliseconds since 1970, by the database's clock. */
  issuedAt: number;
  expiresAt: number;
}

/** A user's browser on the live channel. */
export interface ChatCaller extends ChatUser {
  kind: "user";
  /** Undefined behind a trusted proxy that names no client. */
  address?: string | undefined;
  idempotency: IdempotencyKey | undefined;
  trace?: RequestTrace | undefined;
}

/** Who acts on /admin/v1, as the audit names them. */
export interface Operator {
  actor: "bootstrap_token" | "operator_token" | "account" | "api_key";
  /** The id of the token, the account or the API key; null for OPERATOR_TOKEN of the environment. */
  actorId: string | null;
  actorName: string;
  /** The session that an account calls with. */
  sessionId: string | undefined;
}

/** A holder of an operator token, or an account that is signed in. */
export interface OperatorCaller extends Operator {
  kind: "operator";
  /** The agents that this call may be about; undefined: all. */
  agentIds: readonly string[] | undefined;
  request: RequestOrigin;
  idempotency: IdempotencyKey | undefined;
  trace?: RequestTrace | undefined;
}

/** A browser in which somebody is about to sign in. */
export interface BrowserCaller {
  kind: "browser";
  userAgent: string;
  /** The session it has already, if any. */
  sessionToken: string | undefined;
  /** The token of a sign-in that waits for its one-time code. */
  signInToken: string | undefined;
  /** Proof that accounts have signed in from this browser before. */
  deviceToken: string | undefined;
  /** The network it calls from, to count by; undefined behind a trusted proxy that names no client. */
  client: string | undefined;
  /** It came by HTTPS, so that its cookies may be bound to that. */
  isSecure: boolean;
  request: RequestOrigin;
}
