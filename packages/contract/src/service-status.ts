import { z } from "zod";

export const ServicePart = z.enum(["database", "engine", "workers", "turns", "deliveries"]).meta({
  id: "ServicePart",
  description:
    "database: PostgreSQL takes work; engine: Restate answers; workers: at least one sends heartbeats; turns: no message waits for its answer for over 60 s; deliveries: none is over 60 s late",
});
export type ServicePart = z.output<typeof ServicePart>;

export const PartStatus = z
  .object({
    part: ServicePart,
    state: z
      .enum(["normal", "failed", "unknown"])
      .describe("unknown: its state is read from the database, which does not respond"),
    message: z.string().describe("What was found in this part"),
    advice: z.string().nullable().describe("What to do about it; null if it did not fail"),
  })
  .meta({ id: "PartStatus" });
export type PartStatus = z.output<typeof PartStatus>;

export const ServiceStatus = z
  .object({
    is_normal: z.boolean().describe("true if no part failed, as 4.4 reports it"),
    parts: z.array(PartStatus),
  })
  .meta({ id: "ServiceStatus", description: "As seen by the node that responds" });
export type ServiceStatus = z.output<typeof ServiceStatus>;
