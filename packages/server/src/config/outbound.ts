import { z } from "zod";
import { allowedHosts, allowedRanges, seconds } from "./values.ts";

const PORTS =
  "An entry without a port opens 80 and 443, `:*` every port that is not usually an internal service's";
const READABLE = "Whoever holds an API key can read what is there";

export const outboundSettings = z.object({
  WEBHOOK_ALLOWED_HOSTS: allowedHosts.describe(
    `Host names of webhooks that may lead to private addresses: HOST or HOST:PORT, comma separated. ${PORTS}`,
  ),
  WEBHOOK_ALLOWED_IPS: allowedRanges.describe(
    "Private addresses or CIDR ranges of webhooks, likewise: 10.0.0.0/8, 10.0.0.7:8443, [fd00::/8]:8443",
  ),
  WEBHOOK_HTTPS_ONLY: z
    .enum(["true", "false"])
    .default("false")
    .transform((value) => value === "true")
    .describe("`true`: webhooks are called by https alone"),
  MODEL_ALLOWED_HOSTS: allowedHosts.describe(
    "Host names of models that may lead to private addresses, likewise",
  ),
  MODEL_ALLOWED_IPS: allowedRanges.describe("Private addresses or CIDR ranges of models, likewise"),
  IMPORT_ALLOWED_HOSTS: allowedHosts.describe(
    `Host names of imported files that may lead to private addresses, likewise. ${READABLE}`,
  ),
  IMPORT_ALLOWED_IPS: allowedRanges.describe(
    `Private addresses or CIDR ranges of imported files, likewise. ${READABLE}`,
  ),
  WEBHOOK_CONNECTION_SECONDS: seconds
    .default(60)
    .describe(
      "How long a connection to a webhook, a model or a file is used before its name is resolved and judged anew",
    ),
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
