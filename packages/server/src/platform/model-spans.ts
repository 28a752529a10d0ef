import { SpanStatusCode, type Attributes, type Span } from "@opentelemetry/api";
import type { ModelAddress, ModelFailure } from "./model-client.ts";
import type { ModelUsage } from "./model-usage.ts";
import { startSpanWithin, tracesContent, type TraceSubject } from "./tracing.ts";

// The semantic conventions of OpenTelemetry for generative AI: what backends for language models read.

type Speaker = "system" | "user" | "assistant";

/** What a turn says of itself, beside its ids. */
export function describeAgentSpan(
  span: Span,
  { agentId, conversationId }: TraceSubject,
  asked: string,
  answer: { text: string; usage: { tokens: { prompt_tokens: number; completion_tokens: number } } },
): void {
  if (!span.isRecording()) return;
  const { prompt_tokens, completion_tokens } = answer.usage.tokens;
  span.setAttributes({
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.provider.name": "signalbox",
    "gen_ai.agent.id": agentId,
    "gen_ai.conversation.id": conversationId,
    "gen_ai.usage.input_tokens": prompt_tokens,
    "gen_ai.usage.output_tokens": completion_tokens,
    ...contentOf("gen_ai.input.messages", [{ role: "user", content: asked }]),
    ...contentOf("gen_ai.output.messages", [{ role: "assistant", content: answer.text }]),
  });
}

interface Asked {
  messages: readonly { role: Speaker; content: string }[];
  maxTokens?: number;
}

/** Words, or the call of a tool, which has neither text nor finish. */
interface Replied {
  kind: "said" | "called_tool";
  usage: ModelUsage;
  text?: string;
  finish?: string;
  respondedBy?: string;
}

/** A span of its own for one request to a chat model, where a turn is traced. */
export function traceChat<Result extends Replied | ModelFailure>(
  address: ModelAddress,
  { messages, maxTokens }: Asked,
  make: () => Promise<Result>,
): Promise<Result> {
  const asked = () => ({
    ...(maxTokens !== undefined && { "gen_ai.request.max_tokens": maxTokens }),
    ...contentOf("gen_ai.input.messages", messages),
  });
  const replied = ({ usage, text, finish = "tool_calls", respondedBy }: Replied) => ({
    "gen_ai.usage.input_tokens": usage.promptTokens,
    "gen_ai.usage.output_tokens": usage.completionTokens,
    "gen_ai.response.finish_reasons": [finish],
    ...(respondedBy !== undefined && { "gen_ai.response.model": respondedBy }),
    ...(text !== undefined && contentOf("gen_ai.output.messages", [{ role: "assistant", content: text }])),
  });
  return traceCall({ operation: "chat", address, asked, replied }, make);
}

interface Embedded {
  kind: "embedded";
  tokens: number;
}

export function traceEmbeddings<Result extends Embedded | ModelFailure>(
  address: ModelAddress,
  make: () => Promise<Result>,
): Promise<Result> {
  const replied = ({ tokens }: Embedded) => ({ "gen_ai.usage.input_tokens": tokens });
  return traceCall({ operation: "embeddings", address, asked: () => ({}), replied }, make);
}

interface TracedCall<Reply> {
  operation: "chat" | "embeddings";
  address: ModelAddress;
  asked: () => Attributes;
  replied: (reply: Reply) => Attributes;
}

async function traceCall<Reply extends { kind: string }, Result extends Reply | ModelFailure>(
  { operation, address, asked, replied }: TracedCall<Reply>,
  make: () => Promise<Result>,
): Promise<Result> {
  const within = startSpanWithin(`${operation} ${address.model}`);
  if (within === undefined) return make();
  const { span, subject } = within;
  const { hostname, port, protocol } = new URL(address.url);
  span.setAttributes({
    "gen_ai.operation.name": operation,
    "gen_ai.provider.name": providerOf(hostname),
    "gen_ai.request.model": address.model,
    "gen_ai.agent.id": subject.agentId,
    "gen_ai.conversation.id": subject.conversationId,
    "server.address": hostname,
    "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
    ...asked(),
  });
  try {
    const result = await make();
    const ended: Reply | ModelFailure = result;
    if (isFailure(ended))
      span.setAttribute("error.type", ended.cause).setStatus({ code: SpanStatusCode.ERROR });
    else span.setAttributes(replied(ended));
    return result;
  } finally {
    span.end();
  }
}

function isFailure(result: { kind: string }): result is ModelFailure {
  return result.kind === "failed";
}

/** Only on opt-in: what users write is nobody's business but theirs. */
function contentOf(name: string, messages: readonly { role: Speaker; content: string }[]): Attributes {
  if (!tracesContent()) return {};
  const told = messages.map(({ role, content }) => ({ role, parts: [{ type: "text", content }] }));
  return { [name]: JSON.stringify(told) };
}

/** The names that the conventions give to providers, by the last part of their hosts. */
const PROVIDERS: readonly (readonly [string, string])[] = [
  ["openai.azure.com", "azure.ai.openai"],
  ["services.ai.azure.com", "azure.ai.inference"],
  ["anthropic.com", "anthropic"],
  ["generativelanguage.googleapis.com", "gcp.gemini"],
  ["aiplatform.googleapis.com", "gcp.vertex_ai"],
  ["amazonaws.com", "aws.bedrock"],
  ["mistral.ai", "mistral_ai"],
  ["deepseek.com", "deepseek"],
  ["groq.com", "groq"],
  ["cohere.com", "cohere"],
  ["perplexity.ai", "perplexity"],
  ["x.ai", "x_ai"],
];

/** For a server that is not known, that whose API it speaks. */
function providerOf(hostname: string): string {
  const known = PROVIDERS.find(([host]) => hostname === host || hostname.endsWith(`.${host}`));
  return known?.[1] ?? "openai";
}
