import {
  type ReplyOf,
  type RequestOf,
  ROUTE_NAMES,
  type Route,
  type RouteName,
  failureNameOf,
  HEADERS,
  routes,
} from "@signalbox/contract";
import { SignalboxConnectionError, SignalboxError } from "./errors.ts";
import { type PreparedRequest, prepareRequest } from "./request.ts";
import { backoffMs, delayAfterAnswer, pause } from "./retrying.ts";

export interface ClientOptions {
  /** Where the service is. */
  baseUrl?: string;
  /** Several nodes of one installation: when one does not answer, the next is asked. */
  baseUrls?: readonly string[];
  /** An agent's key, for everything but `/admin/v1`. */
  apiKey?: string;
  /** One user's, for the live channel: in a browser, in place of a key. */
  chatToken?: string;
  /** For `/admin/v1`. */
  operatorToken?: string;
  fetch?: typeof globalThis.fetch;
  /** For each attempt. */
  timeoutMs?: number;
  /** How often a request is sent again when the network fails or the service asks for it. */
  retries?: number;
}

export interface CallOptions {
  /** Your own key, so that a repeat from another process is recognised too. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
}

export interface Answer<Reply> {
  reply: Reply;
  status: number;
  headers: Headers;
  requestId: string | undefined;
}

export interface Call<Reply> extends Promise<Reply> {
  /** The reply together with status and headers. */
  withResponse(): Promise<Answer<Reply>>;
}

type Arguments<Request> = object extends Request
  ? [input?: Request, options?: CallOptions]
  : [input: Request, options?: CallOptions];

/** One method a route. Path, query and body are one object, with the names they have on the wire. */
export type Client = {
  [Name in RouteName]: (...given: Arguments<RequestOf<Name>>) => Call<ReplyOf<Name>>;
};

export function createClient(options: ClientOptions): Client {
  const send = createSender(options);
  const methods = ROUTE_NAMES.map((name) => {
    const method = (input: object = {}, callOptions: CallOptions = {}) =>
      asCall(send(name, input, callOptions));
    return [name, method] as const;
  });
  // Safe because there is one method for each route, and the route's own schemas give its types.
  return Object.fromEntries(methods) as unknown as Client;
}

function asCall(sending: Promise<Answer<unknown>>): Call<unknown> {
  const reply = sending.then((answer) => answer.reply);
  const withResponse = () => {
    // Whoever asks for the whole answer hears of a failure there, and need not handle it twice.
    reply.catch(() => undefined);
    return sending;
  };
  return Object.assign(reply, { withResponse });
}

type Attempt =
  | { kind: "answered"; response: Response; text: string }
  | { kind: "unanswered"; cause: unknown; timedOut: boolean };

function createSender(options: ClientOptions) {
  const { fetch = globalThis.fetch, timeoutMs = 30_000, retries = 2 } = options;
  const baseUrls = readBaseUrls(options);
  let current = 0;

  async function attempt(node: number, request: PreparedRequest, call: CallOptions): Promise<Attempt> {
    const { target, method, headers, body } = request;
    const timeout = AbortSignal.timeout(call.timeoutMs ?? timeoutMs);
    try {
      const response = await fetch(`${baseUrls[node]}${target}`, {
        method,
        headers,
        // A redirect would carry the credentials to an address nobody configured.
        redirect: "manual",
        signal: call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]),
        ...(body !== undefined && { body }),
      });
      return { kind: "answered", response, text: await response.text() };
    } catch (cause) {
      call.signal?.throwIfAborted();
      return { kind: "unanswered", cause, timedOut: timeout.aborted };
    }
  }

  return async function send(name: RouteName, input: object, call: CallOptions): Promise<Answer<unknown>> {
    const route: Route = routes[name];
    const request = prepareRequest(name, route, { ...input }, options, call.idempotencyKey);
    call.signal?.throwIfAborted();
    for (let attempts = 1; ; attempts += 1) {
      const node = current;
      const made = await attempt(node, request, call);
      const delayMs = delayAfter(made, attempts);
      if (attempts > retries || delayMs === undefined) {
        if (made.kind === "unanswered") throw unanswered(name, attempts, made);
        return readAnswer(name, route, made.response, made.text);
      }
      // Calls that fail together move on by one node, not by one each.
      if (current === node && !isBusy(made)) current = (node + 1) % baseUrls.length;
      await pause(delayMs, call.signal);
    }
  };
}

function delayAfter(made: Attempt, attempts: number): number | undefined {
  if (made.kind === "unanswered") return backoffMs(attempts, Math.random());
  return delayAfterAnswer(
    made.response.status,
    made.response.headers.get(HEADERS.retryAfter),
    attempts,
    Date.now(),
  );
}

function isBusy(made: Attempt): boolean {
  return made.kind === "answered" && made.response.status === 429;
}

function readBaseUrls({ baseUrl, baseUrls }: ClientOptions): string[] {
  const given = baseUrls ?? (baseUrl === undefined ? [] : [baseUrl]);
  if (given.length === 0) throw new TypeError("createClient needs a baseUrl, such as http://127.0.0.1:8080");
  for (const url of given) {
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new TypeError("baseUrl must start with http:// or https://");
  }
  return given.map((url) => url.replace(/\/+$/, ""));
}

function unanswered(
  name: RouteName,
  attempts: number,
  { timedOut, cause }: { timedOut: boolean; cause: unknown },
): SignalboxConnectionError {
  const what = timedOut ? "no answer in time" : "no connection";
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return new SignalboxConnectionError(`${name}: ${what}, tried ${times}`, { attempts, cause });
}

function readAnswer(name: RouteName, route: Route, response: Response, text: string): Answer<unknown> {
  const { status, headers } = response;
  const requestId = headers.get(HEADERS.requestId) ?? undefined;
  if (response.ok && route.plainText) return { reply: text, status, headers, requestId };
  const body = readJson(text);
  if (response.ok && body !== undefined) return { reply: body, status, headers, requestId };
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === "number" && typeof message === "string" && !response.ok) {
    throw new SignalboxError(message, { status, code, failureName: failureNameOf(code), requestId });
  }
  const problem = response.ok ? "a body that is not JSON" : "a body that is not the service's own";
  throw new SignalboxError(`${name}: HTTP ${status} with ${problem}; is baseUrl right?`, {
    status,
    requestId,
  });
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
