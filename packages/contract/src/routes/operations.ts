import { AuditPage, AuditQuery } from "../audit.ts";
import * as tokens from "../operator-tokens.ts";
import { ServiceStatus } from "../service-status.ts";
import { Acknowledged, PageQuery } from "../values.ts";
import { ServiceHealth } from "../webhooks.ts";
import { READ, MANAGE, type Route } from "./route.ts";

const operatorTokens = "/admin/v1/operator-tokens";

/** Health, audit and operator tokens. */
export const operationsRoutes = {
  serviceHealth: {
    method: "GET",
    path: "/v1/webhook/service/health",
    auth: "none",
    spec: "4.4",
    summary: "Whether the service works normally",
    reply: ServiceHealth,
    plainText: true,
  },
  getServiceStatus: {
    method: "GET",
    path: "/admin/v1/status",
    auth: "operator",
    scopes: READ,
    spec: "ours",
    summary: "Which part of the service failed, and what to do",
    reply: ServiceStatus,
  },
  listAudit: {
    method: "GET",
    path: "/admin/v1/audit",
    auth: "operator",
    scopes: READ,
    spec: "ours",
    summary: "Read who changed what",
    query: AuditQuery,
    reply: AuditPage,
  },
  createOperatorToken: {
    method: "POST",
    path: operatorTokens,
    auth: "operator",
    scopes: MANAGE,
    spec: "ours",
    summary: "Create an operator token; it is shown this once",
    body: tokens.CreateOperatorTokenRequest,
    reply: tokens.CreatedOperatorToken,
  },
  listOperatorTokens: {
    method: "GET",
    path: operatorTokens,
    auth: "operator",
    scopes: READ,
    spec: "ours",
    summary: "List operator tokens",
    query: PageQuery,
    reply: tokens.OperatorTokenPage,
  },
  rotateOperatorToken: {
    method: "POST",
    path: `${operatorTokens}/:token_id/rotate`,
    auth: "operator",
    scopes: MANAGE,
    spec: "ours",
    summary: "Replace an operator token; both work while they overlap",
    params: tokens.OperatorTokenPath,
    body: tokens.RotateOperatorTokenRequest,
    reply: tokens.CreatedOperatorToken,
  },
  revokeOperatorToken: {
    method: "DELETE",
    path: `${operatorTokens}/:token_id`,
    auth: "operator",
    scopes: MANAGE,
    spec: "ours",
    summary: "Revoke an operator token",
    params: tokens.OperatorTokenPath,
    reply: Acknowledged,
    failures: ["stateConflict"],
  },
} as const satisfies Record<string, Route>;
