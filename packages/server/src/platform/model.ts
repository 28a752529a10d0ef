import { APIError } from "openai";
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions";
import {
  describeModelFailure,
  openModelClient,
  type ModelAddress,
  type ModelFailure,
} from "./model-client.ts";
import type { Outbound } from "./outbound-http.ts";

export interface ModelUsage {
  promptTokens: number;
  completionTokens: number;
  reasoningTokens: number;
}

export type ChatResult =
  | { kind: "said"; text: string; finish: "stop" | "length"; usage: ModelUsage }
  | ModelFailure;

export interface ChatAsk {
  messages: { role: "system" | "user"; content: string }[];
  /** The reply is asked to follow it, by whatever means the server has; it may still not. */
  jsonSchema?: Record<string, unknown>;
  maxTokens?: number;
  signal?: AbortSignal;
}

export interface ChatModel {
  model: string;
  say(ask: ChatAsk): Promise<ChatResult>;
}

/** What this server turned out not to understand is not tried again. */
interface Dialect {
  format: "json_schema" | "json_object" | "none";
  tokensField: "max_tokens" | "max_completion_tokens";
  hasTemperature: boolean;
}

const DIALECTS_MAX = 5;

export function openChatModel(outbound: Pick<Outbound, "stream">, address: ModelAddress): ChatModel {
  const client = openModelClient(outbound, address);
  let dialect: Dialect = { format: "json_schema", tokensField: "max_tokens", hasTemperature: true };
  return {
    model: address.model,
    async say(ask) {
      for (let tries = 1; ; tries += 1) {
        try {
          const completion = await client.chat.completions.create(
            requestOf(address.model, ask, dialect),
            ask.signal === undefined ? {} : { signal: ask.signal },
          );
          return readCompletion(completion);
        } catch (error) {
          const simpler = tries < DIALECTS_MAX ? simplerDialect(error, ask, dialect) : undefined;
          if (simpler === undefined) return describeModelFailure(error);
          dialect = simpler;
        }
      }
    },
  };
}

function requestOf(model: string, ask: ChatAsk, dialect: Dialect): ChatCompletionCreateParamsNonStreaming {
  const { messages, jsonSchema, maxTokens } = ask;
  return {
    model,
    messages,
    ...(dialect.hasTemperature ? { temperature: 0 } : {}),
    ...(maxTokens === undefined ? {} : { [dialect.tokensField]: maxTokens }),
    ...(jsonSchema === undefined ? {} : responseFormat(dialect.format, jsonSchema)),
  };
}

function responseFormat(
  format: Dialect["format"],
  schema: Record<string, unknown>,
): Pick<ChatCompletionCreateParamsNonStreaming, "response_format"> {
  if (format === "none") return {};
  if (format === "json_object") return { response_format: { type: "json_object" } };
  return { response_format: { type: "json_schema", json_schema: { name: "reply", strict: true, schema } } };
}

/** Servers call themselves compatible and differ: newer models refuse a temperature, older servers a schema. */
function simplerDialect(error: unknown, ask: ChatAsk, dialect: Dialect): Dialect | undefined {
  if (!(error instanceof APIError) || ![400, 404, 415, 422, 501].includes(error.status ?? 0))
    return undefined;
  if (error.param === "temperature" && dialect.hasTemperature) return { ...dialect, hasTemperature: false };
  if (error.param === "max_tokens" && dialect.tokensField === "max_tokens")
    return { ...dialect, tokensField: "max_completion_tokens" };
  if (ask.jsonSchema === undefined || error.status === 404 || error.code === "context_length_exceeded")
    return undefined;
  if (dialect.format === "json_schema") return { ...dialect, format: "json_object" };
  return dialect.format === "json_object" ? { ...dialect, format: "none" } : undefined;
}

interface Completion {
  choices?: { finish_reason?: string; message?: { content?: unknown; refusal?: string | null } }[];
  usage?: {
    prompt_tokens?: number;
    completion_tokens?: number;
    completion_tokens_details?: { reasoning_tokens?: number };
  };
}

/** The SDK promises its types; the server behind it promises nothing. */
function readCompletion(completion: unknown): ChatResult {
  const { choices, usage } = (completion ?? {}) as Completion;
  const choice = choices?.[0];
  if (typeof choice?.message?.refusal === "string")
    return { kind: "failed", cause: "refused", detail: choice.message.refusal };
  if (choice?.finish_reason === "content_filter")
    return { kind: "failed", cause: "refused", detail: "the model's server withheld the reply" };
  if (typeof choice?.message?.content !== "string")
    return { kind: "failed", cause: "malformed_reply", detail: "the reply holds no text" };
  return {
    kind: "said",
    text: choice.message.content,
    finish: choice.finish_reason === "length" ? "length" : "stop",
    usage: {
      promptTokens: usage?.prompt_tokens ?? 0,
      completionTokens: usage?.completion_tokens ?? 0,
      reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    },
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
): EmbeddingModel {
  const client = openModelClient(outbound, address);
  return {
    model: address.model,
    async embed(texts, signal) {
      try {
        const reply = await client.embeddings.create(
          // The SDK would ask for base64, which many compatible servers do not know.
          { model: address.model, input: texts, encoding_format: "float" },
          signal === undefined ? {} : { signal },
        );
        return readEmbeddings(reply, texts.length);
      } catch (error) {
        return describeModelFailure(error);
      }
    },
  };
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
