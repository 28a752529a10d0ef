import { Readable } from "node:stream";
import {
  readParts,
  ROUTE_NAMES,
  routes,
  type Handlers,
  type Route,
  type RouteLimit,
  type RouteName,
} from "@signalbox/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  createBriefCache,
  createMinuteLimiter,
  createRateLimiter,
  EventStream,
  FileReply,
  type FormStream,
  HeadedReply,
  JsonStream,
  readOnBehalf,
  Refusal,
  refuse,
  refuseBeyond,
  type AgentCaller,
  type Allowance,
  type BrowserCaller,
  type ChatCaller,
  type DeskCaller,
  type IdempotencyKey,
  type LimitName,
  type Log,
  type OperatorCaller,
  type RequestOrigin,
  type RequestTrace,
} from "../platform/index.ts";
import type { AddressLimit } from "./address-limit.ts";
import { bearerOf, type ApiKeyHolder, type Authenticators, type Identity } from "./authenticate.ts";
import type { ClientAddresses } from "./client-address.ts";
import { sendRefusal, writeRateLimit } from "./failure-reply.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { JsonBody } from "./json-body.ts";
import { FormBody, readForm } from "./read-form.ts";
import { hideFromStrangers } from "./keyless.ts";
import { enableCors, CORS_HEADERS } from "./cors.ts";
import { principalOf } from "./principal.ts";
import { reachOf, refuseReach, type FindOwner } from "./reach.ts";
import type { SilentProxies } from "./silent-proxies.ts";
import type { RequestTraces } from "./request-log.ts";
import { countedAs, type CountedAs } from "./counted-as.ts";
import { costOf } from "./request-cost.ts";
import { refuseScope } from "./scopes.ts";
import { sendEvents } from "./send-events.ts";
import { readCookies, refuseOrigin } from "./session-cookie.ts";

/** One function a route, made in compose.ts; a route without one does not compile. */
export type RouteHandlers = Handlers<
  {
    apiKey: AgentCaller;
    humanService: DeskCaller;
    chatToken: ChatCaller;
    operator: OperatorCaller;
    browser: BrowserCaller;
    none: undefined;
  },
  Refusal | HeadedReply | EventStream | JsonStream | FileReply,
  FormStream
>;

/** A route of another protocol: it is no part of the API's description, and of no client of ours. */
export interface BesideRoute {
  route: Route;
  handle: AnyHandler;
}

export interface MountOptions {
  handlers: RouteHandlers;
  beside: readonly BesideRoute[];
  authenticators: Authenticators;
  rateLimitPerSecond: number;
  visitorRateLimitPerSecond: number;
  operatorRateLimitPerSecond: number;
  /** For the routes that have a limit of their own. */
  routeLimitsPerMinute: Record<RouteLimit, number>;
  identities: WeakMap<FastifyRequest, Identity>;
  traces: RequestTraces;
  clients: ClientAddresses;
  addressLimit: AddressLimit;
  proxies: SilentProxies;
  findOwner: FindOwner;
  /** Charges the reads and writes of an operator's call to that operator. */
  onBehalfOf: OnBehalfOf;
  publicUrl: string | undefined;
  log: Log;
}

export type OnBehalfOf = <Result>(holder: string, work: () => Result) => Result;

type AnyCaller = DeskCaller | ChatCaller | OperatorCaller | BrowserCaller | undefined;
/** Whether the client of an open stream may still read it: a session, a token or a role can end meanwhile. */
type MayStill = (route: Route, request: FastifyRequest, input: object) => Promise<boolean>;
type AnyHandler = (caller: AnyCaller, input: object, form: FormStream | undefined) => Promise<unknown>;

