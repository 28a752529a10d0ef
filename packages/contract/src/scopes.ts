import { z } from "zod";

// What a key, a token or a role may do, in one place. Each route names the scopes of which one is enough (routes.ts); the
// roles of accounts are lists of these scopes and nothing else.

/** What an API key may do for its agent; a key has all of them unless it was made with fewer. */
export const API_KEY_SCOPES = ["chat:mint", "messages", "knowledge", "desk", "read"] as const;
export const ApiKeyScope = z.enum(API_KEY_SCOPES).meta({
  id: "ApiKeyScope",
  description:
    "chat:mint: mint and revoke chat tokens. messages: conversations, users' messages and handoffs on their behalf. knowledge: knowledge bases and documents. desk: a human's replies (4.9, 4.10). read: read all of these, and check webhooks",
});
export type ApiKeyScope = z.output<typeof ApiKeyScope>;

/** What an operator token may do on the whole installation, and a role there or for one agent. */
export const OPERATOR_SCOPES = [
  "read",
  "manage",
  "metrics",
  "agents",
  "settings",
  "team-settings",
  "deliveries",
  "conversations",
  "users",
  "knowledge",
  "inbox",
] as const;
export const OperatorScope = z.enum(OPERATOR_SCOPES).meta({
  id: "OperatorScope",
  description:
    "read: every read of /admin/v1, message bodies included. manage: that and every change, tokens and accounts included. metrics: GET /metrics. agents: which agents there are, and how they hand over. settings: read and change settings, webhooks, models and API keys, and read the audit. team-settings: read and change what a support team decides: the agent's name, texts and thresholds, when it hands over, and the inbox. deliveries: read and replay deliveries. conversations: read conversations, handoffs, knowledge and unanswered questions. users: export and erase users. knowledge: read and change knowledge, read unanswered questions, and read, approve and reject proposed alternates. inbox: answer users in the inbox",
});
export type OperatorScope = z.output<typeof OperatorScope>;

export const ROLES = ["owner", "developer", "lead", "editor", "support", "viewer"] as const;
export const Role = z.enum(ROLES).meta({
  id: "Role",
  description:
    "owner: everything, members included. developer: settings, keys, webhooks, deliveries, conversations, users and the inbox. lead: knowledge, conversations, the inbox, the agent's texts, and when it hands over. editor: knowledge. support: conversations, handoffs and the inbox, and read knowledge. viewer: read conversations, handoffs and knowledge. Lead, editor, support and viewer see no secret",
});
export type Role = z.output<typeof Role>;

/** A role holds for one agent or for the whole installation; what it allows is the same. Several add up. */
export const ROLE_SCOPES: Readonly<Record<Role, readonly OperatorScope[]>> = {
  owner: ["read", "manage", "metrics"],
  developer: [
    "agents",
    "settings",
    "team-settings",
    "deliveries",
    "conversations",
    "users",
    "knowledge",
    "inbox",
  ],
  lead: ["agents", "team-settings", "conversations", "knowledge", "inbox"],
  editor: ["agents", "knowledge"],
  support: ["agents", "conversations", "inbox"],
  viewer: ["agents", "conversations"],
};

/** Of GET /metrics, which stands outside the route table. */
export const METRICS_SCOPES: readonly OperatorScope[] = ["metrics"];

export type Scope = ApiKeyScope | OperatorScope;

/** Whether somebody who holds `held` may use a route that names `wanted`; a route that names none asks for none. */
export function isInScope(wanted: readonly Scope[], held: readonly Scope[]): boolean {
  return wanted.length === 0 || wanted.some((scope) => held.includes(scope));
}
