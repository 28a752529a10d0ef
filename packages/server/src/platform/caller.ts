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

/** Whoever holds the operator token. */
export interface OperatorCaller {
  kind: "operator";
  idempotency: IdempotencyKey | undefined;
}