/** For an endpoint beside the route table, so that its callers are known and limited as those of a route. */
export interface MountedRoutes {
  authenticate: (
    route: Route,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<FastifyReply | undefined>;
  /** The key that authenticated a request. */
  keyOf: (request: FastifyRequest) => AgentCaller & ApiKeyHolder;
}

/** Turns the route table into Fastify routes. */
export function mountRoutes(http: FastifyInstance, options: MountOptions): MountedRoutes {
  const { authenticate, mayStill } = createAuthentication(options);
  const mounted: (BesideRoute & { name?: RouteName })[] = [
    // Safe because RouteHandlers gives each name the handler of its own input and reply.
    ...ROUTE_NAMES.map((name) => ({
      name,
      route: routes[name],
      handle: options.handlers[name] as AnyHandler,
    })),
    ...options.beside,
  ];
  enableCors(
    http,
    mounted.map(({ route }) => route),
  );
  for (const { name, route, handle } of mounted) {
    http.route({
      method: route.method,
      url: route.path,
      exposeHeadRoute: route.plainText === true,
      ...(route.bodyLimitBytes === undefined ? {} : { bodyLimit: route.bodyLimitBytes }),
      config: { name, ...(route.plainText === true ? { plainText: true } : {}) },
      // Before the body is read: a stranger learns nothing from our validation, and costs us nothing.
      onRequest: (request, reply) => {
        reply.headers(PRIVATE_HEADERS);
        if (route.auth === "chatToken") reply.headers(CORS_HEADERS);
        return authenticate(route, request, reply);
      },
      handler: (request, reply) => answer({ route, handle, mayStill, ...options }, request, reply),
    });
  }
  return {
    authenticate,
    keyOf(request) {
      const identity = options.identities.get(request);
      if (identity?.kind !== "agent") throw new Error("this request has no API key");
      return {
        ...identity,
        ...originOf(request),
        trace: options.traces.get(request),
        idempotency: undefined,
      };
    },
  };
}

async function answer(
  {
    route,
    handle,
    mayStill,
    identities,
    traces,
    findOwner,
    onBehalfOf,
    authenticators,
    addressLimit,
    clients,
    log,
  }: MountOptions & { route: Route; handle: AnyHandler; mayStill: MayStill },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const identity = identities.get(request);
  const body = request.body instanceof JsonBody ? request.body : undefined;
  const idempotency = readIdempotencyKey(route, request, identity, body);
  const tell = async (refusal: Refusal) =>
    sendRefusal(reply, await hideFromStrangers(refusal, identity, body, authenticators));
  if (idempotency instanceof Refusal) return tell(idempotency);
  const read = readParts(route, { params: request.params, query: request.query, body: body?.value });
  if (!read.ok) return tell(refuse("badParameter", read.problem));
  const onBehalf: <Work>(work: () => Work) => Work =
    identity?.kind === "operator" ? (work) => onBehalfOf(principalOf(identity), work) : (work) => work();
  const outOfReach =
    identity?.kind === "operator"
      ? await onBehalf(() => refuseReach(route, identity, read.value, findOwner))
      : undefined;
  if (outOfReach !== undefined) return sendRefusal(reply, outOfReach);

  const caller = callerOf(route, identity, idempotency, request, traces.get(request), clients);
  const form = request.body instanceof FormBody ? request.body : undefined;
  if (route.form !== undefined && form === undefined)
    return tell(refuse("badParameter", "send the body as multipart/form-data"));
  const result = await onBehalf(() => handle(caller, read.value, form && readForm(form))).finally(() =>
    form?.dispose(),
  );
  if (result instanceof Refusal) {
    // A password or an invitation that was guessed wrong costs what a wrong key does.
    if (route.auth === "browser") addressLimit.chargeFailedAuthentication(request);
    return sendRefusal(reply, result);
  }
  if (result instanceof EventStream)
    return sendEvents(reply, result, {
      log,
      // The live channel ends the streams of a revoked chat token by itself.
      ...(identity?.kind === "operator" && { mayStill: () => mayStill(route, request, read.value) }),
    });
  if (result instanceof JsonStream)
    return reply
      .header("content-type", JSON_TYPE)
      .send(Readable.from(readOnBehalf(onBehalf, result.chunks())));
  if (result instanceof FileReply)
    return reply.headers(fileHeaders(result)).send(Readable.from(readOnBehalf(onBehalf, result.chunks())));
  if (result instanceof HeadedReply) reply.headers(result.headers);
  // A reply that breaks its contract is a bug of ours: parse throws, and the caller sees 50000 instead of a leak.
  const checked = route.reply.parse(result instanceof HeadedReply ? result.body : result);
  reply.code(route.status ?? 200);
  if (route.plainText === true)
    return reply.header("content-type", "text/plain; charset=utf-8").send(checked);
  return reply.header("content-type", JSON_TYPE).send(JSON.stringify(checked));
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Answers hold what users wrote: no cache keeps them, and no browser takes them for a page of ours. */
const PRIVATE_HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

/** Saved, never shown. */
function fileHeaders({ contentType, fileName }: FileReply): Record<string, string> {
  return { "content-type": contentType, "content-disposition": `attachment; filename="${fileName}"` };
}

/** Streams ask every two seconds: what is revoked is refused on every node within 5 s. */
const STREAM_IDENTITIES = { forMs: 1_900, most: 1_000 };

/** For one client address on one node, over all accounts: against trying one password on many of them. */
const SIGN_INS_PER_MINUTE = 30;

function createAuthentication(options: MountOptions) {
  const {
    authenticators,
    routeLimitsPerMinute,
    identities,
    clients,
    addressLimit,
    findOwner,
    publicUrl,
    proxies,
  } = options;
  const callers = createRateLimiter(options.rateLimitPerSecond);
  const visitors = createRateLimiter(options.visitorRateLimitPerSecond);
  const operators = createRateLimiter(options.operatorRateLimitPerSecond);
  const signIns = createMinuteLimiter(SIGN_INS_PER_MINUTE);
  /** For streams: however many of one session are open, it is looked up once. */
  const recallIdentity = createBriefCache<Identity | Refusal>(STREAM_IDENTITIES);
  const routeLimiters = { check: createMinuteLimiter(routeLimitsPerMinute.check) };

  async function identify(route: Route, request: FastifyRequest): Promise<Identity | Refusal> {
    const { authorization } = request.headers;
    const token = bearerOf(authorization);
    // Decisions, 4.9: whether a desk may call without a key is its component's to say, once the handoff is known.
    if (route.auth === "humanService" && authorization === undefined)
      return { kind: "keyless", address: clients.clientOf(request) ?? request.ip };
    switch (route.auth) {
      case "none":
        return { kind: "anyone" };
      case "browser":
        return refuseOrigin(request, publicUrl) ?? browserOf(request, clients, publicUrl);
      case "operator": {
        const session =
          authorization === undefined ? readCookies(request, publicUrl).sessionToken : undefined;
        const forged = session === undefined ? undefined : refuseOrigin(request, publicUrl);
        if (forged !== undefined) return forged;
        const operator = await (session === undefined
          ? authenticators.operator(token ?? "")
          : authenticators.session(session));
        return operator instanceof Refusal ? operator : { kind: "operator", ...operator };
      }
      case "chatToken": {
        const user = await authenticators.chatToken(token ?? "");
        return user instanceof Refusal ? user : { kind: "user", ...user };
      }
      case "humanService":
      case "apiKey": {
        const known = await authenticators.apiKey(token ?? "");
        return known instanceof Refusal ? known : { kind: "agent", ...known };
      }
    }
  }

  /** The limit that stands in the way or, when none does, the tighter one. */
  function allowanceOf(
    route: Route,
    { name, key }: CountedAs,
    cost: number,
  ): Allowance & { name: LimitName } {
    const now = performance.now();
    if (name === "sign_in") return { name, ...signIns(key, now) };
    const limiter = limiterOf(name);
    const general = { name, ...limiter.take(key, now, cost) };
    if (!general.allowed || route.limit === undefined) return general;
    return { name: "webhook_checks", ...routeLimiters[route.limit](key, now) };
  }

  function limiterOf(name: LimitName) {
    if (name === "visitor") return visitors;
    return name === "account" || name === "operator_token" ? operators : callers;
  }

  const mayStill: MayStill = async (route, request, input) => {
    const identity = await recallIdentity(credentialOf(request), () => identify(route, request));
    if (identity instanceof Refusal || identity.kind !== "operator") return false;
    return (
      refuseScope(route, identity) === undefined &&
      (await options.onBehalfOf(principalOf(identity), () =>
        refuseReach(route, identity, input, findOwner),
      )) === undefined
    );
  };

  async function authenticate(route: Route, request: FastifyRequest, reply: FastifyReply) {
    proxies.note(route, request, clients);
    const identity = await identify(route, request);
    if (identity instanceof Refusal) {
      if (identity.failure === "developerAuth") addressLimit.chargeFailedAuthentication(request);
      return sendRefusal(reply, identity);
    }
    identities.set(request, identity);
    const outOfScope = refuseScope(route, identity);
    if (outOfScope !== undefined) return sendRefusal(reply, outOfScope);
    const counted = countedAs(identity);
    if (counted === undefined) return undefined;
    const allowance = allowanceOf(route, counted, costOf(route, request));
    writeRateLimit(reply, allowance);
    if (allowance.allowed) return undefined;
    const { name, limit: most, resetSeconds } = allowance;
    return sendRefusal(
      reply,
      refuseBeyond({ name, most }, "wait until Retry-After has passed, then try again", resetSeconds),
    );
  }

  return { authenticate, mayStill };
}

/** What says who calls, as a name for a moment's memory. */
function credentialOf({ headers }: FastifyRequest): string {
  return `${headers.authorization ?? ""} ${headers.cookie ?? ""}`;
}

function browserOf(
  request: FastifyRequest,
  { clientOf }: ClientAddresses,
  publicUrl: string | undefined,
): Identity {
  const userAgent = request.headers["user-agent"] ?? "";
  return { kind: "browser", client: clientOf(request), userAgent, ...readCookies(request, publicUrl) };
}

function callerOf(
  route: Route,
  identity: Identity | undefined,
  idempotency: IdempotencyKey | undefined,
  request: FastifyRequest,
  trace: RequestTrace | undefined,
  clients: ClientAddresses,
): AnyCaller {
  if (identity === undefined || identity.kind === "anyone") return undefined;
  if (identity.kind === "keyless") return { kind: "keyless", idempotency, trace };
  if (identity.kind === "user")
    return { ...identity, address: clients.clientOf(request), idempotency, trace };
  const from = originOf(request);
  if (identity.kind === "browser") {
    return { ...identity, ...from };
  }
  if (identity.kind === "operator")
    return { ...identity, ...from, idempotency, trace, agentIds: reachOf(route, identity) };
  return { ...identity, ...from, idempotency, trace };
}

function originOf({ id, ip: address, headers }: FastifyRequest): { request: RequestOrigin } {
  return { request: { id, address, pageOrigin: headers.origin } };
}
