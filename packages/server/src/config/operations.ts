import { z } from "zod";
import { seconds } from "./values.ts";

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
    shutdownDrainMs: settings.SHUTDOWN_DRAIN_SECONDS * 1000,
    shutdownGraceMs: settings.SHUTDOWN_GRACE_SECONDS * 1000,
    logLevel: settings.LOG_LEVEL,
  };
}
