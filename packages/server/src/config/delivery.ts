import { z } from "zod";
import { count, seconds } from "./values.ts";

export const deliverySettings = z.object({
  DELIVERY_TIMEOUT_SECONDS: seconds
    .default(10)
    .describe("Timeout of one delivery attempt, from connecting to the last byte of the response"),
  DELIVERY_RETRY_SECONDS: z
    .string()
    .default("1,3,10,30,60,120,300")
    .transform((value) => value.split(",").map(Number))
    .refine(
      (delays) => delays.every((delay) => delay > 0 && delay <= 3600),
      "Each delay must be a number of seconds, at most 3600",
    )
    .describe("Retry backoff: the delay after each failed attempt, comma separated. The last delay repeats"),
  DELIVERY_BLOCKED_SECONDS: seconds
    .default(900)
    .describe(
      "How long a failing message may block its conversation while its webhook accepts others. After that it is dead-lettered",
    ),
  DELIVERY_EXPIRE_HOURS: z.coerce
    .number()
    .positive()
    .max(720)
    .default(24)
    .describe("How long messages wait for a webhook that is down. After that they are dead-lettered"),
  DELIVERY_IN_FLIGHT_MAX: count(1, 10_000).default(256).describe("Concurrent delivery attempts per worker"),
  DELIVERY_DESTINATION_IN_FLIGHT_MAX: count(1, 10_000)
    .default(256)
    .describe("Concurrent delivery attempts per webhook, across all workers"),
  DELIVERY_RETENTION_DAYS: count(1, 3_650)
    .default(30)
    .describe(
      "How long finished deliveries are kept, with their bodies and attempts. Pending deliveries are kept until they finish",
    ),
});

export function readDelivery(settings: z.infer<typeof deliverySettings>) {
  return {
    timeoutMs: settings.DELIVERY_TIMEOUT_SECONDS * 1000,
    retry: {
      delaysMs: settings.DELIVERY_RETRY_SECONDS.map((delay) => delay * 1000),
      blockedMaxMs: settings.DELIVERY_BLOCKED_SECONDS * 1000,
    },
    expireMs: settings.DELIVERY_EXPIRE_HOURS * 3_600_000,
    retentionDays: settings.DELIVERY_RETENTION_DAYS,
    inFlightMax: settings.DELIVERY_IN_FLIGHT_MAX,
    destinationMax: settings.DELIVERY_DESTINATION_IN_FLIGHT_MAX,
  };
}
