import { z } from "zod";
import { FailingModel } from "./model-failures.ts";

export const ServicePart = z.enum(["database", "engine", "workers", "turns", "deliveries"]).meta({
  id: "ServicePart",
  description:
    "database: PostgreSQL takes work; engine: Restate takes calls; workers: at least one sends heartbeats; turns: messages of most agents are answered within 60 s; deliveries: those of most agents are at most 60 s late",
});
export type ServicePart = z.output<typeof ServicePart>;

export const PartStatus = z
  .object({
    part: ServicePart,
    state: z
      .enum(["normal", "failed", "unknown"])
      .describe("unknown: its state is read from the database, which does not respond"),
    message: z.string().describe("The finding for this part"),
    advice: z.string().nullable().describe("What to do about it; null if it did not fail"),
  })
  .meta({ id: "PartStatus" });
export type PartStatus = z.output<typeof PartStatus>;

export const StatusWarning = z
  .object({ message: z.string(), advice: z.string().describe("What to do about it") })
  .meta({ id: "StatusWarning", description: "Nothing has failed, but the installation is less protected" });
export type StatusWarning = z.output<typeof StatusWarning>;

export const ServiceStatus = z
  .object({
    is_normal: z.boolean().describe("true if no part failed, as 4.4 reports it"),
    parts: z.array(PartStatus),
    warnings: z
      .array(StatusWarning)
      .describe("Settings that should be changed, found since this node started"),
    models: z
      .array(FailingModel)
      .describe(
        "Models of agents whose last call failed, newest first, at most 20. The agents answer without them",
      ),
  })
  .meta({ id: "ServiceStatus", description: "As seen by the node that responds" });
export type ServiceStatus = z.output<typeof ServiceStatus>;
