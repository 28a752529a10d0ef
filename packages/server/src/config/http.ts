import { z } from "zod";
import { addressRangesOr, count, port } from "./values.ts";

export const httpSettings = z.object({
  HOST: z.string().default("127.0.0.1").describe("Address to listen on"),
  PORT: port.default(8080).describe("Port of the API, and of health and metrics in every role"),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((value) => value.replace(/(?<!\/)\/+$/, ""))
    .optional()
    .describe(
      "Where the service is found from outside, for addresses it gives to others; needed by agents that speak",
    ),
  TRUSTED_PROXIES: addressRangesOr("127.0.0.0/8,::1").describe(
    "Addresses or CIDR ranges of your reverse proxies, comma separated: their X-Forwarded-For names the client",
  ),
  RATE_LIMIT_PER_SECOND: z.coerce
    .number()
    .positive()
    .default(100)
    .describe("Requests a second of one API key on one node; each 100 kB of a body counts as one more"),
  CHECK_RATE_LIMIT_PER_MINUTE: count(1, 6_000)
    .default(10)
    .describe("Checks of webhooks (4.3) a minute of one API key on one node"),
});

export function readHttp(settings: z.infer<typeof httpSettings>) {
  return {
    host: settings.HOST,
    port: settings.PORT,
    publicUrl: settings.PUBLIC_URL,
    trustedProxies: settings.TRUSTED_PROXIES,
    rateLimitPerSecond: settings.RATE_LIMIT_PER_SECOND,
    checksPerMinute: settings.CHECK_RATE_LIMIT_PER_MINUTE,
  };
}
