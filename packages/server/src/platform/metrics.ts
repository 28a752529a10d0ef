import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

const FAST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requestSeconds: new Histogram({
      name: "signalbox_http_request_seconds",
      help: "Time to answer a request, by route and status",
      labelNames: ["route", "status"] as const,
      buckets: FAST_SECONDS,
      registers,
    }),
    attemptSeconds: new Histogram({
      name: "signalbox_delivery_attempt_seconds",
      help: "Time of one attempt at a developer's webhook, by how it ended",
      labelNames: ["cause"] as const,
      buckets: FAST_SECONDS,
      registers,
    }),
    deliveryLagSeconds: new Histogram({
      name: "signalbox_delivery_lag_seconds",
      help: "Time from acceptance to delivery",
      buckets: [...FAST_SECONDS, 30, 60, 300, 900, 3600],
      registers,
    }),
    limitRefusals: new Counter({
      name: "signalbox_limit_refusals_total",
      help: "Requests refused by a limit, by which",
      labelNames: ["limit"] as const,
      registers,
    }),
    turns: new Counter({
      name: "signalbox_turns_total",
      help: "Turns of the agent, by how they ended",
      labelNames: ["outcome"] as const,
      registers,
    }),
    answerPartSeconds: new Histogram({
      name: "signalbox_answer_part_seconds",
      help: "Time of each part of an answer",
      labelNames: ["part"] as const,
      buckets: [...FAST_SECONDS, 25],
      registers,
    }),
    modelTokens: new Counter({
      name: "signalbox_model_tokens_total",
      help: "Tokens of models in answers, by part and kind",
      labelNames: ["part", "kind"] as const,
      registers,
    }),
    encoderCpuSeconds: new Counter({
      name: "signalbox_encoder_cpu_seconds_total",
      help: "Processor time of the built-in encoder",
      registers,
    }),
    operatorEvents: new Counter({
      name: "signalbox_operator_events_total",
      help: "Destinations that fail, are disabled or recover, and deliveries given up",
      labelNames: ["kind"] as const,
      registers,
    }),
    reconciled: new Counter({
      name: "signalbox_reconciled_total",
      help: "Forgotten work that was started again, by kind; above zero only after a crash",
      labelNames: ["sweep"] as const,
      registers,
    }),
    reconcilerLeads: new Gauge({
      name: "signalbox_reconciler_leads",
      help: "1 on the worker that leads the reconciler",
      registers,
    }),
    partNormal: new Gauge({
      name: "signalbox_part_normal",
      help: "1 while a part of the service works normally, as this process sees it",
      labelNames: ["part"] as const,
      registers,
    }),
    engineReachable: new Gauge({
      name: "signalbox_engine_reachable",
      help: "1 while the engine answers its health check",
      registers,
    }),
    engineSendFailures: new Counter({
      name: "signalbox_engine_send_failures_total",
      help: "Calls that the engine did not take, by object; the reconciler makes each of them again",
      labelNames: ["object"] as const,
      registers,
    }),
    liveStreams: (count: () => number) =>
      new Gauge({
        name: "signalbox_live_streams",
        help: "Open streams of the live channel",
        registers,
        collect() {
          this.set(count());
        },
      }),
    databaseWaiting: (waiting: () => number) =>
      new Gauge({
        name: "signalbox_database_waiting",
        help: "Requests waiting for a database connection",
        registers,
        collect() {
          this.set(waiting());
        },
      }),
  };
}
