import { ROOT_CONTEXT, SpanKind, trace, TraceFlags, type Span } from "@opentelemetry/api";

export type { Span };

export interface Tracing {
  close(): Promise<void>;
}

/** Without an endpoint nothing is started, and the SDK, which is a quarter of all modules, is not even loaded. */
export async function startTracing(wanted: boolean): Promise<Tracing> {
  if (!wanted) return { close: async () => undefined };
  const { startExport } = await import("./trace-export.ts");
  return startExport();
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/**
 * A span in the trace of `traceparent`, or the first of a new one. While tracing is off nothing is recorded, and the span
 * stands for its parent: a caller's trace goes on through us.
 */
export function startSpan(name: string, kind: keyof typeof KINDS, traceparent?: string | null): Span {
  const parent = readTraceparent(traceparent);
  const context =
    parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
  return trace.getTracer("signalbox").startSpan(name, { kind: KINDS[kind] }, context);
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
