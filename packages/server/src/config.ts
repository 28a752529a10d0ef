import { isIP } from "node:net";
import { z } from "zod";

const seconds = z.coerce.number().positive().max(86_400);
const port = z.coerce.number().int().min(1).max(65_535);
const list = z
  .string()
  .default("")
  .transform((value) =>
    value
      .split(",")
      .map((part) => part.trim())
      .filter((part) => part !== ""),
  );

function isAddressRange(text: string): boolean {
  const [address = "", bits = "0", ...more] = text.split("/");
  const bitsMax = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax;
}

const addressRanges = list.pipe(
  z.array(z.string().refine(isAddressRange, "each is an address or a range such as 10.0.0.0/8")),
);

const sealingKeys = z
  .string()
  .transform((value) => value.split(",").map((part) => part.trim()))
  .pipe(
    z
      .array(
        z.string().regex(/^[A-Za-z0-9_-]{1,32}:[A-Za-z0-9+/]{43}=$/, "each key is NAME:BASE64 of 32 bytes"),
      )
      .min(1),
  )
  .transform((keys) =>
    keys.map((key) => {
      const [id = "", material = ""] = key.split(":");
      return { id, material: Buffer.from(material, "base64") };
    }),
  )
  .refine((keys) => new Set(keys.map((key) => key.id)).size === keys.length, "key names must differ");

/** The only description of the environment; `main.ts` is the only file that reads it. */
export const Environment = z.object({
  DATABASE_URL: z
    .url()
    .describe("PostgreSQL, version 15 or newer, as a login that is a member of both service roles"),
  MIGRATION_DATABASE_URL: z
    .url()
    .optional()
    .describe("Login that owns the schema, for `migrate`; DATABASE_URL when left out"),
  DATABASE_POOL_SIZE: z.coerce
    .number()
    .int()
    .min(2)
    .max(200)
    .default(10)
    .describe("Connections of each of the three pools of a process"),
  OPERATOR_TOKEN: z
    .string()
    .min(32)
    .max(200)
    .regex(/^[\x21-\x7e]*$/, "holds printable characters without blanks, because it travels in a header")
    .describe("Bearer token of /admin/v1; make one with `secrets`"),
  SEALING_KEYS: sealingKeys.describe(
    "Keys that seal stored secrets, newest first: NAME:BASE64 of 32 bytes, comma separated. After `reseal` keep the old one for two days: remembered answers to an Idempotency-Key and addresses of what was spoken were sealed with it",
  ),
  HOST: z.string().default("127.0.0.1").describe("Address to listen on"),
  PORT: port.default(8080).describe("Port of the API, and of health and metrics in every role"),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((value) => value.replace(/\/+$/, ""))
    .optional()
    .describe(
      "Where the service is found from outside, for addresses it gives to others; needed by agents that speak",
    ),
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
  WEBHOOK_ALLOWED_HOSTS: list.describe(
    "Host names that may resolve to private addresses and be called at any port, comma separated",
  ),
  WEBHOOK_ALLOWED_IPS: addressRanges.describe(
    "Private addresses or CIDR ranges that may be called, comma separated",
  ),
  WEBHOOK_CONNECTION_SECONDS: seconds
    .default(60)
    .describe("How long a connection to a webhook is used before its name is resolved and judged anew"),
  DELIVERY_TIMEOUT_SECONDS: seconds
    .default(10)
    .describe("One attempt at a developer's webhook, from connect to the last byte"),
  IMPORT_ANSWER_SECONDS: seconds
    .default(20)
    .describe("How long a call that brings files waits for them; what is not done then goes on by itself"),
  IMPORT_DIRECTORY: z
    .string()
    .min(1)
    .default("/tmp")
    .describe("Where a worker keeps files while it reads them; each is removed afterwards"),
  IMPORTS_AT_ONCE: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(2)
    .describe("Files that one worker reads at the same time"),
  IMPORT_FILE_MEGABYTES: z.coerce
    .number()
    .positive()
    .max(2_000)
    .default(50)
    .describe("Largest file that is taken"),
  IMPORT_DOWNLOAD_SECONDS: seconds.default(120).describe("Longest time a file may take to download"),
  DOCUMENT_PAIRS_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000_000)
    .default(100_000)
    .describe("Pairs of one document"),
  DOCUMENT_TOKENS_MAX: z.coerce
    .number()
    .int()
    .min(0)
    .default(2_000_000)
    .describe(
      "Tokens of a model that one document may cost; what is left is then made into pairs without a model",
    ),
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
  DELIVERY_IN_FLIGHT_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(256)
    .describe("Attempts in flight on one worker"),
  DELIVERY_DESTINATION_IN_FLIGHT_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .default(256)
    .describe("Attempts in flight to one webhook, over all workers"),
  RATE_LIMIT_PER_SECOND: z.coerce
    .number()
    .positive()
    .default(100)
    .describe("Requests a second of one API key on one node"),
  CHECK_RATE_LIMIT_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .max(6_000)
    .default(10)
    .describe("Checks of webhooks (4.3) a minute of one API key on one node"),
  DELIVERY_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_650)
    .default(30)
    .describe(
      "How long deliveries are kept, with their bodies and attempts; what still waits is kept longer",
    ),
  RECONCILE_INTERVAL_SECONDS: seconds
    .default(5)
    .describe("How often the leading worker looks for forgotten work"),
  RECONCILE_GRACE_SECONDS: seconds
    .default(20)
    .describe("How long work may be silent before it counts as forgotten"),
  SHUTDOWN_GRACE_SECONDS: seconds
    .default(25)
    .describe("How long a stopping process may finish what it began"),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error"])
    .default("info")
    .describe("Least severe line that is logged"),
});

