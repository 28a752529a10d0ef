import {
  callModel,
  describeModelFailure,
  ModelRefusal,
  type ModelAddress,
  type ModelFailure,
} from "./model-client.ts";
import { readJsonEvents, readWhole } from "./model-events.ts";
import type { Dialect } from "./model-dialects.ts";
import { unmetered, type ModelCalls } from "./model-quota.ts";
import { traceChat, traceEmbeddings } from "./model-spans.ts";
import { perMillion, type ModelUsage } from "./model-usage.ts";
import type { Outbound } from "./outbound-http.ts";
import { createStepSlice } from "./time-slice.ts";

export type ChatResult =
  | ({ kind: "said"; text: string; finish: "stop" | "length" } & Reply)
  /** In place of words, or beside them. */
  | ({ kind: "called_tool" } & Reply)
  | ModelFailure;

interface Reply {
  usage: ModelUsage;
  /** The model that the server says it was. */
  respondedBy?: string;
}

export interface ChatAsk {
  messages: { role: "system" | "user"; content: string }[];
  /** The reply is asked to follow it, by whatever means the server has; it may still not. */
  jsonSchema?: Record<string, unknown>;
  maxTokens?: number;
  /** The one thing a model may do here besides speaking; it takes no arguments. */
  tool?: { name: string; description: string };
  signal?: AbortSignal;
  /** The reply is asked for piece by piece, and each is handed on as it comes. */
  onText?: (text: string) => void;
  /** A user has read words of the reply: no other model can be asked in its place. */
  isTold?: () => boolean;
  /** The model failed, and what comes next is the beginning of another's reply. */
  restart?: () => void;
}

export interface ChatModel {
  model: string;
  say(ask: ChatAsk): Promise<ChatResult>;
}

const CHAT = "/chat/completions";
const DIALECTS_MAX = 5;
/** About a millisecond of the event loop. */
const PIECES_A_SLICE = 32;

export function openChatModel(
  outbound: Pick<Outbound, "stream">,
  address: ModelAddress,
  { meter, dialects }: ModelCalls = unmetered(),
): ChatModel {
  async function askIn(dialect: Dialect, ask: ChatAsk, timeoutMs: number): Promise<Completion> {
    const { signal, onText } = ask;
    const within = { ...address, timeoutMs };
    const request = requestOf(address.model, ask, dialect);
    if (onText === undefined) return (await callWhole(outbound, within, CHAT, request, signal)) ?? {};
    const usage = dialect.hasStreamUsage ? { stream_options: { include_usage: true } } : {};
    const body = { ...request, ...usage, stream: true };
    const reply = await callModel(outbound, within, { path: CHAT, body, signal });
    return gatherPieces(readJsonEvents(reply), onText);
  }

  /** All tries together take no longer than one may. */
  async function say(ask: ChatAsk, until: number): Promise<ChatResult> {
    let dialect = dialects.of(address);
    for (let tries = 1; ; tries += 1) {
      try {
        const timeoutMs = Math.max(1, until - performance.now());
        const result = readCompletion(await askIn(dialect, ask, timeoutMs), address);
        // One that did not help is not remembered: what was refused may have been the question.
        if (tries > 1 && result.kind !== "failed") dialects.learn(address, dialect);
        return result;
      } catch (error) {
        const simpler = tries < DIALECTS_MAX ? simplerDialect(error, ask, dialect) : undefined;
        if (simpler === undefined) return describeModelFailure(error, ask.signal);
        dialect = simpler;
      }
    }
  }

  return {
    model: address.model,
    say: (ask) => {
      const until = performance.now() + address.timeoutMs;
      return meter({
        kind: address.kind ?? "chat",
        isFailing: address.isFailing === true,
        make: () => traceChat(address, ask, () => say(ask, until)),
        tokensOf: (result) =>
          result.kind === "failed" ? 0 : result.usage.promptTokens + result.usage.completionTokens,
        waitMs: address.timeoutMs,
        signal: ask.signal,
      });
    },
  };
}

async function callWhole(
  outbound: Pick<Outbound, "stream">,
  address: ModelAddress,
  path: "/chat/completions" | "/embeddings",
  body: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const reply = await readWhole(await callModel(outbound, address, { path, body, signal }));
  return JSON.parse(reply.toString("utf8"));
}

function requestOf(model: string, ask: ChatAsk, dialect: Dialect): object {
  const { messages, jsonSchema, maxTokens, tool } = ask;
  return {
    model,
    messages,
    ...(dialect.hasTemperature ? { temperature: 0 } : {}),
    ...(maxTokens === undefined ? {} : { [dialect.tokensField]: maxTokens }),
    ...(jsonSchema === undefined ? {} : responseFormat(dialect.format, jsonSchema)),
    ...(tool === undefined || !dialect.hasTools ? {} : { tools: [{ type: "function", function: tool }] }),
  };
}

