import { STATUS_CODES, type IncomingMessage } from "node:http";
import {
  BODY_LIMIT_BYTES,
  BODY_VALUES_MAX,
  HEADERS,
  METRICS_SCOPES,
  ROUTE_NAMES,
  routes,
  type Route,
  type RouteName,
} from "@signalbox/contract";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { newId, Refusal, refuse, type Log, type Metrics } from "../platform/index.ts";
import { createAddressLimit, type AddressLimit } from "./address-limit.ts";
import { bearerOf, type Authenticators, type Identity } from "./authenticate.ts";
import { endSoon, limitConnections, type ConnectionLimits } from "./connections.ts";
import { createClientAddresses } from "./client-address.ts";
import { limitReachedBy, rawFailure, refusalFor, sendRefusal } from "./failure-reply.ts";
import { refuseKeyless } from "./keyless.ts";
import { closeGracefully } from "./graceful-shutdown.ts";
import type { Health } from "./health.ts";
import { mountRoutes, type MountOptions } from "./mount.ts";
import { FormBody } from "./read-form.ts";
import { readBody } from "./read-body.ts";
import { logRequest, logRequests, type RequestTraces } from "./request-log.ts";
import { checkScopes } from "./scopes.ts";
import { serveAudio, type ReadAudio } from "./serve-audio.ts";
import { serveInbox, type ReceiveInboxCall } from "./serve-inbox.ts";
import { serveConsole } from "./serve-console.ts";
import { serveContract } from "./serve-contract.ts";
import { serveMcp, type AnswerMcp } from "./serve-mcp.ts";
import { serveWidget, type WidgetScript } from "./serve-widget.ts";
import { createTarpit } from "./tarpit.ts";

export interface HttpOptions {
  health: Health;
  log: Log;
  metrics: Metrics;
  /** Who an operator token is; workers ask too, for their metrics. */
  operator: Authenticators["operator"];
  /** How long a stopping server leaves idle connections to their clients. */
  keepAliveMs: number;
  /** CIDR ranges whose X-Forwarded-For is believed. */
  trustedProxies: string[];
  addressRateLimitPerSecond: number;
  connections: ConnectionLimits;
  /** A worker serves health and metrics alone. */
  api:
    | (Omit<MountOptions, "identities" | "traces" | "log" | "clients" | "addressLimit" | "authenticators"> & {
        authenticators: Omit<Authenticators, "operator">;
        readAudio: ReadAudio;
        receiveInboxCall: ReceiveInboxCall;
        answerMcp: AnswerMcp;
        /** Where the files of the console lie; undefined: it is not served. */
        consoleDirectory: string | undefined;
        widget: WidgetScript | undefined;
      })
    | undefined;
}

const REQUEST_WITHIN_MS = 30_000;
const HEADERS_WITHIN_MS = 20_000;
const LATE_REQUESTS_EVERY_MS = 5_000;

/** What never became a request: the parser's complaint, or the time it was given. */
function answerTo({ code }: { code?: string }): string {
  if (code === "HPE_HEADER_OVERFLOW") return rawFailure("tooLarge", "send fewer or shorter headers");
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return rawFailure(
      "badParameter",
      `send the headers within ${HEADERS_WITHIN_MS / 1000} seconds and the whole request within ${REQUEST_WITHIN_MS / 1000}`,
    );
  return rawFailure("badParameter", "the request is not valid HTTP");
}

export function createHttp(options: HttpOptions): FastifyInstance {
  const { health, log, metrics, operator, keepAliveMs, api } = options;
  const identities = new WeakMap<FastifyRequest, Identity>();
  const traces: RequestTraces = new WeakMap();
  const clients = createClientAddresses(options.trustedProxies);
  const addressLimit = createAddressLimit(options.addressRateLimitPerSecond, clients);
  const http = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    trustProxy: clients.isTrustedProxy,
    requestTimeout: REQUEST_WITHIN_MS,
    keepAliveTimeout: 65_000,
    forceCloseConnections: "idle",
    // Fastify and Node would answer these two cases by themselves, without our body.
    return503OnClosing: false,
    http: {
      requireHostHeader: false,
      headersTimeout: HEADERS_WITHIN_MS,
      connectionsCheckingInterval: LATE_REQUESTS_EVERY_MS,
    },
    genReqId: () => newId(),
    routerOptions: { maxParamLength: 512 },
    exposeHeadRoutes: false,
    frameworkErrors: (error, request, reply) => {
      // A path that cannot be read never reaches the hooks.
      void sendRefusal(reply.header(HEADERS.requestId, request.id), refusalFor(error));
      logRequest(log, request, reply, { route: "unknown" });
    },
    clientErrorHandler: (error, socket) => endSoon(socket, answerTo(error)),
  });
  // An expectation we do not know may be passed over (RFC 9110, 10.1.1): the request is an ordinary one.
  http.server.on("checkExpectation", (request, response) => http.server.emit("request", request, response));
  limitConnections(http.server, options.connections, { clients, metrics });
  closeGracefully(http, keepAliveMs);
  readJsonBodies(http);
  passForms(http);
  http.setErrorHandler((error, request, reply) => {
    const refusal = refusalFor(error);
    if (refusal.failure === "internal")
      log.error("http_request_crashed", { err: error, requestId: request.id });
    const isUnreadable = refusal.failure === "badParameter" || refusal.failure === "tooLarge";
    const isStranger = isUnreadable && identities.get(request)?.kind === "keyless";
    return sendRefusal(reply, isStranger ? refuseKeyless() : refusal);
  });
  logRequests(http, { log, metrics, identities, traces });
  limitAddresses(http, addressLimit, metrics);
  http.addHook("onRequest", async (request, reply) => {
    // Not in a handler: Fastify would read the body first, and complain of that.
    if (request.is404) return sendRefusal(reply, refuse("notFound", describeMissing(request)));
  });
  serveOperations(http, { health, metrics, operator, addressLimit });
  if (api !== undefined) {
    const authenticators = { ...api.authenticators, operator };
    const mounted = mountRoutes(http, {
      ...api,
      authenticators,
      identities,
      traces,
      clients,
      addressLimit,
      log,
    });
    serveMcp(http, api.answerMcp, mounted, api.publicUrl);
    serveAudio(http, api.readAudio);
    serveInbox(http, api.receiveInboxCall, addressLimit);
    serveContract(http);
    if (api.widget !== undefined) serveWidget(http, api.widget);
    if (api.consoleDirectory !== undefined) serveConsole(http, api.consoleDirectory);
  }
  return http;
}

