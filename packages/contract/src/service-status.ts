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
      .describe("unknown: it is asked through the database, which does not answer"),
    message: z.string().describe("What was found"),
    advice: z.string().nullable().describe("What to do about it; null unless it failed"),
  })
  .meta({ id: "PartStatus" });
export type PartStatus = z.output<typeof PartStatus>;

export const ServiceStatus = z
  .object({
    is_normal: z.boolean().describe("What 4.4 tells: no part failed"),
    parts: z.array(PartStatus),
  })
  .meta({ id: "ServiceStatus", description: "As the node that answers sees it" });
export type ServiceStatus = z.output<typeof ServiceStatus>;
