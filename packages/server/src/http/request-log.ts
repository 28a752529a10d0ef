import { HEADERS, routes } from "@signalbox/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  startSpan,
  traceIdOf,
  traceparentOf,
  type Log,
  type Metrics,
  type RequestTrace,
  type Span,
  type TracedIds,
} from "../platform/index.ts";
import type { Identity } from "./authenticate.ts";

/** The facts known of a request by the time it is answered. */
interface Traced extends RequestTrace {
  span: Span;
  ids: TracedIds;
}

export type RequestTraces = WeakMap<FastifyRequest, Traced>;

/** Asked every few seconds by machines: their lines would bury all others. */
const PROBES: ReadonlySet<string> = new Set(["/livez", "/readyz", "/metrics", routes.serviceHealth.path]);

/** One line, one span and one measurement a request. */
export function logRequests(
  http: FastifyInstance,
  {
    log,
    metrics,
    identities,
    traces,
  }: { log: Log; metrics: Metrics; identities: WeakMap<FastifyRequest, Identity>; traces: RequestTraces },
): void {
  http.addHook("onRequest", async (request, reply) => {
    reply.header(HEADERS.requestId, request.id);
    traces.set(request, traceRequest(request.headers[HEADERS.traceparent]?.toString()));
  });
  http.addHook("onResponse", async (request, reply) => {
    const route = request.routeOptions.url ?? "unknown";
    const { span, ids = {} } = traces.get(request) ?? {};
    span?.updateName(`${request.method} ${route}`);
    span?.setAttributes({
      "http.request.method": request.method,
      "http.route": route,
      "http.response.status_code": reply.statusCode,
      ...(ids.conversationId === undefined ? {} : { "signalbox.conversation": ids.conversationId }),
      ...(ids.messageId === undefined ? {} : { "signalbox.message": ids.messageId }),
    });
    span?.end();
    metrics.requestSeconds.observe({ route, status: String(reply.statusCode) }, reply.elapsedTime / 1000);
    const identity = identities.get(request);
    logRequest(log, request, reply, {
      route,
      ...(identity?.kind === "agent" ? { agentId: identity.agentId, apiKeyId: identity.apiKeyId } : {}),
      ...(identity?.kind === "user" ? { agentId: identity.agentId } : {}),
      ...ids,
      traceId: span && traceIdOf(traceparentOf(span)),
    });
  });
}

function traceRequest(traceparent: string | undefined): Traced {
  const span = startSpan("http.server", "server", traceparent);
  const ids: TracedIds = {};
  return { span, ids, traceparent: traceparentOf(span), note: (more) => void Object.assign(ids, more) };
}

/** The route's pattern, not the URL: a query may hold what should not be kept. */
export function logRequest(
  log: Log,
  { id, method }: FastifyRequest,
  { statusCode, elapsedTime }: FastifyReply,
  about: { route: string; agentId?: string; apiKeyId?: string; traceId?: string | undefined } & TracedIds,
): void {
  const durationMs = Math.round(elapsedTime * 10) / 10;
  const fields = { requestId: id, method, status: statusCode, durationMs, ...about };
  if (statusCode >= 500) log.warn("http_request", fields);
  else if (PROBES.has(about.route)) log.debug("http_request", fields);
  else log.info("http_request", fields);
}
