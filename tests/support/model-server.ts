import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { after, beforeEach } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./processes.ts";

export interface ModelRequest {
  path: string;
  headers: Record<string, string | undefined>;
  body: {
    model?: string;
    messages?: { role: string; content: string }[];
    input?: string | string[];
    stream?: boolean;
    encoding_format?: string;
    response_format?: { type: string; json_schema?: { schema: unknown } };
    [field: string]: unknown;
  };
}

/** What the model says to one question, or how it fails. */
export type ModelReply =
  | {
      say: string;
      finish?: "stop" | "length" | "content_filter";
      usage?: Record<string, unknown>;
      delayMs?: number;
      /** Between two pieces of a streamed reply. */
      pieceEveryMs?: number;
    }
  | { status: number; error?: Record<string, unknown>; headers?: Record<string, string> }
  /** A failure in a form of its own. */
  | { status: number; body: unknown }
  /** It calls the tool it was given. */
  | { call: string }
  /** The connection breaks off half way through the reply. */
  | { cut: string }
  /** Not a byte, until the caller gives up. */
  | { silence: true }
  /** Any bytes at all, as JSON. */
  | { raw: unknown };

export type ModelScript = (request: ModelRequest) => ModelReply | Promise<ModelReply>;
export type Embedder = (texts: string[]) => number[][] | Promise<number[][]>;

export type ModelServer = AsyncDisposable & {
  /** Up to and including /v1. */
  url: string;
  requests: ModelRequest[];
  /** Streamed replies that their caller broke off. */
  brokenOff(): number;
  /** From now on. */
  answer(script: ModelScript): void;
  /** These in turn, then as before. */
  next(...replies: ModelReply[]): void;
  embedWith(embedder: Embedder): void;
  close(): Promise<void>;
};

/** Ways in which models and their servers disappoint. */
export const faults = {
  rateLimited: (retryAfterMs = 20): ModelReply => ({
    status: 429,
    error: { message: "slow down", type: "rate_limit_error" },
    headers: { "retry-after-ms": String(retryAfterMs) },
  }),
  broken: (): ModelReply => ({ status: 500, error: { message: "internal error" } }),
  cut: (said: string): ModelReply => ({ cut: said }),
  length: (said: string): ModelReply => ({ say: said, finish: "length" }),
  fenced: (json: unknown): ModelReply => ({ say: `\`\`\`json\n${JSON.stringify(json, null, 2)}\n\`\`\`` }),
  proseBefore: (json: unknown): ModelReply => ({
    say: `Sure! Here are the pairs:\n\n${JSON.stringify(json)}\n\nDone.`,
  }),
  numbered: (pairs: { question: string; answer: string }[]): ModelReply => ({
    say: pairs
      .map(({ question, answer }, at) => `**Q${at + 1}:** ${question}\n**A${at + 1}：** ${answer}`)
      .join("\n\n"),
  }),
  empty: (): ModelReply => ({ say: '{"pairs":[]}' }),
  silence: (): ModelReply => ({ silence: true }),
  unknownParameter: (param: string): ModelReply => ({
    status: 400,
    error: {
      message: `Unsupported value: ${param}`,
      type: "invalid_request_error",
      param,
      code: "unsupported_value",
    },
  }),
};

