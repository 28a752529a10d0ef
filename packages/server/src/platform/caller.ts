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

/** For whoever looks for what became of a message. */
export interface RequestTrace {
  /** W3C trace context of this request; stored with what it accepts, so that later work is part of the trace. */
  traceparent: string | undefined;
  /** Logged with the request. */
  note(ids: TracedIds): void;
}

/** Whoever holds an API key; the key is bound to one agent. */
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
  idempotency: IdempotencyKey | undefined;
  trace?: RequestTrace | undefined;
}

export interface MessageAuthor {
  /** Of the account; null for an operator token. */
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
  idempotency: IdempotencyKey | undefined;
  trace?: RequestTrace | undefined;
}

/** Who acts on /admin/v1, as the audit names them. */
export interface Operator {
  actor: "bootstrap_token" | "operator_token" | "account";
  /** Of the token or of the account; null for OPERATOR_TOKEN of the environment. */
  actorId: string | null;
  actorName: string;
  /** Of an account: by which session it calls. */
  sessionId: string | undefined;
}

/** Whoever holds an operator token, or is signed in with an account. */
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
  /** Of a sign-in that waits for its one-time code. */
  signInToken: string | undefined;
  /** It came by HTTPS, so that its cookies may be bound to that. */
  isSecure: boolean;
  request: RequestOrigin;
}
