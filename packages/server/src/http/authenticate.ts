import type { ApiKeyScope, OperatorScope } from "@signalbox/contract";
import type { ChatUser, Refusal } from "../platform/index.ts";

/** Who calls, before the request itself is read. */
export type Identity =
  | ({ kind: "agent" } & ApiKeyHolder)
  | { kind: "keyless"; address: string }
  | ({ kind: "user" } & ChatUser)
  | ({ kind: "operator" } & OperatorHolder)
  | { kind: "anyone" };

export interface ApiKeyHolder {
  agentId: string;
  apiKeyId: string;
  apiKeyName: string;
  scopes: readonly ApiKeyScope[];
}

export interface OperatorHolder {
  /** Null for OPERATOR_TOKEN of the environment. */
  tokenId: string | null;
  tokenName: string;
  scopes: readonly OperatorScope[];
}

export interface Authenticators {
  apiKey: (key: string) => Promise<ApiKeyHolder | Refusal>;
  chatToken: (token: string) => Promise<ChatUser | Refusal>;
  operator: (token: string) => Promise<OperatorHolder | Refusal>;
}

export function bearerOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([^\s]{1,2048})$/i.exec(header)?.[1];
}
