import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createClient } from "@signalbox/sdk";
import { startEngine } from "./engine.ts";
import type { Home } from "./home.ts";
import { type Part, PartFailed, startPart } from "./part.ts";
import { startPostgres } from "./postgres.ts";
import type { DevSettings, ReleasePorts } from "./settings.ts";

export interface Stack {
  parts: readonly Part[];
  stop(): Promise<void>;
}

export interface StackOptions {
  releasePorts: ReleasePorts;
  reload: boolean;
  say: (part: string) => void;
}

const SERVER_PROGRAM = fileURLToPath(import.meta.resolve("@signalbox/server/program"));

/** Everything the service needs and the service itself, in order; what is begun is ended when a part does not start. */
export async function startStack(
  home: Home,
  settings: DevSettings,
  { releasePorts, reload, say }: StackOptions,
): Promise<Stack> {
  const { ports } = settings;
  const parts: Part[] = [];
  const stop = async () => {
    for (const part of parts.toReversed()) await part.stop();
  };
  try {
    say("PostgreSQL");
    await releasePorts("database");
    const postgres = await startPostgres(home, { port: ports.database, password: settings.databasePassword });
    parts.push(postgres);
    say("Restate");
    await releasePorts("engineNode", "engineIngress", "engineAdmin");
    const enginePorts = { node: ports.engineNode, ingress: ports.engineIngress, admin: ports.engineAdmin };
    parts.push(await startEngine(home, enginePorts, settings.engineIdentity.privateKey));
    const environment = environmentOf(settings, postgres.serviceUrl);
    say("the database's schema");
    await migrate({ ...environment, MIGRATION_DATABASE_URL: postgres.ownerUrl });
    say("the service");
    await releasePorts("http", "engineService");
    parts.push(await startService(home, settings, environment, reload));
  } catch (error) {
    await stop();
    throw error;
  }
  return { parts, stop };
}

function environmentOf(
  { bootstrapToken, sealingKeys, engineIdentity, ports }: DevSettings,
  databaseUrl: string,
) {
  return {
    DATABASE_URL: databaseUrl,
    OPERATOR_TOKEN: bootstrapToken,
    SEALING_KEYS: sealingKeys,
    HOST: "127.0.0.1",
    PORT: String(ports.http),
    ENGINE_INGRESS_URL: `http://127.0.0.1:${ports.engineIngress}`,
    ENGINE_ADMIN_URL: `http://127.0.0.1:${ports.engineAdmin}`,
    ENGINE_IDENTITY_KEYS: engineIdentity.publicKey,
    ENGINE_SERVICE_HOST: "127.0.0.1",
    ENGINE_SERVICE_PORT: String(ports.engineService),
    ENGINE_SERVICE_URI: `http://127.0.0.1:${ports.engineService}`,
    // Receivers, models and files of a developer are on this machine.
    WEBHOOK_ALLOWED_IPS: THIS_MACHINE,
    MODEL_ALLOWED_IPS: THIS_MACHINE,
    IMPORT_ALLOWED_IPS: THIS_MACHINE,
    // No balancer stands before it.
    SHUTDOWN_DRAIN_SECONDS: "0",
    // A developer checks a receiver after each change, and shares the installation with nobody.
    CHECK_RATE_LIMIT_PER_MINUTE: "600",
  };
}

/** Every ordinary port, and the one that receivers like best; our own parts are denied all the same. */
const THIS_MACHINE = "127.0.0.0/8:*,127.0.0.0/8:8080,[::1]:*,[::1]:8080";

type Environment = ReturnType<typeof environmentOf>;

async function migrate(environment: Environment & { MIGRATION_DATABASE_URL: string }): Promise<void> {
  try {
    await promisify(execFile)(process.execPath, [SERVER_PROGRAM, "migrate"], { env: environment });
  } catch (error) {
    if (!(error instanceof Error && "stderr" in error)) throw error;
    throw new PartFailed(
      `The database could not be brought to this version's schema\n${String(error.stderr)}`,
    );
  }
}

function startService(
  home: Home,
  { ports }: DevSettings,
  environment: Environment,
  reload: boolean,
): Promise<Part> {
  const client = createClient({ baseUrl: `http://127.0.0.1:${ports.http}`, retries: 0 });
  return startPart({
    name: "the service",
    command: process.execPath,
    words: [...(reload ? ["--watch", "--watch-preserve-output"] : []), SERVER_PROGRAM, "all"],
    environment,
    directory: home.path,
    files: join(home.path, "service"),
    stopSignal: "SIGTERM",
    isReady: () =>
      client.service.health().then(
        () => true,
        () => false,
      ),
  });
}