/** A server of OpenAI's API as far as the service uses it; the official SDK is its judge in model-server.test.ts. */
export async function startModelServer(options: { port?: number } = {}): Promise<ModelServer> {
  const port = options.port ?? (await freePort());
  const requests: ModelRequest[] = [];
  const queue: ModelReply[] = [];
  let brokenOff = 0;
  let script: ModelScript = () => ({ say: "I have nothing to say." });
  let embedder: Embedder = (texts) => texts.map(vectorOfWords);

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const request: ModelRequest = {
      path: incoming.url ?? "",
      headers: incoming.headers as Record<string, string | undefined>,
      body: JSON.parse(Buffer.concat(chunks).toString("utf8") || "{}") as ModelRequest["body"],
    };
    requests.push(request);
    const isChat = request.path === "/v1/chat/completions";
    const isSpeech = request.path === "/v1/audio/speech";
    if (!isChat && !isSpeech && request.path !== "/v1/embeddings")
      return json(response, 404, { error: { message: `no such path: ${request.path}` } });
    const reply = queue.shift() ?? (isChat ? await script(request) : undefined);
    if (reply !== undefined && "status" in reply && "body" in reply)
      return json(response, reply.status, reply.body);
    if (reply !== undefined && "status" in reply)
      return json(response, reply.status, { error: reply.error ?? { message: "failed" } }, reply.headers);
    if (reply !== undefined && "silence" in reply) return;
    if (reply !== undefined && "raw" in reply) return json(response, 200, reply.raw);
    if (isSpeech) return sound(request, response);
    if (!isChat) return embed(request, response);
    if (reply !== undefined && "call" in reply) return json(response, 200, toolCall(request, reply.call));
    await chat(request, response, reply);
  }

  async function chat(
    { body }: ModelRequest,
    response: ServerResponse,
    reply: Extract<ModelReply, { say: string } | { cut: string }> | undefined,
  ): Promise<void> {
    const text = reply === undefined ? "" : "cut" in reply ? reply.cut : reply.say;
    const isCut = reply !== undefined && "cut" in reply;
    const finish = reply !== undefined && "say" in reply ? (reply.finish ?? "stop") : "stop";
    if (reply !== undefined && "say" in reply && reply.delayMs !== undefined)
      await sleep(reply.delayMs, undefined, { ref: false });
    const base = { id: "chatcmpl-1", created: 1_700_000_000, model: body.model ?? "" };
    const usage = (reply !== undefined && "say" in reply ? reply.usage : undefined) ?? usageOf(body, text);
    if (body.stream === true) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const event = (delta: object, reason: string | null, extra: object = {}) =>
        `data: ${JSON.stringify({ ...base, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: reason }], ...extra })}\n\n`;
      response.write(event({ role: "assistant", content: "" }, null));
      const pieces = text.match(/[\s\S]{1,12}/g) ?? [];
      const everyMs = (reply !== undefined && "say" in reply ? reply.pieceEveryMs : undefined) ?? 0;
      for (const piece of isCut ? pieces.slice(0, Math.ceil(pieces.length / 2)) : pieces) {
        if (response.destroyed) return void (brokenOff += 1);
        response.write(event({ content: piece }, null));
        if (everyMs > 0) await sleep(everyMs, undefined, { ref: false });
      }
      if (isCut) return void setTimeout(() => response.destroy(), 10);
      response.write(event({}, finish, { usage }));
      response.end("data: [DONE]\n\n");
      return;
    }
    const whole = {
      ...base,
      object: "chat.completion",
      choices: [
        { index: 0, finish_reason: finish, message: { role: "assistant", content: text, refusal: null } },
      ],
      usage,
    };
    if (!isCut) return json(response, 200, whole);
    const bytes = Buffer.from(JSON.stringify(whole));
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy());
  }

  /** Not sound, but bytes that tell what was to be said. */
  function sound({ body }: ModelRequest, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "application/octet-stream" });
    response.end(`${String(body["voice"])} says: ${String(body.input)}`);
  }

  async function embed({ body }: ModelRequest, response: ServerResponse): Promise<void> {
    const texts = typeof body.input === "string" ? [body.input] : (body.input ?? []);
    const vectors = await embedder(texts);
    const written = (vector: number[]) =>
      body.encoding_format === "base64"
        ? Buffer.from(new Float32Array(vector).buffer).toString("base64")
        : vector;
    const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
    json(response, 200, {
      object: "list",
      model: body.model,
      data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: written(vector) })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    });
  }

  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const close = async () => {
    if (!server.listening) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    brokenOff: () => brokenOff,
    answer: (next) => void (script = next),
    next: (...replies) => void queue.push(...replies),
    embedWith: (next) => void (embedder = next),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const ONLY_HERE = {
  allowedHosts: [],
  allowedRanges: [{ range: "127.0.0.1", port: "*" as const }],
  connectionLifeMs: 60_000,
};

/** For all tests of a file beside the service: a model's server without requests, and the service's own way out to it. */
export async function serveModel<Outbound extends { close(): Promise<unknown> }>(
  openOutbound: (rules: typeof ONLY_HERE) => Outbound,
): Promise<{ server: ModelServer; outbound: Outbound }> {
  const server = await startModelServer();
  const outbound = openOutbound(ONLY_HERE);
  beforeEach(() => void (server.requests.length = 0));
  after(async () => {
    await server.close();
    await outbound.close();
  });
  return { server, outbound };
}

function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

function toolCall({ body }: ModelRequest, name: string): object {
  const tool_calls = [{ id: "call-1", type: "function", function: { name, arguments: "{}" } }];
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_700_000_000,
    model: body.model ?? "",
    choices: [
      { index: 0, finish_reason: "tool_calls", message: { role: "assistant", content: null, tool_calls } },
    ],
    usage: usageOf(body, name),
  };
}

function tokensOf(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4));
}

function usageOf({ messages = [] }: ModelRequest["body"], said: string) {
  const prompt = messages.reduce((sum, { content }) => sum + tokensOf(content), 0);
  const completion = tokensOf(said);
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
}

const DIMENSIONS = 64;

/** Texts that share words point the same way: enough to prove a path, and no model of anything. */
function vectorOfWords(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const digest = createHash("sha256").update(word).digest();
    for (let at = 0; at < 4; at += 1) {
      const place = digest.readUInt16LE(at * 4) % DIMENSIONS;
      vector[place] = (vector[place] ?? 0) + (digest.readUInt8(at * 4 + 2) % 2 === 0 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector);
  return length === 0 ? vector.map((_, at) => (at === 0 ? 1 : 0)) : vector.map((value) => value / length);
}
