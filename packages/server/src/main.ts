import { randomBytes } from "node:crypto";
import process from "node:process";
import {
  composeService,
  generateIdentityKey,
  migrateDatabase,
  planMigration,
  RefusedToRun,
  resealSecrets,
  type Role,
  verifySchema,
} from "./compose.ts";
import { readConfig, type Config } from "./config.ts";

const USAGE = `usage: main.ts COMMAND
  api       Serve the API
  worker    Answer users and deliver messages
  all       Run api and worker in one process
  migrate   Upgrade the database schema to this version. "migrate plan" lists pending migrations,
            "migrate verify" checks that the schema matches this version
  reseal    Encrypt stored secrets again with the newest of SEALING_KEYS
  secrets   Print new secrets: OPERATOR_TOKEN, SEALING_KEYS, the engine's identity key, and the
            database passwords for deploy/compose.yaml`;

const LAST_LINES_MS = 100;

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

function loadConfig(): Config {
  const result = readConfig(process.env);
  if ("mistakes" in result)
    fail(`Invalid configuration:\n${result.mistakes}\nCorrect these environment variables and start again.`);
  return result.config;
}

async function serve(role: Role): Promise<void> {
  const config = loadConfig();
  const service = await composeService(config, role).catch((error: unknown) => {
    if (error instanceof RefusedToRun) fail(`Signalbox cannot start: ${error.message}`);
    throw error;
  });
  const { log } = service;
  log.info("service_ready", { port: config.http.port });

  await toldToStop(() => {
    log.info("service_draining", { drainMs: config.shutdownDrainMs });
    service.drain();
    return config.shutdownDrainMs;
  });
  log.info("service_stopping");
  service.stop();
  setTimeout(
    () =>
      fail(
        `Shutdown timed out: requests or deliveries were still running after ${config.shutdownGraceMs} ms.`,
      ),
    config.shutdownGraceMs,
  ).unref();
  await service[Symbol.asyncDispose]();
  log.info("service_stopped");
  // The last lines are on their way: an exit now would wait for ever for a reader of the log that is gone.
  setTimeout(() => process.exit(0), LAST_LINES_MS);
}

/** After SIGTERM, and the wait that `drain` begins. Ctrl-C, or a second signal, leaves out the wait: a person is waiting. */
function toldToStop(drain: () => number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let draining = false;
  process.on("SIGINT", () => resolve());
  process.on("SIGTERM", () => {
    if (draining) return resolve();
    draining = true;
    setTimeout(resolve, drain());
  });
  return promise;
}

const MIGRATIONS = { plan: planMigration, apply: migrateDatabase, verify: verifySchema };

async function runMigrations(action: string): Promise<void> {
  if (!Object.hasOwn(MIGRATIONS, action)) fail(USAGE);
  // Needs no other setting, so that it can run where the service's secrets are not.
  const serviceUrl = process.env["DATABASE_URL"] || undefined;
  const ownerUrl = process.env["MIGRATION_DATABASE_URL"] || serviceUrl;
  if (ownerUrl === undefined) fail("Set DATABASE_URL or MIGRATION_DATABASE_URL.");
  const run = MIGRATIONS[action as keyof typeof MIGRATIONS];
  const isWell = await run({ ownerUrl, serviceUrl }, (line) => console.log(line)).catch((error: unknown) =>
    fail(`migrate ${action}: ${messageOf(error)}`),
  );
  if (!isWell) process.exitCode = 1;
}

/** A connection that is tried on several addresses fails with a reason for each. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

function printSecrets(): void {
  console.log(`OPERATOR_TOKEN=${randomBytes(36).toString("base64url")}`);
  console.log(`SEALING_KEYS=k1:${randomBytes(32).toString("base64")}`);
  const identity = generateIdentityKey();
  console.log(`ENGINE_IDENTITY_KEYS=${identity.publicKey}`);
  // On one line: environment files read \n between double quotes as a line break.
  console.log(`ENGINE_IDENTITY_PRIVATE_KEY="${identity.privateKeyPem.replaceAll("\n", "\\n")}"`);
  for (const name of ["DATABASE_PASSWORD", "MIGRATION_DATABASE_PASSWORD", "POSTGRES_PASSWORD"])
    console.log(`${name}=${randomBytes(24).toString("base64url")}`);
}

const [role, action = "apply"] = process.argv.slice(2);
switch (role) {
  case "api":
  case "worker":
  case "all":
    await serve(role);
    break;
  case "migrate":
    await runMigrations(action);
    break;
  case "reseal":
    console.log(
      `${await resealSecrets(loadConfig())} webhooks, models and second factors encrypted with the newest key`,
    );
    break;
  case "secrets":
    printSecrets();
    break;
  default:
    fail(USAGE);
}