function responseFormat(format: Dialect["format"], schema: Record<string, unknown>): object {
  if (format === "none") return {};
  if (format === "json_object") return { response_format: { type: "json_object" } };
  return { response_format: { type: "json_schema", json_schema: { name: "reply", strict: true, schema } } };
}

/** Where a server names no field, its message does: that of Ollama ends in "does not support tools". */
const NAMED_FIELDS = [
  ["max_tokens", /\bmax_tokens\b/],
  ["temperature", /\btemperature\b/],
  ["tools", /\btools?\b/],
  ["stream_options", /\bstream_options\b/],
] as const;

function refusedField({ param, message }: ModelRefusal): string | undefined {
  return param ?? NAMED_FIELDS.find(([, words]) => words.test(message))?.[0];
}

/** Servers call themselves compatible and differ: newer models refuse a temperature, older servers a schema. */
function simplerDialect(error: unknown, ask: ChatAsk, dialect: Dialect): Dialect | undefined {
  if (!(error instanceof ModelRefusal) || ![400, 404, 415, 422, 501].includes(error.status)) return undefined;
  const field = refusedField(error);
  if (field === "temperature" && dialect.hasTemperature) return { ...dialect, hasTemperature: false };
  if (field === "max_tokens" && dialect.tokensField === "max_tokens" && ask.maxTokens !== undefined)
    return { ...dialect, tokensField: "max_completion_tokens" };
  if (field?.startsWith("tool") === true && dialect.hasTools && ask.tool !== undefined)
    return { ...dialect, hasTools: false };
  if (field === "stream_options" && dialect.hasStreamUsage && ask.onText !== undefined)
    return { ...dialect, hasStreamUsage: false };
  if (ask.jsonSchema === undefined || error.status === 404 || error.code === "context_length_exceeded")
    return undefined;
  if (dialect.format === "json_schema") return { ...dialect, format: "json_object" };
  return dialect.format === "json_object" ? { ...dialect, format: "none" } : undefined;
}

/** The pieces of a reply put together as if it had come at once. */
async function gatherPieces(
  pieces: AsyncIterable<unknown>,
  onText: (text: string) => void,
): Promise<Completion> {
  let content = "";
  let refusal = "";
  const toolCalls: unknown[] = [];
  let finishReason: string | undefined;
  let usage: Completion["usage"];
  let model: unknown;
  // A quick model's pieces arrive hundreds at a time, and the agent chooses its model: other agents are served in between.
  const giveWay = createStepSlice(PIECES_A_SLICE);
  for await (const piece of pieces) {
    await giveWay();
    const { choices, usage: counted, model: named } = (piece ?? {}) as Piece;
    usage = counted ?? usage;
    model = named ?? model;
    const choice = choices?.[0];
    finishReason = choice?.finish_reason ?? finishReason;
    const { content: more, refusal: refused, tool_calls: called } = choice?.delta ?? {};
    if (Array.isArray(called)) toolCalls.push(...(called as unknown[]));
    if (typeof refused === "string") refusal += refused;
    if (typeof more !== "string" || more === "") continue;
    content += more;
    onText(more);
  }
  if (finishReason === undefined) throw new Error("the reply broke off");
  const message = { content, refusal: refusal === "" ? null : refusal, tool_calls: toolCalls };
  return {
    choices: [{ message, finish_reason: finishReason }],
    model,
    ...(usage === undefined ? {} : { usage }),
  };
}

interface Piece {
  model?: unknown;
  choices?: {
    finish_reason?: string | null;
    delta?: { content?: unknown; refusal?: unknown; tool_calls?: unknown };
  }[];
  usage?: Completion["usage"] | null;
}

interface Completion {
  model?: unknown;
  choices?: {
    finish_reason?: string;
    message?: { content?: unknown; refusal?: string | null; tool_calls?: unknown };
  }[];
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    completion_tokens_details?: { reasoning_tokens?: number };
  };
}

