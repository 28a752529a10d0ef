import { z } from "zod";
import { seconds } from "./values.ts";

export const operationSettings = z.object({
  RECONCILE_INTERVAL_SECONDS: seconds
    .default(5)
    .describe("How often the leading worker looks for forgotten work"),
  RECONCILE_GRACE_SECONDS: seconds
    .default(20)
    .describe("How long work may be silent before it counts as forgotten"),
  SHUTDOWN_DRAIN_SECONDS: z.coerce
    .number()
    .min(0)
    .max(600)
    .default(5)
    .describe(
      "Graceful shutdown: how long a process goes on serving after SIGTERM while `/readyz` answers 503, so that balancers send elsewhere; then it refuses new connections, and leaves kept-alive ones open for up to the same time",
    ),
  SHUTDOWN_GRACE_SECONDS: seconds
    .default(25)
    .describe("How long a stopping process may finish what it began, once it has drained"),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"])
    .default("info")
    .describe("Least severe line that is logged"),
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
