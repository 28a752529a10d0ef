import { z } from "zod";
import { addressRanges, list, seconds } from "./values.ts";

export const outboundSettings = z.object({
  WEBHOOK_ALLOWED_HOSTS: list.describe(
    "Host names that may resolve to private addresses and be called at any port, comma separated",
  ),
  WEBHOOK_ALLOWED_IPS: addressRanges.describe(
    "Private addresses or CIDR ranges that may be called, comma separated",
  ),
  WEBHOOK_CONNECTION_SECONDS: seconds
    .default(60)
    .describe("How long a connection to a webhook is used before its name is resolved and judged anew"),
});

export function readOutbound(settings: z.infer<typeof outboundSettings>) {
  return {
    allowedHosts: settings.WEBHOOK_ALLOWED_HOSTS,
    allowedRanges: settings.WEBHOOK_ALLOWED_IPS,
    connectionLifeMs: settings.WEBHOOK_CONNECTION_SECONDS * 1000,
  };
}
