import { Pool, type Dispatcher } from "undici";
import { startClock, timedRequest, timingsOf, type ExchangeClock, type Timings } from "./exchange-timings.ts";
import { guardedConnector, type ConnectorRules } from "./guarded-connector.ts";
import { countInterimAnswers, describeFailure, unanswered, type Unanswered } from "./outbound-failure.ts";
import { openStream, type OutboundRequest, type OutboundStream } from "./outbound-stream.ts";

type Answer =
  | {
      kind: "answered";
      status: number;
      /** As the receiver wrote them; `date` is its own clock. */
      retryAfter: string | undefined;
      date: string | undefined;
      body: Buffer;
    }
  | Unanswered;

export type OutboundResult = Answer & { timings?: Timings };

export interface OutboundPost {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** From the first thought of connecting to the last byte of the answer. */
  timeoutMs: number;
  /** It goes to the receiver of the service's own inbox, whatever its url says. */
  toInbox?: true;
}

export interface OutboundRules extends ConnectorRules {
  /** How long a connection is used before its name is resolved and judged anew. */
  connectionLifeMs: number;
}

export interface Outbound {
  post(post: OutboundPost): Promise<OutboundResult>;
  /** For answers too large or too slow to wait for whole: files and models. */
  stream(request: OutboundRequest): Promise<OutboundStream | Unanswered>;
  close(): Promise<void>;
}

const REPLY_BYTES_MAX = 65_536;
const HEADER_BYTES_MAX = 32_768;
const IDLE_MS = 4_000;

/** The only way out: everything the service fetches or posts for a purpose goes through this connector, which guards against SSRF. */
export function openOutbound(rules: OutboundRules): Outbound {
  const connect = guardedConnector(rules);
  const pools = new Map<string, Pool>();
  const open = new Set<Pool>();

  function poolOf(origin: string): Pool {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const pool = new Pool(origin, {
      connect,
      // As many as are asked for: who waited for one here would run out of time for the slowness of another at this host.
      connections: null,
      pipelining: 1,
      allowH2: false,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: rules.connectionLifeMs,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Both run between bytes only; the deadline of an exchange runs over all of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    pools.set(origin, pool);
    open.add(pool);
    // Busy or not: a connection keeps the address it was judged with, and names move. What is under way ends in its own time.
    setTimeout(() => {
      pools.delete(origin);
      if (!pool.closed) void pool.close().then(() => open.delete(pool));
    }, rules.connectionLifeMs).unref();
    return pool;
  }

  return {
    async post(post) {
      const url = readUrl(post.url);
      return url instanceof URL ? exchange(poolOf(url.origin), url, post) : url;
    },
    async stream(asked) {
      const url = readUrl(asked.url);
      return url instanceof URL ? openStream(poolOf(url.origin), url, asked) : url;
    },
    async close() {
      await Promise.all([...open].filter(({ closed }) => !closed).map((pool) => pool.close()));
    },
  };
}

function readUrl(text: string): URL | Unanswered {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    return unanswered("invalid_request", "this is no http or https URL");
  if (url.username !== "" || url.password !== "")
    return unanswered("invalid_request", "credentials do not belong into a URL");
  return url;
}

/** undici hears an abort only once it is connected, so the deadline is kept here and the abort merely cleans up. */
async function exchange(pool: Pool, url: URL, post: OutboundPost): Promise<OutboundResult> {
  const clock = startClock();
  const ending = new AbortController();
  const deadline = Promise.withResolvers<Unanswered>();
  const timer = setTimeout(() => {
    deadline.resolve(unanswered("timeout", "no complete answer within the deadline"));
    ending.abort();
  }, post.timeoutMs);
  try {
    const answer = await Promise.race([deadline.promise, send(pool, url, post, { ending, clock })]);
    return { ...answer, timings: timingsOf(clock) };
  } finally {
    clearTimeout(timer);
  }
}

async function send(
  pool: Pool,
  url: URL,
  { headers, body }: OutboundPost,
  { ending, clock }: { ending: AbortController; clock: ExchangeClock },
): Promise<Answer> {
  try {
    const request: Dispatcher.RequestOptions = {
      method: "POST",
      path: `${url.pathname}${url.search}`,
      // Nothing is inflated, so nothing packed is asked for.
      headers: { ...headers, "accept-encoding": "identity" },
      body,
      signal: ending.signal,
      onInfo: countInterimAnswers(ending),
    };
    const response = await timedRequest(pool, request, clock);
    const first = (name: string) => [response.headers[name]].flat()[0];
    return {
      kind: "answered",
      status: response.statusCode,
      retryAfter: first("retry-after"),
      date: first("date"),
      body: await readCapped(response.body),
    };
  } catch (error) {
    return describeFailure(error);
  }
}

/** The body is read up to the cap: then the connection ends, and the status still counts. */
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
