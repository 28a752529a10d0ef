import { z } from "zod";

const perSecond = z.coerce.number().positive().max(1_000_000);

export const limitSettings = z.object({
  ADDRESS_RATE_LIMIT_PER_SECOND: perSecond
    .default(300)
    .describe(
      "Requests a second of one client address (IPv6: one /64) on one node, before anybody is identified; a failed authentication counts as ten",
    ),
  VISITOR_RATE_LIMIT_PER_SECOND: perSecond
    .default(10)
    .describe("Requests a second of one user of the live channel on one node"),
});

export function readLimits(settings: z.infer<typeof limitSettings>) {
  return {
    addressRateLimitPerSecond: settings.ADDRESS_RATE_LIMIT_PER_SECOND,
    visitorRateLimitPerSecond: settings.VISITOR_RATE_LIMIT_PER_SECOND,
  };
}
