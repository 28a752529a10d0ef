import { z } from "zod";
import { addressRangesOr, count, port } from "./values.ts";

export const httpSettings = z.object({
  HOST: z.string().default("127.0.0.1").describe("Address to listen on"),
  PORT: port.default(8080).describe("Port of the API. Every role also serves health and metrics here"),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((value) => value.replace(/(?<!\/)\/+$/, ""))
    .optional()
    .describe(
      "Public base URL of the service, used in links it hands out. Agents with a speech model need it, and passkeys, which belong to its host name. With https, cookies are sent over TLS alone",
    ),
  INBOX_URL: z
    .url({ protocol: /^https?$/ })
    .transform((value) => new URL(value).origin)
    .optional()
    .describe(
      "Base URL at which workers reach the API to deliver to the inbox, such as http://api:8080. Required if workers run apart from the API; default: this process, at HOST and PORT",
    ),
  TRUSTED_PROXIES: addressRangesOr("127.0.0.0/8,::1").describe(
    "IP addresses or CIDR ranges of your reverse proxies, comma separated. Their X-Forwarded-For header is trusted to name the client",
  ),
  RATE_LIMIT_PER_SECOND: z.coerce
    .number()
    .positive()
    .default(100)
    .describe(
      "Requests per second for one API key on one node. Every 100 kB of request body counts as one more request",
    ),
  CHECK_RATE_LIMIT_PER_MINUTE: count(1, 6_000)
    .default(10)
    .describe("Webhook checks (4.3) per minute for one API key on one node"),
  CONSOLE: z
    .enum(["true", "false"])
    .default("true")
    .transform((value) => value === "true")
    .describe(
      "`true`: serve the web console at `/console` and the API reference at `/reference`, in the roles that serve the API",
    ),
});

export function readHttp(settings: z.infer<typeof httpSettings>) {
  return {
    host: settings.HOST,
    port: settings.PORT,
    publicUrl: settings.PUBLIC_URL,
    inboxUrl: settings.INBOX_URL ?? ownUrl(settings.HOST, settings.PORT),
    trustedProxies: settings.TRUSTED_PROXIES,
    rateLimitPerSecond: settings.RATE_LIMIT_PER_SECOND,
    checksPerMinute: settings.CHECK_RATE_LIMIT_PER_MINUTE,
    isConsoleServed: settings.CONSOLE,
  };
}

function ownUrl(host: string, port: number): string {
  const reached = ["0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host;
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`;
}
