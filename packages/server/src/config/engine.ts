import { z } from "zod";
import { list, port } from "./values.ts";

export const engineSettings = z.object({
  ENGINE_INGRESS_URL: z
    .url()
    .default("http://127.0.0.1:8081")
    .describe("URL of Restate's ingress, which accepts calls"),
  ENGINE_ADMIN_URL: z
    .url()
    .default("http://127.0.0.1:9070")
    .describe("URL of Restate's admin API, where workers register"),
  ENGINE_SERVICE_HOST: z
    .string()
    .default("127.0.0.1")
    .describe("Address on which a worker listens for Restate"),
  ENGINE_SERVICE_PORT: port
    .default(9080)
    .describe("Port on which a worker listens for Restate. Workers on one machine share it"),
  ENGINE_SERVICE_URI: z
    .url()
    .default("http://127.0.0.1:9080")
    .describe("URL at which Restate reaches the workers. All workers share one stable address"),
  ENGINE_IDENTITY_KEYS: list
    .pipe(
      z.array(
        z
          .string()
          .regex(/^publickeyv1_[1-9A-HJ-NP-Za-km-z]{32,44}$/, "Each key must look like publickeyv1_2G8d…"),
      ),
    )
    .describe(
      "Public keys of Restate's request identity, comma separated. Workers reject calls that these keys did not sign. Without a key, anyone who can reach ENGINE_SERVICE_PORT can call the workers",
    ),
});

export function readEngine(settings: z.infer<typeof engineSettings>) {
  return {
    ingressUrl: settings.ENGINE_INGRESS_URL,
    adminUrl: settings.ENGINE_ADMIN_URL,
    host: settings.ENGINE_SERVICE_HOST,
    port: settings.ENGINE_SERVICE_PORT,
    serviceUri: settings.ENGINE_SERVICE_URI,
    identityKeys: settings.ENGINE_IDENTITY_KEYS,
  };
}
