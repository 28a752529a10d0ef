import { MODEL_CAUSE_NAMES, ModelKind, type OperatorEventBody } from "@signalbox/contract";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { createKnownCounter } from "./known-counter.ts";
import type { PoolLoad } from "./pool-load.ts";
import { LIMIT_NAMES } from "./refusal.ts";
import { createWorkGauges } from "./work-gauges.ts";

const FAST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How a turn may end: with an answer of a branch or another kind, handed over, or unanswered. */
const TURN_OUTCOMES = [
  "direct",
  "model",
  "fallback",
  "offered",
  "small_talk",
  "notice",
  "handed_over",
  "away",
  "superseded",
  "abandoned",
] as const;
export type TurnOutcome = (typeof TURN_OUTCOMES)[number];

const OPERATOR_EVENTS = [
  "destination_failing",
  "destination_disabled",
  "destination_recovered",
  "delivery_dead",
  "deliveries_expired",
] as const satisfies readonly OperatorEventBody["event"][];

const ANSWER_PARTS = ["search", "rewrite", "model", "speech"] as const;

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
    limitRefusals: createKnownCounter(registry, {
      name: "signalbox_limit_refusals_total",
      help: "Requests refused by a limit, by which",
      labels: { limit: LIMIT_NAMES },
    }),
    turns: createKnownCounter(registry, {
      name: "signalbox_turns_total",
      help: "Turns of the agent, by how they ended",
      labels: { outcome: TURN_OUTCOMES },
    }),
    answerPartSeconds: new Histogram({
      name: "signalbox_answer_part_seconds",
      help: "Time of each part of an answer",
      labelNames: ["part"] as const,
      buckets: [...FAST_SECONDS, 25],
      registers,
    }),
    modelTokens: createKnownCounter(registry, {
      name: "signalbox_model_tokens_total",
      help: "Tokens of models in answers, by part and kind",
      labels: { part: ANSWER_PARTS, kind: ["prompt", "completion"] },
    }),
    modelFailures: createKnownCounter(registry, {
      name: "signalbox_model_failures_total",
      help: "Calls of models that failed, by model and cause",
      labels: { model: ModelKind.options, cause: MODEL_CAUSE_NAMES },
    }),
    encoderCpuSeconds: new Counter({
      name: "signalbox_encoder_cpu_seconds_total",
      help: "Processor time of the built-in encoder",
      registers,
    }),
    operatorEvents: createKnownCounter(registry, {
      name: "signalbox_operator_events_total",
      help: "Destinations that fail, are disabled or recover, and deliveries given up",
      labels: { kind: OPERATOR_EVENTS },
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
      help: "1 while the engine takes calls",
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
    /** On workers: the one that leads sets them. */
    workGauges: () => createWorkGauges(registry),
    buildInfo: (build: { version: string; migration: string }) => setBuildInfo(registers, build),
    databasePools: (loads: () => Record<string, PoolLoad>) => watchPools(registers, loads),
  };
}

function setBuildInfo(registers: Registry[], build: { version: string; migration: string }): void {
  const gauge = new Gauge({
    name: "signalbox_build_info",
    help: "1, with the version of this process and the newest migration that it knows",
    labelNames: ["version", "migration"] as const,
    registers,
  });
  gauge.set(build, 1);
}

function watchPools(registers: Registry[], loads: () => Record<string, PoolLoad>): void {
  const labelNames = ["pool"] as const;
  new Gauge({
    name: "signalbox_database_waiting",
    help: "Requests waiting for a database connection, by pool",
    labelNames,
    registers,
    collect() {
      for (const [pool, { waiting }] of Object.entries(loads())) this.set({ pool }, waiting);
    },
  });
  new Gauge({
    name: "signalbox_database_pool_size",
    help: "Database connections that a pool may open",
    labelNames,
    registers,
    collect() {
      for (const [pool, { size }] of Object.entries(loads())) this.set({ pool }, size);
    },
  });
  new Gauge({
    name: "signalbox_database_pool_used",
    help: "Database connections at work, by pool",
    labelNames,
    registers,
    collect() {
      for (const [pool, { used }] of Object.entries(loads())) this.set({ pool }, used);
    },
  });
  new Gauge({
    name: "signalbox_database_statements",
    help: "Prepared statements on the connection that has most of them, by pool",
    labelNames,
    registers,
    collect() {
      for (const [pool, { statements }] of Object.entries(loads())) this.set({ pool }, statements);
    },
  });
  new Counter({
    name: "signalbox_database_wait_seconds_total",
    help: "Time spent waiting for a database connection, by pool",
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const [pool, { waitedSeconds }] of Object.entries(loads())) this.inc({ pool }, waitedSeconds);
    },
  });
}
