import type { AccountRole, ApiKeyScope, OperatorScope } from "@signalbox/contract";
import type { ChatUser, Operator, Refusal } from "../platform/index.ts";

/** Who calls, before the request itself is read. */
export type Identity =
  | ({ kind: "agent" } & ApiKeyHolder)
  | { kind: "keyless"; address: string }
  | ({ kind: "user" } & ChatUser)
  | ({ kind: "operator" } & OperatorHolder)
  | {
      kind: "browser";
      /** Undefined as in ClientAddresses. */
      client: string | undefined;
      userAgent: string;
      sessionToken: string | undefined;
      signInToken: string | undefined;
      deviceToken: string | undefined;
      isSecure: boolean;
    }
  | { kind: "anyone" };

export interface ApiKeyHolder {
  agentId: string;
  apiKeyId: string;
  apiKeyName: string;
  scopes: readonly ApiKeyScope[];
}

export interface OperatorHolder extends Operator {
  scopes: readonly OperatorScope[];
  /** The roles of an account; undefined for a token, whose scopes hold for the whole installation. */
  roles?: readonly AccountRole[];
}

export interface Authenticators {
  apiKey: (key: string) => Promise<ApiKeyHolder | Refusal>;
  chatToken: (token: string) => Promise<ChatUser | Refusal>;
  operator: (token: string) => Promise<OperatorHolder | Refusal>;
  session: (token: string) => Promise<OperatorHolder | Refusal>;
  /** Whether the desk of the handoff with this id may call without a key. */
  keylessDesk: (handoffId: unknown) => Promise<boolean>;
}

export function bearerOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([^\s]{1,2048})$/i.exec(header)?.[1];
}
