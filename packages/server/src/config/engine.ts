import { z } from "zod";
import { list, port } from "./values.ts";

export const engineSettings = z.object({
  ENGINE_INGRESS_URL: z
    .url()
    .default("http://127.0.0.1:8081")
    .describe("Restate's ingress, where calls are sent"),
  ENGINE_ADMIN_URL: z
    .url()
    .default("http://127.0.0.1:9070")
    .describe("Restate's admin address, where workers register"),
  ENGINE_SERVICE_HOST: z
    .string()
    .default("127.0.0.1")
    .describe("Address on which a worker serves the engine"),
  ENGINE_SERVICE_PORT: port
    .default(9080)
    .describe("Port on which workers serve the engine; workers of one machine share it"),
  ENGINE_SERVICE_URI: z
    .url()
    .default("http://127.0.0.1:9080")
    .describe("Where the engine finds the workers: one stable address for all of them"),
  ENGINE_IDENTITY_KEYS: list
    .pipe(
      z.array(
        z
          .string()
          .regex(/^publickeyv1_[1-9A-HJ-NP-Za-km-z]{32,44}$/, "each key looks like publickeyv1_2G8d…"),
      ),
    )
    .describe(
      "Public halves of the request identity key that Restate signs its calls with, comma separated; workers refuse every other call. Without one, whoever reaches ENGINE_SERVICE_PORT may call them",
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
