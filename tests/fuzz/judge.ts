import {
  Failure,
  failureNameOf,
  FAILURES,
  ROUTE_NAMES,
  routes,
  type Route,
  type RouteName,
} from "@signalbox/contract";
import type { FuzzRequest } from "./requests.ts";

export interface FuzzReply {
  status: number;
  contentType: string;
  body: string;
  durationMs: number;
}

const SLOWEST_MS = 2_000;
/** These wait for downloads, or write a whole document anew. */
const SLOWEST_WITH_DOCUMENTS_MS = 10_000;
const WITH_DOCUMENTS = new Set<RouteName>(["addQa", "updateQa", "addQaChunks"]);

const OPERATIONS = ["/livez", "/readyz", "/metrics"];

/** The route that answers, which may be another one after the method or the path was changed. */
function routeAt(method: string, path: string): RouteName | undefined {
  const bare = path.split(/[?#]/)[0] ?? "";
  return ROUTE_NAMES.find((name) => {
    const route: Route = routes[name];
    const pattern = new RegExp(`^${route.path.replaceAll(/:\w+/g, "[^/]+")}$`);
    return route.method === method && pattern.test(bare);
  });
}

/** What a browser may ask before it calls from another origin. */
function isPreflight(method: string, path: string): boolean {
  const asked = ROUTE_NAMES.filter((name) => routes[name].auth === "chatToken");
  return method === "OPTIONS" && asked.some((name) => routeAt(routes[name].method, path) === name);
}

/** The fault of an answer; undefined when the contract knows the answer. */
export function problemOf(request: FuzzRequest, reply: FuzzReply): string | undefined {
  const slowestMs = WITH_DOCUMENTS.has(request.route) ? SLOWEST_WITH_DOCUMENTS_MS : SLOWEST_MS;
  const slow = reply.durationMs > slowestMs ? `took ${Math.round(reply.durationMs)} ms` : undefined;
  return problemOfContent(request, reply) ?? slow;
}

/** True of an answer that says only that the machine was too busy to give another. */
export function isOfTime(reply: FuzzReply, problem: string): boolean {
  return problem.startsWith("took ") || codeOf(reply) === "50300";
}

function problemOfContent(request: FuzzRequest, reply: FuzzReply): string | undefined {
  if (reply.status >= 500) return "failed";
  if (request.method === "HEAD") return reply.body === "" ? undefined : "has a body after HEAD";
  if (reply.status >= 200 && reply.status < 300) return problemOfSuccess(request, reply);
  const name = routeAt(request.method, request.path);
  const isPlain = name !== undefined && (routes[name] as Route).plainText === true;
  if (isPlain && reply.contentType.startsWith("text/plain")) return undefined;
  return problemOfFailure(reply);
}

function problemOfSuccess(
  { method, path }: FuzzRequest,
  { body, contentType, status }: FuzzReply,
): string | undefined {
  const name = routeAt(method, path);
  if (name === undefined)
    return OPERATIONS.includes(path) || isPreflight(method, path)
      ? undefined
      : "was accepted where there is no route";
  const route: Route = routes[name];
  if (status !== (route.status ?? 200)) return `has status ${status}`;
  if (route.events !== undefined && contentType.startsWith("text/event-stream"))
    return /^(:|(id|event|data): )/.test(body) ? undefined : "is no stream of events";
  if (route.plainText === true)
    return route.reply.safeParse(body).success ? undefined : "is not the route's text";
  if (route.file !== undefined)
    return route.file.some((type) => contentType.startsWith(type)) ? undefined : `is of type ${contentType}`;
  if (!contentType.startsWith("application/json")) return `is of type ${contentType}`;
  const parsed = route.reply.safeParse(readJson(body));
  return parsed.success ? undefined : `does not fit the reply of ${name}: ${parsed.error.message}`;
}

function problemOfFailure({ body, contentType, status }: FuzzReply): string | undefined {
  if (!contentType.startsWith("application/json")) return `is of type ${contentType}`;
  const value = readJson(body);
  const parsed = Failure.safeParse(value);
  if (!parsed.success || Object.keys(value as object).join() !== "code,message")
    return "is not { code, message }";
  const name = failureNameOf(parsed.data.code);
  if (name === undefined) return `has a code that the catalogue lacks: ${parsed.data.code}`;
  const known = FAILURES[name];
  if (known.status !== status) return `has status ${status} with code ${known.code}`;
  const { message } = parsed.data;
  if (message !== known.message && !message.startsWith(`${known.message}: `))
    return "has another message than its code's";
  return message.isWellFormed() && message.length < 1_000
    ? undefined
    : "has a message that is not fit to be read";
}

/** The code of the failure body, or the status of a success. */
export function codeOf({ body, status }: FuzzReply): string {
  const parsed = Failure.safeParse(readJson(body));
  return status >= 400 && parsed.success ? String(parsed.data.code) : String(status);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