/** Runs before the body is read and before the caller is identified. Every refusal is counted and slowed. */
function limitAddresses(http: FastifyInstance, addressLimit: AddressLimit, metrics: Metrics): void {
  const tarpit = createTarpit();
  http.addHook("onRequest", async (request, reply) => {
    const refusal = addressLimit.refuse(request);
    if (refusal !== undefined) return sendRefusal(reply, refusal);
  });
  http.addHook("onSend", async (_request, reply) => {
    const limit = limitReachedBy(reply);
    if (limit === undefined) return;
    metrics.limitRefusals.inc({ limit: limit.name });
    await tarpit();
  });
}

function readJsonBodies(http: FastifyInstance): void {
  http.removeAllContentTypeParsers();
  http.addContentTypeParser("application/json", (request: FastifyRequest, stream: IncomingMessage) => {
    const { name } = request.routeOptions.config as { name?: RouteName };
    const route: Route | undefined = name === undefined ? undefined : routes[name];
    return readBody(stream, {
      announcedBytes: Number(request.headers["content-length"] ?? 0),
      bytesMax: request.routeOptions.bodyLimit,
      valuesMax: route?.bodyValuesMax ?? BODY_VALUES_MAX,
    });
  });
}

/** For the routes that take a form: they read it as it comes. */
function passForms(http: FastifyInstance): void {
  http.addContentTypeParser(
    "multipart/form-data",
    async (request: FastifyRequest, stream: IncomingMessage) => {
      const { name } = request.routeOptions.config as { name?: RouteName };
      const route: Route | undefined = name === undefined ? undefined : routes[name];
      if (route?.form === undefined) {
        // A sender that nobody reads from never sees the refusal.
        stream.resume();
        throw new UnsupportedBody();
      }
      return new FormBody(stream, request.headers["content-type"] ?? "");
    },
  );
}

/** Fastify's answer to a body of another type has the same status. */
class UnsupportedBody extends Error {
  readonly statusCode = 415;
}

function describeMissing(request: FastifyRequest): string {
  const path = request.url.split("?")[0] ?? "";
  const methods = ROUTE_NAMES.map((name) => routes[name])
    .filter((route) => isAt(route.path, path))
    .map((route) => route.method);
  return methods.length > 0
    ? `this path accepts ${methods.join(" or ")}`
    : "no endpoint has this path; see docs/reference/api";
}

function isAt(route: string, path: string): boolean {
  const [wanted, given] = [route.split("/"), path.split("/")];
  if (wanted.length !== given.length) return false;
  return wanted.every((part, at) => (part.startsWith(":") ? given[at] !== "" : part === given[at]));
}

/** Monitors and load balancers probe with it. */
const HEAD_TOO = { exposeHeadRoute: true };

function serveOperations(
  http: FastifyInstance,
  {
    health,
    metrics,
    operator,
    addressLimit,
  }: Pick<HttpOptions, "health" | "metrics" | "operator"> & { addressLimit: AddressLimit },
): void {
  const say = (reply: FastifyReply, status: number) =>
    reply
      .code(status)
      .header("content-type", "text/plain; charset=utf-8")
      .send(STATUS_CODES[status] ?? "");
  http.get("/livez", HEAD_TOO, (_request, reply) => say(reply, 200));
  http.get("/readyz", HEAD_TOO, async (_request, reply) => say(reply, (await health.isReady()) ? 200 : 503));
  http.get("/metrics", async (request, reply) => {
    const found = await operator(bearerOf(request.headers.authorization) ?? "");
    if (found instanceof Refusal) {
      addressLimit.chargeFailedAuthentication(request);
      return sendRefusal(reply, found);
    }
    const outOfScope = checkScopes("operator token", METRICS_SCOPES, found.scopes);
    if (outOfScope !== undefined) return sendRefusal(reply, outOfScope);
    return reply.header("content-type", metrics.registry.contentType).send(await metrics.registry.metrics());
  });
}
