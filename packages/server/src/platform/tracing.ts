import { context, propagation, SpanKind, trace, type Span } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, NodeTracerProvider } from "@opentelemetry/sdk-trace-node";

export type { Span };

export interface Tracing {
  close(): Promise<void>;
}

/** Exporter, sampler and detector read the standard OTEL_* variables themselves; without an endpoint nothing is started. */
export function startTracing(wanted: boolean): Tracing {
  if (!wanted) return { close: async () => undefined };
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": "signalbox" }))
    .merge(detectResources({ detectors: [envDetector] }));
  const provider = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  });
  provider.register();
  return { close: () => provider.shutdown() };
}

/** A span of its own, or the child of the caller's `traceparent`. Costs next to nothing while tracing is off. */
export function startSpan(name: string, headers?: Record<string, unknown>): Span {
  const parent = headers === undefined ? context.active() : propagation.extract(context.active(), headers);
  return trace
    .getTracer("signalbox")
    .startSpan(name, { kind: headers === undefined ? SpanKind.CLIENT : SpanKind.SERVER }, parent);
}