/** The server promises nothing. */
function readCompletion({ choices, usage, model }: Completion, address: ModelAddress): ChatResult {
  const choice = choices?.[0];
  if (typeof choice?.message?.refusal === "string")
    return { kind: "failed", cause: "refused", detail: choice.message.refusal };
  if (choice?.finish_reason === "content_filter")
    return { kind: "failed", cause: "refused", detail: "the model's server withheld the reply" };
  const reply: Reply = {
    usage: readUsage(usage, address),
    ...(typeof model === "string" && { respondedBy: model }),
  };
  const called = choice?.message?.tool_calls;
  if (Array.isArray(called) && called.length > 0) return { kind: "called_tool", ...reply };
  if (typeof choice?.message?.content !== "string")
    return { kind: "failed", cause: "malformed_reply", detail: "the reply holds no text" };
  return {
    kind: "said",
    text: choice.message.content,
    finish: choice.finish_reason === "length" ? "length" : "stop",
    ...reply,
  };
}

function readUsage(
  usage: Completion["usage"],
  { inputCreditsPerMillion, outputCreditsPerMillion }: ModelAddress,
): ModelUsage {
  const promptTokens = usage?.prompt_tokens ?? 0;
  const completionTokens = usage?.completion_tokens ?? 0;
  return {
    promptTokens,
    completionTokens,
    reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    inputCredits: perMillion(promptTokens, inputCreditsPerMillion),
    outputCredits: perMillion(completionTokens, outputCreditsPerMillion),
  };
}

export type EmbedResult = { kind: "embedded"; vectors: number[][]; tokens: number } | ModelFailure;

export interface EmbeddingModel {
  model: string;
  /** One vector a text, in their order, all of one length. */
  embed(texts: string[], signal?: AbortSignal): Promise<EmbedResult>;
}

export function openEmbeddingModel(
  outbound: Pick<Outbound, "stream">,
  address: ModelAddress,
  { meter, dialects }: ModelCalls = unmetered(),
): EmbeddingModel {
  async function embedAtMost(
    most: number,
    texts: string[],
    signal: AbortSignal | undefined,
  ): Promise<EmbedResult> {
    const vectors: number[][] = [];
    let tokens = 0;
    for (let from = 0; from < texts.length; from += most) {
      const input = texts.slice(from, from + most);
      // Many compatible servers do not know base64.
      const request = { model: address.model, input, encoding_format: "float" };
      const reply = await callWhole(outbound, address, "/embeddings", request, signal);
      const embedded = readEmbeddings(reply, input.length);
      if (embedded.kind === "failed") return embedded;
      vectors.push(...embedded.vectors);
      tokens += embedded.tokens;
    }
    return { kind: "embedded", vectors, tokens };
  }

  async function embed(texts: string[], signal: AbortSignal | undefined): Promise<EmbedResult> {
    const known = dialects.of(address);
    let most = Math.min(known.textsMax, Math.max(1, texts.length));
    const first = most;
    for (;;) {
      try {
        const result = await embedAtMost(most, texts, signal);
        if (most < first && result.kind === "embedded") dialects.learn(address, { ...known, textsMax: most });
        return result;
      } catch (error) {
        if (most === 1 || !isTooMany(error)) return describeModelFailure(error, signal);
        most = Math.ceil(most / 2);
      }
    }
  }

  return {
    model: address.model,
    embed: (texts, signal) =>
      meter({
        kind: "embedding",
        isFailing: address.isFailing === true,
        make: () => traceEmbeddings(address, () => embed(texts, signal)),
        tokensOf: (result) => (result.kind === "failed" ? 0 : result.tokens),
        waitMs: address.timeoutMs,
        signal,
      }),
  };
}

const TOO_MANY = /\bbatch\b|\btoo many\b|\bmaximum\b.{0,60}\binputs?\b/i;

/** Servers take 10 texts at once, or 100, or 2,048, and say so in words of their own. */
function isTooMany(error: unknown): boolean {
  return (
    error instanceof ModelRefusal && [400, 413, 422].includes(error.status) && TOO_MANY.test(error.message)
  );
}

function readEmbeddings(reply: unknown, count: number): EmbedResult {
  const { data, usage } = (reply ?? {}) as {
    data?: { index?: number; embedding?: unknown }[];
    usage?: { prompt_tokens?: number };
  };
  const vectors: number[][] = [];
  for (const [position, { index, embedding }] of (data ?? []).entries()) {
    if (Array.isArray(embedding) && embedding.every(Number.isFinite))
      vectors[index ?? position] = embedding as number[];
  }
  const size = vectors[0]?.length ?? 0;
  const isWhole = Array.from({ length: count }, (_, index) => vectors[index]?.length === size).every(Boolean);
  if (size === 0 || !isWhole || vectors.length !== count)
    return { kind: "failed", cause: "malformed_reply", detail: "the reply lacks a vector for some text" };
  return { kind: "embedded", vectors, tokens: usage?.prompt_tokens ?? 0 };
}
