import { z } from "zod";
import { allowedHosts, allowedRanges, seconds } from "./values.ts";

const PORTS =
  "Without a port, an entry allows 80 and 443. `:*` allows every port except those common for internal services";
const READABLE = "Anyone with an API key can read files from there";

export const outboundSettings = z.object({
  WEBHOOK_ALLOWED_HOSTS: allowedHosts.describe(
    `SSRF protection: webhook hosts that may resolve to private addresses, as HOST or HOST:PORT, comma separated. ${PORTS}`,
  ),
  WEBHOOK_ALLOWED_IPS: allowedRanges.describe(
    "Private IP addresses or CIDR ranges that webhooks may use, such as 10.0.0.0/8, 10.0.0.7:8443 or [fd00::/8]:8443",
  ),
  WEBHOOK_HTTPS_ONLY: z
    .enum(["true", "false"])
    .default("false")
    .transform((value) => value === "true")
    .describe("`true`: webhooks must use https"),
  MODEL_ALLOWED_HOSTS: allowedHosts.describe(
    "Model hosts that may resolve to private addresses. Same format as WEBHOOK_ALLOWED_HOSTS",
  ),
  MODEL_ALLOWED_IPS: allowedRanges.describe(
    "Private IP addresses or CIDR ranges that models may use. Same format as WEBHOOK_ALLOWED_IPS",
  ),
  IMPORT_ALLOWED_HOSTS: allowedHosts.describe(
    `File hosts that may resolve to private addresses during imports. Same format as WEBHOOK_ALLOWED_HOSTS. ${READABLE}`,
  ),
  IMPORT_ALLOWED_IPS: allowedRanges.describe(
    `Private IP addresses or CIDR ranges that imports may use. Same format as WEBHOOK_ALLOWED_IPS. ${READABLE}`,
  ),
  WEBHOOK_CONNECTION_SECONDS: seconds
    .default(60)
    .describe("How long an outbound connection is reused before its host name is resolved and checked again"),
});

export function readOutbound(settings: z.infer<typeof outboundSettings>) {
  return {
    webhooks: {
      allowedHosts: settings.WEBHOOK_ALLOWED_HOSTS,
      allowedRanges: settings.WEBHOOK_ALLOWED_IPS,
      httpsOnly: settings.WEBHOOK_HTTPS_ONLY,
    },
    models: { allowedHosts: settings.MODEL_ALLOWED_HOSTS, allowedRanges: settings.MODEL_ALLOWED_IPS },
    imports: { allowedHosts: settings.IMPORT_ALLOWED_HOSTS, allowedRanges: settings.IMPORT_ALLOWED_IPS },
    connectionLifeMs: settings.WEBHOOK_CONNECTION_SECONDS * 1000,
  };
}
