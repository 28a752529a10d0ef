import { z } from "zod";
import { AuditPage, AuditQuery } from "../audit.ts";
import { ChangeEventData, ChangesQuery } from "../changes.ts";
import * as tokens from "../operator-tokens.ts";
import { ServiceStatus } from "../service-status.ts";
import { Acknowledged, PageQuery } from "../values.ts";
import { ServiceHealth } from "../webhooks.ts";
import { AGENTS_SEEN, CONVERSATIONS, MANAGE, READ, SEE_SETTINGS, type Route } from "./route.ts";

const operatorTokens = "/admin/v1/operator-tokens";

/** Health, audit and operator tokens. */
export const operationsRoutes = {
  serviceHealth: {
    method: "GET",
    path: "/v1/webhook/service/health",
    auth: "none",
    section: "4.4",
    sdk: "service.health",
    summary: "Check the service's health",
    reply: ServiceHealth,
    plainText: true,
  },
  getServiceStatus: {
    method: "GET",
    path: "/admin/v1/status",
    auth: "operator",
    scopes: AGENTS_SEEN,
    sdk: "service.getStatus",
    summary: "Read the status of each part of the service, with what to do",
    reply: ServiceStatus,
  },
  followChanges: {
    method: "GET",
    path: "/admin/v1/changes",
    auth: "operator",
    scopes: [...CONVERSATIONS, "deliveries"],
    sdk: "service.followChanges",
    summary: "Follow which deliveries and conversations change, as server-sent events",
    query: ChangesQuery,
    reply: z.never(),
    events: ChangeEventData,
    failures: ["notFound", "tooManyRequests"],
  },
  listAudit: {
    method: "GET",
    path: "/admin/v1/audit",
    auth: "operator",
    scopes: SEE_SETTINGS,
    sdk: "audit.list",
    summary: "List audit entries, newest first",
    query: AuditQuery,
    reply: AuditPage,
  },
  createOperatorToken: {
    method: "POST",
    path: operatorTokens,
    auth: "operator",
    scopes: MANAGE,
    sdk: "tokens.create",
    summary: "Create an operator token, which is shown only once",
    body: tokens.CreateOperatorTokenRequest,
    reply: tokens.CreatedOperatorToken,
  },
  listOperatorTokens: {
    method: "GET",
    path: operatorTokens,
    auth: "operator",
    scopes: READ,
    sdk: "tokens.list",
    summary: "List operator tokens",
    query: PageQuery,
    reply: tokens.OperatorTokenPage,
  },
  rotateOperatorToken: {
    method: "POST",
    path: `${operatorTokens}/:token_id/rotate`,
    auth: "operator",
    scopes: MANAGE,
    sdk: "tokens.rotate",
    summary: "Rotate an operator token; the old one works during the overlap",
    params: tokens.OperatorTokenPath,
    body: tokens.RotateOperatorTokenRequest,
    reply: tokens.CreatedOperatorToken,
  },
  revokeOperatorToken: {
    method: "DELETE",
    path: `${operatorTokens}/:token_id`,
    auth: "operator",
    scopes: MANAGE,
    sdk: "tokens.revoke",
    summary: "Revoke an operator token",
    params: tokens.OperatorTokenPath,
    reply: Acknowledged,
    failures: ["stateConflict"],
  },
} as const satisfies Record<string, Route>;
