import { createHash, timingSafeEqual } from "node:crypto";
import { refuse, type ChatUser, type Refusal } from "../platform/index.ts";

/** Who calls, before the request itself is read. */
export type Identity =
  | { kind: "agent"; agentId: string; apiKeyId: string }
  | { kind: "keyless"; address: string }
  | ({ kind: "user" } & ChatUser)
  | { kind: "operator" }
  | { kind: "anyone" };

export interface Authenticators {
  apiKey: (key: string) => Promise<{ agentId: string; apiKeyId: string } | Refusal>;
  chatToken: (token: string) => Promise<ChatUser | Refusal>;
  operatorToken: string;
}

export function bearerOf(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([^\s]{1,2048})$/i.exec(header)?.[1];
}

/** Digests have one length, so the comparison takes the same time for every token. */
export function createOperatorCheck(
  operatorToken: string,
): (token: string | undefined) => Refusal | undefined {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(operatorToken);
  return (token) =>
    token !== undefined && timingSafeEqual(digest(token), expected)
      ? undefined
      : refuse("developerAuth", "send the operator token as Authorization: Bearer <OPERATOR_TOKEN>");
}
