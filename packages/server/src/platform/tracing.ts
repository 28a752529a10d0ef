import {
  context,
  createContextKey,
  ROOT_CONTEXT,
  SpanKind,
  trace,
  TraceFlags,
  type Context,
  type Span,
} from "@opentelemetry/api";

export type { Span };

export interface Tracing {
  close(): Promise<void>;
}

export interface TracingOptions {
  tracing: boolean;
  /** Spans also carry what users write and what models say. */
  traceContent: boolean;
}

/** One for a process, as OpenTelemetry's own provider is. Undefined while tracing is off. */
let started: { content: boolean } | undefined;

export function tracesContent(): boolean {
  return started?.content === true;
}

/** Without an endpoint nothing is started, and the SDK, which is a quarter of all modules, is not even loaded. */
export async function startTracing({ tracing, traceContent }: TracingOptions): Promise<Tracing> {
  if (!tracing) return { close: async () => undefined };
  const { startExport } = await import("./trace-export.ts");
  started = { content: traceContent };
  return startExport();
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/**
 * A span in the trace of `traceparent`, or the first of a new one. While tracing is off nothing is recorded, and the span
 * stands for its parent: a caller's trace goes on through us.
 */
export function startSpan(name: string, kind: keyof typeof KINDS, traceparent?: string | null): Span {
  return trace.getTracer("signalbox").startSpan(name, { kind: KINDS[kind] }, contextOf(traceparent));
}

/** What the spans of a turn are about. */
export interface TraceSubject {
  agentId: string;
  conversationId: string;
}

const SUBJECT = createContextKey("signalbox.subject");

/** Calls of models that the work makes, however deep, are spans below that of `traceparent`. */
export function inTrace<Result>(
  traceparent: string | null | undefined,
  subject: TraceSubject,
  work: () => Result,
): Result {
  if (started === undefined) return work();
  return context.with(contextOf(traceparent).setValue(SUBJECT, subject), work);
}

/** A span below the one whose work this is. Undefined outside of `inTrace`, and while tracing is off. */
export function startSpanWithin(name: string): { span: Span; subject: TraceSubject } | undefined {
  if (started === undefined) return undefined;
  const within = context.active();
  const subject = within.getValue(SUBJECT) as TraceSubject | undefined;
  if (subject === undefined) return undefined;
  return { span: trace.getTracer("signalbox").startSpan(name, { kind: KINDS.client }, within), subject };
}

function contextOf(traceparent: string | null | undefined): Context {
  const parent = readTraceparent(traceparent);
  return parent === undefined
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

/** W3C Trace Context, version 00: what is stored with a message and sent on. Undefined where there is no trace. */
export function traceparentOf(span: Span): string | undefined {
  const spanContext = span.spanContext();
  if (!trace.isSpanContextValid(spanContext)) return undefined;
  const { traceId, spanId, traceFlags } = spanContext;
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

export function traceIdOf(traceparent: string | null | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

function readTraceparent(text: string | null | undefined) {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED };
  return trace.isSpanContextValid(spanContext) ? spanContext : undefined;
}
