import { z } from "zod";
import { count, seconds } from "./values.ts";

/** Two years, so that a month can be compared with the same month of the year before. */
const NUMBERS_RETENTION_DAYS = 731;
const NUMBERS_RETENTION_DAYS_MAX = 3_650;

export const operationSettings = z.object({
  RECONCILE_INTERVAL_SECONDS: seconds.default(5).describe("How often the leader looks for stalled work"),
  RECONCILE_GRACE_SECONDS: seconds
    .default(20)
    .describe("How long work may make no progress before it counts as stalled"),
  SHUTDOWN_DRAIN_SECONDS: z.coerce
    .number()
    .min(0)
    .max(600)
    .default(5)
    .describe(
      "Graceful shutdown, first phase: how long a process keeps serving after SIGTERM while `/readyz` returns 503, so that load balancers stop sending requests. Then it refuses new connections and keeps idle ones open for up to the same time",
    ),
  SHUTDOWN_GRACE_SECONDS: seconds
    .default(25)
    .describe("Graceful shutdown, second phase: how long running requests may take to finish"),
  NUMBERS_RETENTION_DAYS: count(1, NUMBERS_RETENTION_DAYS_MAX)
    .default(NUMBERS_RETENTION_DAYS)
    .describe("How long figures by the hour are kept. They hold no words of users"),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"])
    .default("info")
    .describe("Minimum severity of log lines"),
});

export function readOperations(settings: z.infer<typeof operationSettings>) {
  return {
    reconcile: {
      intervalMs: settings.RECONCILE_INTERVAL_SECONDS * 1000,
      graceMs: settings.RECONCILE_GRACE_SECONDS * 1000,
    },
    numbers: { retentionDays: settings.NUMBERS_RETENTION_DAYS },
    shutdownDrainMs: settings.SHUTDOWN_DRAIN_SECONDS * 1000,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_SECONDS * 1000,
    logLevel: settings.LOG_LEVEL,
  };
}
