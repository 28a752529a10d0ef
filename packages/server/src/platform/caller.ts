export interface IdempotencyKey {
  keyHash: Buffer;
  requestHash: Buffer;
}

/** Whoever holds an API key; the key is bound to one agent. */
export interface AgentCaller {
  kind: "agent";
  agentId: string;
  apiKeyId: string;
  idempotency: IdempotencyKey | undefined;
}

/** A human service that calls without a key: what it may do is decided by the handoff it names. */
export interface KeylessCaller {
  kind: "keyless";
  idempotency: IdempotencyKey | undefined;
}

/** Who speaks for a desk. */
export type DeskCaller = AgentCaller | KeylessCaller;

/** Whoever holds the operator token. */
export interface OperatorCaller {
  kind: "operator";
  idempotency: IdempotencyKey | undefined;
}
