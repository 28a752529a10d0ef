import { z } from "zod";
import { count, seconds } from "./values.ts";

export const deliverySettings = z.object({
  DELIVERY_TIMEOUT_SECONDS: seconds
    .default(10)
    .describe("One attempt at a developer's webhook, from connect to the last byte"),
  DELIVERY_RETRY_SECONDS: z
    .string()
    .default("1,3,10,30,60,120,300")
    .transform((value) => value.split(",").map(Number))
    .refine(
      (delays) => delays.every((delay) => delay > 0 && delay <= 3600),
      "each delay is a number of seconds up to 3600",
    )
    .describe("The wait after the first failure of a message, after the second, and so on; the last repeats"),
  DELIVERY_BLOCKED_SECONDS: seconds
    .default(900)
    .describe(
      "How long one message may hold up its conversation while its webhook answers others; then it is given up",
    ),
  DELIVERY_EXPIRE_HOURS: z.coerce
    .number()
    .positive()
    .max(720)
    .default(24)
    .describe("How long messages wait for a webhook that is down as a whole"),
  DELIVERY_IN_FLIGHT_MAX: count(1, 10_000).default(256).describe("Attempts in flight on one worker"),
  DELIVERY_DESTINATION_IN_FLIGHT_MAX: count(1, 10_000)
    .default(256)
    .describe("Attempts in flight to one webhook, over all workers"),
  DELIVERY_RETENTION_DAYS: count(1, 3_650)
    .default(30)
    .describe(
      "How long deliveries are kept, with their bodies and attempts; what still waits is kept longer",
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
