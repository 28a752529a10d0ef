import { z } from "zod";
import { databaseSettings, poolerMistake, readDatabase } from "./config/database.ts";
import { deliverySettings, readDelivery } from "./config/delivery.ts";
import { engineSettings, readEngine } from "./config/engine.ts";
import { httpSettings, readHttp } from "./config/http.ts";
import { knowledgeSettings, readKnowledge } from "./config/knowledge.ts";
import { limitSettings, readLimits } from "./config/limits.ts";
import { operationSettings, readOperations } from "./config/operations.ts";
import { outboundSettings, readOutbound } from "./config/outbound.ts";
import { privacySettings, readPrivacy } from "./config/privacy.ts";
import { readSecrets, secretSettings } from "./config/secrets.ts";
import { oidcMistake, readSignIn, signInSettings } from "./config/sign-in.ts";

/** The headings of docs/reference/configuration.md, in its order; each subject's settings stand in a file of `config/`. */
export const SUBJECTS = {
  Database: databaseSettings,
  Secrets: secretSettings,
  "HTTP API": httpSettings,
  "Sign-in": signInSettings,
  Limits: limitSettings,
  Engine: engineSettings,
  "Outbound connections": outboundSettings,
  Delivery: deliverySettings,
  Knowledge: knowledgeSettings,
  "Personal data": privacySettings,
  Operations: operationSettings,
};

/** The only description of the environment; `main.ts` is the only file that reads it. */
export const Environment = z.object({
  ...databaseSettings.shape,
  ...secretSettings.shape,
  ...httpSettings.shape,
  ...signInSettings.shape,
  ...limitSettings.shape,
  ...engineSettings.shape,
  ...outboundSettings.shape,
  ...deliverySettings.shape,
  ...knowledgeSettings.shape,
  ...privacySettings.shape,
  ...operationSettings.shape,
});

function configOf(environment: z.infer<typeof Environment>) {
  const database = readDatabase(environment);
  return {
    database,
    ...readSecrets(environment),
    http: readHttp(environment),
    signIn: readSignIn(environment),
    limits: readLimits(environment, database),
    engine: readEngine(environment),
    outbound: readOutbound(environment),
    delivery: readDelivery(environment),
    knowledge: readKnowledge(environment),
    privacy: readPrivacy(environment),
    ...readOperations(environment),
  };
}

export interface Config extends ReturnType<typeof configOf> {
  /** The OpenTelemetry libraries read the OTEL_* variables themselves; this says whether to start them. */
  tracing: boolean;
  /** The name that OpenTelemetry's own instrumentations read. */
  traceContent: boolean;
}

export type ConfigResult = { config: Config } | { mistakes: string };

/** Every mistake is reported at once, so that one restart is enough to mend them. */
export function readConfig(variables: Record<string, string | undefined>): ConfigResult {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = Environment.safeParse(present);
  if (!parsed.success) return { mistakes: z.prettifyError(parsed.error) };
  const mistake = poolerMistake(parsed.data) ?? oidcMistake(parsed.data);
  if (mistake !== undefined) return { mistakes: `✖ ${mistake}` };
  const tracing =
    present["OTEL_EXPORTER_OTLP_ENDPOINT"] !== undefined ||
    present["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] !== undefined;
  const traceContent = present["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] === "true";
  return { config: { ...configOf(parsed.data), tracing, traceContent } };
}
