import { HEADERS, type Route, type RouteName, failureNameOf, routes } from "@signalbox/contract";
import { SignalboxConnectionError, SignalboxError } from "./errors.ts";
import type { CallOptions, ClientOptions, ResponseEvent, StreamOptions } from "./options.ts";
import { type PreparedRequest, prepareRequest } from "./request.ts";
import { backoffMs, delayAfterAnswer, pause } from "./retrying.ts";
import { chunksOf } from "./server-sent-events.ts";

export interface Answered {
  response: Response;
  text: string;
  /** The reply of a route that answers with a file. */
  file?: Blob;
}

export interface OpenedStream {
  response: Response;
  /** To be called with each sign of life: the attempt's time begins again. */
  stillAlive: () => void;
  ended: () => void;
}

type Attempt =
  | ({ kind: "answered" } & Answered)
  | ({ kind: "opened" } & OpenedStream)
  | { kind: "unanswered"; cause: unknown; timedOut: boolean };

export interface Sender {
  send(name: RouteName, input: object, call: CallOptions): Promise<Answered>;
  /** Resolves when the stream is open; a refusal rejects as it does for any call. */
  open(name: RouteName, input: object, call: StreamOptions): Promise<OpenedStream>;
}

const EVENT_STREAM = "text/event-stream";

export function createSender(options: ClientOptions): Sender {
  const { fetch = globalThis.fetch, timeoutMs = 30_000 } = options;
  const baseUrls = readBaseUrls(options);
  let current = 0;

  async function attempt(
    node: number,
    request: PreparedRequest,
    call: CallOptions,
    { number, asStream }: { number: number; asStream: boolean },
  ): Promise<Attempt> {
    const { method, body, isFile } = request;
    const url = `${baseUrls[node]}${request.target}`;
    const headers = new Headers(request.headers);
    for (const [name, value] of Object.entries({ ...options.headers, ...call.headers }))
      headers.set(name, value);
    const about = { call: request.call, method, url, attempt: number };
    await options.onRequest?.({ ...about, headers });
    const timeout = countdown(call.timeoutMs ?? timeoutMs);
    const tell = createTeller(options.onResponse, about);
    try {
      const response = await fetch(url, {
        method,
        headers,
        // A redirect would carry the credentials to an address nobody configured.
        redirect: "manual",
        signal: call.signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, call.signal]),
        ...(body !== undefined && { body }),
      });
      await tell(response);
      if (asStream && response.ok && isEventStream(response))
        return { kind: "opened", response, stillAlive: timeout.restart, ended: timeout.stop };
      if (isFile && response.ok) {
        const file = await response.blob();
        timeout.stop();
        return { kind: "answered", response, text: "", file };
      }
      const text = await response.text();
      timeout.stop();
      return { kind: "answered", response, text };
    } catch (cause) {
      timeout.stop();
      if (cause instanceof HookError) throw cause.cause;
      call.signal?.throwIfAborted();
      await tell(undefined, cause);
      return { kind: "unanswered", cause, timedOut: timeout.signal.aborted };
    }
  }

  async function repeat(
    name: RouteName,
    input: object,
    call: StreamOptions,
    asStream: boolean,
  ): Promise<Exclude<Attempt, { kind: "unanswered" }>> {
    const route: Route = routes[name];
    const retries = call.retries ?? options.retries ?? 2;
    const request = prepareRequest(route, { ...input }, options, call.idempotencyKey);
    if (asStream) request.headers["accept"] = EVENT_STREAM;
    if (call.lastEventId !== undefined) request.headers[HEADERS.lastEventId] = call.lastEventId;
    call.signal?.throwIfAborted();
    for (let attempts = 1; ; attempts += 1) {
      const node = current;
      const made = await attempt(node, request, call, { number: attempts, asStream });
      const delayMs = delayAfter(made, attempts);
      if (attempts > retries || delayMs === undefined) {
        if (made.kind === "unanswered") throw unanswered(route.sdk, attempts, made);
        return made;
      }
      // Calls that fail together move on by one node, not by one each.
      if (current === node && !isBusy(made)) current = (node + 1) % baseUrls.length;
      await pause(delayMs, call.signal);
    }
  }

  return {
    async send(name, input, call) {
      const made = await repeat(name, input, call, false);
      if (made.kind === "opened") throw new Error(`${routes[name].sdk} returned an unexpected stream`);
      return made;
    },
    async open(name, input, call) {
      const made = await repeat(name, input, call, true);
      if (made.kind === "answered") throw failureOf(name, made);
      return made;
    },
  };
}

/** What a hook throws is the caller's own, and no failure of the network. */
class HookError extends Error {}

/** Tells the caller's hook once what became of an attempt. */
function createTeller(
  hook: ClientOptions["onResponse"],
  about: Pick<ResponseEvent, "call" | "method" | "url" | "attempt">,
): (response: Response | undefined, error?: unknown) => Promise<void> {
  const startedAt = performance.now();
  let isTold = hook === undefined;
  return async (response, error) => {
    if (isTold) return;
    isTold = true;
    const headers = response?.headers;
    const requestId = headers?.get(HEADERS.requestId) ?? undefined;
    const durationMs = performance.now() - startedAt;
    try {
      await hook?.({ ...about, durationMs, status: response?.status, headers, requestId, error });
    } catch (cause) {
      throw new HookError("a hook failed", { cause });
    }
  };
}

/** The failure an answer stands for: the service's own, or something else's in its place, such as a proxy's. */
export function failureOf(name: RouteName, { response, text }: Answered): SignalboxError {
  const { status, headers } = response;
  const requestId = headers.get(HEADERS.requestId) ?? undefined;
  const { code, message } = (readJson(text) ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === "number" && typeof message === "string" && !response.ok)
    return new SignalboxError(message, { status, code, failureName: failureNameOf(code), requestId });
  const { plainText, sdk }: Route = routes[name];
  const isPlain = headers.get("content-type")?.startsWith("text/plain") ?? false;
  if (plainText === true && isPlain && text !== "") return new SignalboxError(text, { status, requestId });
  const problem = `${sdk}: HTTP ${status} with an unexpected body. Check baseUrl`;
  return new SignalboxError(problem, { status, requestId });
}

/** What an open stream says, each piece a sign of life. */
export async function* liveBytes({
  response,
  stillAlive,
  ended,
}: OpenedStream): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    if (response.body === null) return;
    for await (const chunk of chunksOf(response.body)) {
      stillAlive();
      yield chunk;
    }
  } finally {
    ended();
  }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith(EVENT_STREAM) ?? false;
}

export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function countdown(timeoutMs: number): { signal: AbortSignal; restart: () => void; stop: () => void } {
  const controller = new AbortController();
  const timeUp = () => controller.abort(new DOMException("request timed out", "TimeoutError"));
  let timer = setTimeout(timeUp, timeoutMs);
  const stop = () => clearTimeout(timer);
  const restart = () => {
    stop();
    timer = setTimeout(timeUp, timeoutMs);
  };
  return { signal: controller.signal, restart, stop };
}

function delayAfter(made: Attempt, attempts: number): number | undefined {
  if (made.kind === "opened") return undefined;
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
  return given.map((url) => url.replace(/(?<!\/)\/+$/, ""));
}

function unanswered(
  method: string,
  attempts: number,
  { timedOut, cause }: { timedOut: boolean; cause: unknown },
): SignalboxConnectionError {
  const what = timedOut ? "request timed out" : "connection failed";
  const times = attempts === 1 ? "once" : `${attempts} times`;
  return new SignalboxConnectionError(`${method}: ${what}, tried ${times}`, { attempts, cause });
}
