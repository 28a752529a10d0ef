import { lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector, request, type Dispatcher } from "undici";
import { createAddressJudge, type AddressRules } from "./address-guard.ts";
import { openStream, type OutboundRequest, type OutboundStream } from "./outbound-stream.ts";

/** Why an exchange ended without an answer. */
export type UnansweredCause =
  | "forbidden_address"
  | "dns_not_found"
  | "connect_refused"
  | "connection_lost"
  | "tls_failed"
  | "timeout"
  | "invalid_request";

export interface Unanswered {
  kind: "unanswered";
  cause: UnansweredCause;
  detail: string;
}

export type OutboundResult =
  | { kind: "answered"; status: number; retryAfter: string | undefined; body: Buffer }
  | Unanswered;

export interface OutboundPost {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  timeoutMs: number;
  signal?: AbortSignal;
}

export interface Outbound {
  post(post: OutboundPost): Promise<OutboundResult>;
  /** For answers too large or too slow to wait for whole: files and models. */
  stream(request: OutboundRequest): Promise<OutboundStream | Unanswered>;
  close(): Promise<void>;
}

const REPLY_BYTES_MAX = 65_536;

class ForbiddenAddress extends Error {}

/** The only way out: everything the service fetches or posts goes through this connector. */
export function openOutbound(rules: AddressRules): Outbound {
  const dispatcher = new Agent({
    connect: guardedConnector(rules),
    connections: 128,
    pipelining: 1,
    // A pooled connection keeps the address it was judged with, so its life is bounded.
    keepAliveTimeout: 10_000,
    keepAliveMaxTimeout: 60_000,
    maxRequestsPerClient: 10_000,
    maxHeaderSize: 32_768,
  });
  return {
    post: (post) => exchange(dispatcher, post),
    stream: (asked) =>
      openStream(dispatcher, asked, (error, hasTimedOut) => ({
        kind: "unanswered",
        ...describe(error, hasTimedOut),
      })),
    close: () => dispatcher.close(),
  };
}

async function exchange(dispatcher: Dispatcher, post: OutboundPost): Promise<OutboundResult> {
  // undici's own timeouts run between bytes; only a deadline over the whole exchange stops a drip.
  const deadline = AbortSignal.timeout(post.timeoutMs);
  const signal = post.signal === undefined ? deadline : AbortSignal.any([deadline, post.signal]);
  // undici hears of the signal only once it is connected: a stalled handshake would outlast the deadline.
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(signal.reason);
  signal.addEventListener("abort", end);
  try {
    const exchanging = request(post.url, {
      dispatcher,
      method: "POST",
      headers: { ...post.headers, "accept-encoding": "identity" },
      body: post.body,
      signal,
    });
    const response = await Promise.race([exchanging, ended.promise]);
    const retryAfter = response.headers["retry-after"];
    return {
      kind: "answered",
      status: response.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      body: await readCapped(response.body),
    };
  } catch (error) {
    return { kind: "unanswered", ...describe(error, deadline.aborted) };
  } finally {
    signal.removeEventListener("abort", end);
  }
}

/** What is past the cap is not read: the connection ends instead. */
async function readCapped(body: Dispatcher.ResponseData["body"]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= REPLY_BYTES_MAX) break;
  }
  return Buffer.concat(chunks).subarray(0, REPLY_BYTES_MAX);
}

function guardedConnector(rules: AddressRules): buildConnector.connector {
  const mayConnect = createAddressJudge(rules);
  const judgedLookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      // One forbidden answer spoils all: a name that mixes public and private is an attack or a mistake.
      if (!addresses.every(({ address }) => mayConnect(hostname, address))) {
        return callback(new ForbiddenAddress(`${hostname} resolves to a forbidden address`), []);
      }
      callback(null, addresses);
    });
  };
  const connect = buildConnector({ timeout: 10_000, lookup: judgedLookup, autoSelectFamily: true });

  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[|\]$/g, "");
    // A literal never reaches the lookup.
    if (isIP(hostname) !== 0 && !mayConnect(hostname, hostname)) {
      callback(new ForbiddenAddress(`${hostname} is a forbidden address`), null);
      return;
    }
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(error, null);
      if (!mayConnect(hostname, socket.remoteAddress ?? "")) {
        socket.destroy();
        return callback(new ForbiddenAddress(`${hostname} led to a forbidden address`), null);
      }
      callback(null, socket);
    });
  };
}

const TIMEOUTS = ["UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT"];

function describe(error: unknown, hasTimedOut: boolean): { cause: UnansweredCause; detail: string } {
  if (!(error instanceof Error)) return { cause: "connection_lost", detail: String(error) };
  const detail = error.message;
  if (hasTimedOut) return { cause: "timeout", detail: "no complete answer within the deadline" };
  if (error instanceof ForbiddenAddress) return { cause: "forbidden_address", detail };
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return { cause: "dns_not_found", detail };
  if (code === "ECONNREFUSED") return { cause: "connect_refused", detail };
  if (TIMEOUTS.includes(code)) return { cause: "timeout", detail };
  if (code === "UND_ERR_INVALID_ARG" || code === "ERR_INVALID_URL")
    return { cause: "invalid_request", detail };
  if (/^(CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return { cause: "tls_failed", detail };
  return { cause: "connection_lost", detail };
}
