import { z } from "zod";

// What a key or a token may do, in one place. Each route names the scopes of which one is enough (routes.ts); roles of people,
// where an installation has them, are lists of these scopes and nothing else.

/** What an API key may do for its agent; a key has all of them unless it was made with fewer. */
export const API_KEY_SCOPES = ["chat:mint", "messages", "knowledge", "desk", "read"] as const;
export const ApiKeyScope = z.enum(API_KEY_SCOPES).meta({
  id: "ApiKeyScope",
  description:
    "chat:mint: mint and revoke chat tokens. messages: conversations, users' messages and handoffs on their behalf. knowledge: knowledge bases and documents. desk: a human's replies (4.9, 4.10). read: read all of these, and check webhooks",
});
export type ApiKeyScope = z.output<typeof ApiKeyScope>;

/** What an operator token may do on the whole installation. */
export const OPERATOR_SCOPES = ["read", "manage", "metrics"] as const;
export const OperatorScope = z.enum(OPERATOR_SCOPES).meta({
  id: "OperatorScope",
  description:
    "read: every GET of /admin/v1, message bodies included. manage: that and every change, tokens included. metrics: GET /metrics",
});
export type OperatorScope = z.output<typeof OperatorScope>;

/** Of GET /metrics, which stands outside the route table. */
export const METRICS_SCOPES: readonly OperatorScope[] = ["metrics"];

export type Scope = ApiKeyScope | OperatorScope;

/** Whether somebody who holds `held` may use a route that names `wanted`; a route that names none asks for none. */
export function isInScope(wanted: readonly Scope[], held: readonly Scope[]): boolean {
  return wanted.length === 0 || wanted.some((scope) => held.includes(scope));
}
