import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Received } from "./ledger.ts";
import { givenMs } from "./machine.ts";
import { freePort } from "./processes.ts";

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: Record<string, string | undefined>;
  /** As they came, with their case and order. */
  rawHeaders: [name: string, value: string][];
  bodyBytes: Buffer;
  /** The parsed JSON, or undefined when it is none. */
  body: unknown;
  /** Milliseconds, never running backwards, taken when the last byte was in. */
  arrivedAt: number;
  index: number;
  connectionId: number;
  /** How the exchange ended; undefined while it has not. */
  answer: Received["answer"];
};

export type Reply = {
  status?: number;
  headers?: Record<string, string>;
  /** Bytes and text are sent as they are, anything else as JSON. */
  body?: unknown;
  delayMs?: number;
  /** Cut the connection in place of an answer: the developer has the message, the service cannot know. */
  destroySocket?: boolean;
};

export type Responder = (request: ReceivedRequest) => Reply | undefined | Promise<Reply | undefined>;

export type Receiver = AsyncDisposable & {
  url: string;
  port: number;
  requests: ReceivedRequest[];
  /** From now on; undefined is the ordinary answer. */
  respond(responder: Responder): void;
  /** The first request that fits, also one that came already. */
  waitFor(predicate: (request: ReceivedRequest) => boolean, timeoutMs?: number): Promise<ReceivedRequest>;
  waitForCount(count: number, timeoutMs?: number): Promise<void>;
  /** Message webhook requests (4.5) in the form the judge reads; availability tests are left out. */
  ledger(keyOf?: (body: MessageBody) => string): Received[];
  close(): Promise<void>;
};

export type MessageBody = {
  conversation_id: string;
  message_id: string;
  output: { content: { text?: string } }[];
  istest?: boolean;
};

const SUCCESS = { code: 200, msg: "success" };

export type ReceiverOptions = {
  /** The address it listens on; loopback unless given. */
  host?: string;
  port?: number;
  /** Is given each request when its exchange is over; `requests` then stays empty, for runs too long to keep them all. */
  onEnded?: (request: ReceivedRequest) => void;
};

/** Plays the developer: a real HTTP server that writes down all it gets. */
export async function startReceiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const port = options.port ?? (await freePort());
  const { onEnded, host = "127.0.0.1" } = options;
  const requests: ReceivedRequest[] = [];
  let requestCount = 0;
  const watchers = new Set<() => void>();
  const connections = new WeakMap<Socket, number>();
  let connectionCount = 0;
  let responder: Responder = () => undefined;

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.on("connection", (socket) => connections.set(socket, ++connectionCount));

  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const bodyBytes = Buffer.concat(chunks);
    const request: ReceivedRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: incoming.headers as Record<string, string | undefined>,
      rawHeaders: pairsOf(incoming.rawHeaders),
      bodyBytes,
      body: parsed(bodyBytes),
      arrivedAt: now(),
      index: requestCount++,
      connectionId: connections.get(incoming.socket) ?? 0,
      answer: undefined,
    };
    if (onEnded === undefined) requests.push(request);
    response.once("close", () => {
      // A reply that was written and could not be sent does not count.
      if (!response.writableFinished) request.answer = { at: now(), acknowledged: false };
      onEnded?.(request);
    });
    for (const look of watchers) look();
    await answer((await responder(request)) ?? {}, request, incoming, response);
  };

  const watch = (what: () => string, isThere: () => boolean, timeoutMs: number) =>
    new Promise<void>((resolve, reject) => {
      const done = (settle: () => void) => {
        clearInterval(timer);
        watchers.delete(look);
        settle();
      };
      const look = () => {
        if (isThere()) done(resolve);
      };
      const deadline = givenMs() + timeoutMs;
      const timer = setInterval(() => {
        if (givenMs() >= deadline) done(() => reject(new Error(`${what()} within ${timeoutMs} ms`)));
      }, 50);
      watchers.add(look);
      look();
    });

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://${host}:${port}`,
    port,
    requests,
    respond: (next) => void (responder = next),
    async waitFor(predicate, timeoutMs = 30_000) {
      let seen = 0;
      let found: ReceivedRequest | undefined;
      const look = () => {
        while (found === undefined && seen < requests.length)
          found = requests.slice(seen, ++seen).find(predicate);
        return found !== undefined;
      };
      await watch(() => `the receiver got ${requests.length} requests but none that fits`, look, timeoutMs);
      return found as unknown as ReceivedRequest;
    },
    waitForCount: (count, timeoutMs = 30_000) =>
      watch(
        () => `the receiver got ${requests.length} of ${count} requests`,
        () => requests.length >= count,
        timeoutMs,
      ),
    ledger: (keyOf = firstText) => requests.flatMap((request) => receivedIn(request, keyOf)),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The clock of arrivals and answers; it never runs backwards. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

async function answer(
  reply: Reply,
  request: ReceivedRequest,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (reply.delayMs !== undefined) await sleep(reply.delayMs, undefined, { ref: false });
  if (reply.destroySocket === true) return void incoming.socket.destroy();
  if (response.destroyed) return;
  // Before the words leave: the next message may be here before we hear that they did.
  request.answer = { at: now(), acknowledged: (reply.status ?? 200) === 200 };
  const { body = SUCCESS } = reply;
  const isPlain = typeof body === "string" || Buffer.isBuffer(body);
  response.writeHead(reply.status ?? 200, {
    ...(isPlain ? {} : { "content-type": "application/json" }),
    ...reply.headers,
  });
  response.end(isPlain ? body : JSON.stringify(body));
}

/** The message of 4.5 that a request brought, in the form the judge reads; none for whatever else it was. */
export function receivedIn(
  request: ReceivedRequest,
  keyOf: (body: MessageBody) => string = firstText,
): Received[] {
  const body = request.body as Partial<MessageBody> | undefined | null;
  if (typeof body?.conversation_id !== "string" || !Array.isArray(body.output) || body.istest === true)
    return [];
  const { headers } = request;
  return [
    {
      conversationId: body.conversation_id,
      key: keyOf(body as MessageBody),
      webhookId: headers["webhook-id"] ?? "",
      sequence: Number(headers["signalbox-sequence"] ?? Number.NaN),
      attempt: Number(headers["signalbox-attempt"] ?? Number.NaN),
      bodyHash: createHash("sha256").update(request.bodyBytes).digest("hex"),
      arrivedAt: request.arrivedAt,
      answer: request.answer,
    },
  ];
}

function firstText(body: MessageBody): string {
  return body.output[0]?.content.text ?? "";
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function pairsOf(rawHeaders: string[]): [string, string][] {
  return Array.from({ length: rawHeaders.length / 2 }, (_, at) => [
    rawHeaders[2 * at] ?? "",
    rawHeaders[2 * at + 1] ?? "",
  ]);
}
