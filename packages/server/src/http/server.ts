import { STATUS_CODES } from "node:http";
import { HEADERS, BODY_LIMIT_BYTES, ROUTE_NAMES, routes } from "@signalbox/contract";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { newId, refuse, startSpan, type Log, type Metrics, type Span } from "../platform/index.ts";
import { bearerOf, createOperatorCheck, type Identity } from "./authenticate.ts";
import { rawFailure, refusalFor, sendRefusal } from "./failure-reply.ts";
import type { Health } from "./health.ts";
import { readJson, UnreadableBody } from "./json-body.ts";
import { mountRoutes, type MountOptions } from "./mount.ts";

export interface HttpOptions {
  health: Health;
  log: Log;
  metrics: Metrics;
  operatorToken: string;
  /** A worker serves health and metrics alone. */
  api: Omit<MountOptions, "identities"> | undefined;
}

export function createHttp({ health, log, metrics, operatorToken, api }: HttpOptions): FastifyInstance {
  const identities = new WeakMap<FastifyRequest, Identity>();
  const http = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: 30_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: "idle",
    genReqId: () => newId(),
    routerOptions: { maxParamLength: 512 },
    exposeHeadRoutes: false,
    frameworkErrors: (error, _request, reply) => void sendRefusal(reply, refusalFor(error)),
    clientErrorHandler(error, socket) {
      if (!socket.writable) return;
      const oversize = error.code === "HPE_HEADER_OVERFLOW";
      socket.end(
        oversize
          ? rawFailure("tooLarge", "send fewer or shorter headers")
          : rawFailure("badParameter", "the request is not valid HTTP"),
      );
    },
  });
  readJsonBodies(http);
  http.setNotFoundHandler((request, reply) =>
    sendRefusal(reply, refuse("notFound", describeMissing(request))),
  );
  http.setErrorHandler((error, request, reply) => {
    const refusal = refusalFor(error);
    if (refusal.failure === "internal")
      log.error({ err: error, requestId: request.id }, "a request failed: this is a bug");
    return sendRefusal(reply, refusal);
  });
  logRequests(http, { log, metrics, identities });
  serveOperations(http, { health, metrics, operatorToken });
  if (api !== undefined) mountRoutes(http, { ...api, identities });
  return http;
}

function readJsonBodies(http: FastifyInstance): void {
  http.removeAllContentTypeParsers();
  http.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, bytes: Buffer, done) => {
    const read = readJson(bytes);
    if (read.ok) done(null, read.body);
    else done(new UnreadableBody(read.problem));
  });
}

function describeMissing(request: FastifyRequest): string {
  const path = request.url.split("?")[0] ?? "";
  const methods = ROUTE_NAMES.map((name) => routes[name])
    .filter((route) => new RegExp(`^${route.path.replaceAll(/:[a-z_]+/g, "[^/]+")}$`).test(path))
    .map((route) => route.method);
  return methods.length > 0 ? `this path takes ${methods.join(" or ")}` : "there is nothing at this path";
}

function logRequests(
  http: FastifyInstance,
  { log, metrics, identities }: { log: Log; metrics: Metrics; identities: WeakMap<FastifyRequest, Identity> },
): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  http.addHook("onRequest", async (request, reply) => {
    reply.header(HEADERS.requestId, request.id);
    spans.set(request, startSpan("http.server", request.headers));
  });
  http.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    const status = reply.statusCode;
    spans
      .get(request)
      ?.updateName(`${request.method} ${route}`)
      .setAttributes({
        "http.request.method": request.method,
        "http.route": route,
        "http.response.status_code": status,
      })
      .end();
    metrics.requestSeconds.observe({ route, status: String(status) }, reply.elapsedTime / 1000);
    const identity = identities.get(request);
    // The route's pattern, not the URL: a query may hold what should not be kept.
    log.info(
      {
        requestId: request.id,
        method: request.method,
        route,
        status,
        durationMs: Math.round(reply.elapsedTime * 10) / 10,
        ...(identity?.kind === "agent" ? { agentId: identity.agentId, apiKeyId: identity.apiKeyId } : {}),
      },
      "request",
    );
  });
}

function serveOperations(
  http: FastifyInstance,
  { health, metrics, operatorToken }: Pick<HttpOptions, "health" | "metrics" | "operatorToken">,
): void {
  const checkOperator = createOperatorCheck(operatorToken);
  const say = (reply: FastifyReply, status: number) =>
    reply
      .code(status)
      .header("content-type", "text/plain; charset=utf-8")
      .send(STATUS_CODES[status] ?? "");
  http.get("/livez", (_request, reply) => say(reply, 200));
  http.get("/readyz", async (_request, reply) => say(reply, (await health.isReady()) ? 200 : 503));
  http.get("/metrics", async (request, reply) => {
    const refusal = checkOperator(bearerOf(request.headers.authorization));
    if (refusal !== undefined) return sendRefusal(reply, refusal);
    return reply.header("content-type", metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