export interface Config {
  database: { url: string; migrationUrl: string; poolSize: number };
  operatorToken: string;
  sealingKeys: { id: string; material: Buffer }[];
  http: {
    host: string;
    port: number;
    publicUrl: string | undefined;
    rateLimitPerSecond: number;
    checksPerMinute: number;
  };
  engine: { ingressUrl: string; adminUrl: string; host: string; port: number; serviceUri: string };
  knowledge: {
    answerWithinMs: number;
    directory: string;
    importsAtOnce: number;
    fileBytesMax: number;
    downloadTimeoutMs: number;
    pairsMax: number;
    documentTokensMax: number;
  };
  outbound: { allowedHosts: string[]; allowedRanges: string[]; connectionLifeMs: number };
  delivery: {
    timeoutMs: number;
    retry: { delaysMs: number[]; blockedMaxMs: number };
    expireMs: number;
    retentionDays: number;
    inFlightMax: number;
    destinationMax: number;
  };
  reconcile: { intervalMs: number; graceMs: number };
  shutdownGraceMs: number;
  /** The OpenTelemetry libraries read the OTEL_* variables themselves; this says whether to start them. */
  tracing: boolean;
  logLevel: "debug" | "info" | "warn" | "error";
}

export type ConfigResult = { config: Config } | { mistakes: string };

/** Every mistake is reported at once, so that one restart is enough to mend them. */
export function readConfig(variables: Record<string, string | undefined>): ConfigResult {
  const present = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  const parsed = Environment.safeParse(present);
  if (!parsed.success) return { mistakes: z.prettifyError(parsed.error) };
  const environment = parsed.data;
  return {
    config: {
      database: {
        url: environment.DATABASE_URL,
        migrationUrl: environment.MIGRATION_DATABASE_URL ?? environment.DATABASE_URL,
        poolSize: environment.DATABASE_POOL_SIZE,
      },
      operatorToken: environment.OPERATOR_TOKEN,
      sealingKeys: environment.SEALING_KEYS,
      http: {
        host: environment.HOST,
        port: environment.PORT,
        publicUrl: environment.PUBLIC_URL,
        rateLimitPerSecond: environment.RATE_LIMIT_PER_SECOND,
        checksPerMinute: environment.CHECK_RATE_LIMIT_PER_MINUTE,
      },
      engine: {
        ingressUrl: environment.ENGINE_INGRESS_URL,
        adminUrl: environment.ENGINE_ADMIN_URL,
        host: environment.ENGINE_SERVICE_HOST,
        port: environment.ENGINE_SERVICE_PORT,
        serviceUri: environment.ENGINE_SERVICE_URI,
      },
      outbound: {
        allowedHosts: environment.WEBHOOK_ALLOWED_HOSTS,
        allowedRanges: environment.WEBHOOK_ALLOWED_IPS,
        connectionLifeMs: environment.WEBHOOK_CONNECTION_SECONDS * 1000,
      },
      delivery: {
        timeoutMs: environment.DELIVERY_TIMEOUT_SECONDS * 1000,
        retry: {
          delaysMs: environment.DELIVERY_RETRY_SECONDS.map((delay) => delay * 1000),
          blockedMaxMs: environment.DELIVERY_BLOCKED_SECONDS * 1000,
        },
        expireMs: environment.DELIVERY_EXPIRE_HOURS * 3_600_000,
        retentionDays: environment.DELIVERY_RETENTION_DAYS,
        inFlightMax: environment.DELIVERY_IN_FLIGHT_MAX,
        destinationMax: environment.DELIVERY_DESTINATION_IN_FLIGHT_MAX,
      },
      knowledge: {
        answerWithinMs: environment.IMPORT_ANSWER_SECONDS * 1000,
        directory: environment.IMPORT_DIRECTORY,
        importsAtOnce: environment.IMPORTS_AT_ONCE,
        fileBytesMax: Math.floor(environment.IMPORT_FILE_MEGABYTES * 1_048_576),
        downloadTimeoutMs: environment.IMPORT_DOWNLOAD_SECONDS * 1000,
        pairsMax: environment.DOCUMENT_PAIRS_MAX,
        documentTokensMax: environment.DOCUMENT_TOKENS_MAX,
      },
      reconcile: {
        intervalMs: environment.RECONCILE_INTERVAL_SECONDS * 1000,
        graceMs: environment.RECONCILE_GRACE_SECONDS * 1000,
      },
      shutdownGraceMs: environment.SHUTDOWN_GRACE_SECONDS * 1000,
      tracing:
        present["OTEL_EXPORTER_OTLP_ENDPOINT"] !== undefined ||
        present["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] !== undefined,
      logLevel: environment.LOG_LEVEL,
    },
  };
}
