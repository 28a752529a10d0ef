import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { blocksOf, pageOf } from "../documents/page-programs.ts";
import { makeAgent, type MadeAgent } from "../support/agents.ts";
import { openBedDirectory } from "../support/bed-directory.ts";
import { startEngine } from "../support/engine.ts";
import { findPostgres, startCluster, withClient, type PostgresCluster } from "../support/postgres.ts";
import { eventually, freePorts, startProcess } from "../support/processes.ts";
import { startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const [dump = "", baseBackup = "", restore = "", verify = ""] = blocksOf(
  await pageOf("docs/how-to/back-up-and-restore.md"),
  "sh",
);

describe("docs/how-to/back-up-and-restore.md, typed as it stands", () => {
  const open = new AsyncDisposableStack();
  const secrets = {
    OPERATOR_TOKEN: randomBytes(36).toString("base64url"),
    SEALING_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    DATABASE_PASSWORD: randomBytes(24).toString("base64url"),
    MIGRATION_DATABASE_PASSWORD: randomBytes(24).toString("base64url"),
  };
  let files: string;
  let superuserPassword: string;
  let ports: number[];
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  let agent: MadeAgent;
  let conversationId: string;

  /** The environment of somebody who works on one cluster. */
  function environmentOf(port: number): Record<string, string> {
    const urlOf = (login: string, password: string) =>
      `postgres://${login}:${password}@127.0.0.1:${port}/signalbox`;
    return {
      ...secrets,
      PATH: `${findPostgres()}:${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
      PGHOST: "127.0.0.1",
      PGPORT: String(port),
      PGUSER: "postgres",
      PGPASSWORD: superuserPassword,
      DATABASE_URL: urlOf("signalbox_service", secrets.DATABASE_PASSWORD),
      MIGRATION_DATABASE_URL: urlOf("signalbox", secrets.MIGRATION_DATABASE_PASSWORD),
    };
  }

  /** Commands run in `files`, beside what the repository has for operators. */
  const type = async (commands: string, port: number) =>
    (await run("bash", ["-euc", commands], { cwd: files, env: environmentOf(port) })).stdout;

  const newCluster = async () => {
    const cluster = await startCluster();
    superuserPassword = cluster.address.superuserPassword;
    return cluster;
  };

  /** The service on a cluster, with an engine that knows nothing. */
  async function serve(clusterPort: number, name: string) {
    const engine = await startEngine();
    const [port = 0, workerPort = 0, enginePort = 0] = ports;
    const { MIGRATION_DATABASE_URL: _, ...environment } = environmentOf(clusterPort);
    const start = (role: "api" | "worker", on: number) =>
      startService({
        role,
        name: `${name}-${role}`,
        port: on,
        directory: files,
        environment: {
          ...environment,
          HOST: "127.0.0.1",
          ENGINE_INGRESS_URL: engine.ingressUrl,
          ENGINE_ADMIN_URL: engine.adminUrl,
          ENGINE_SERVICE_PORT: String(enginePort),
          ENGINE_SERVICE_URI: `http://127.0.0.1:${enginePort}`,
          ENGINE_IDENTITY_KEYS: engine.identityKey,
          WEBHOOK_ALLOWED_IPS: "127.0.0.0/8:*",
          SHUTDOWN_DRAIN_SECONDS: "0",
          RECONCILE_INTERVAL_SECONDS: "1",
          RECONCILE_GRACE_SECONDS: "1",
        },
      });
    const [api, worker] = await Promise.all([start("api", port), start("worker", workerPort)]);
    return {
      api,
      worker,
      async [Symbol.asyncDispose]() {
        await Promise.all([api, worker].map((service) => service[Symbol.asyncDispose]()));
        await engine[Symbol.asyncDispose]();
      },
    };
  }

  /** A message without an answer in the backup is answered, and the conversation goes on. */
  async function goesOn(clusterPort: number, name: string): Promise<void> {
    const before = agent.arrived().length;
    await using _ = await serve(clusterPort, name);
    const [left] = (await agent.arrivals(before + 1, 60_000)).slice(before);
    assert.match(String(left?.bodyBytes), /In the evening\./);
    await agent.ask(conversationId, "When do you open?");
    const next = (await agent.arrivals(before + 2, 30_000))[before + 1];
    assert.match(String(next?.bodyBytes), /At nine\./);
  }

  before(async () => {
    files = open.use(await openBedDirectory()).path;
    await run("cp", ["-R", join(root, "deploy"), files]);
    ports = await freePorts(3);
    receiver = open.use(await startReceiver());
    await using cluster = await newCluster();
    await type("sh deploy/postgres-init.sh; signalbox migrate", cluster.port);
    await using service = await serve(cluster.port, "old");
    agent = await makeAgent(
      { baseUrl: service.api.baseUrl, operatorToken: secrets.OPERATOR_TOKEN, receiver },
      {
        qaList: [
          { question: "When do you open?", answer: "At nine." },
          { question: "When do you close?", answer: "In the evening." },
        ],
      },
    );
    conversationId = await agent.converse();
    await agent.ask(conversationId, "When do you open?");
    await agent.arrivals(1, 30_000);
    await service.worker.stop();
    await agent.ask(conversationId, "When do you close?");
    await type(dump, cluster.port);
    await type(baseBackup, cluster.port);
  });
  after(() => open.disposeAsync());

  describe("from a dump", () => {
    let cluster: PostgresCluster;
    before(async () => {
      cluster = open.use(await newCluster());
    });

    const asSuperuser = (statements: string[], database = "postgres") =>
      withClient(cluster.superuserUrl(database), async (client) => {
        for (const statement of statements) await client.query(statement);
      });

    it("migrate creates the roles and their rights after a dump was restored where they did not exist", async () => {
      await asSuperuser([
        `create role signalbox login createrole password '${secrets.MIGRATION_DATABASE_PASSWORD}'`,
        `create role signalbox_service login noinherit password '${secrets.DATABASE_PASSWORD}'`,
        "create database signalbox owner signalbox",
      ]);
      await asSuperuser(["create extension vector"], "signalbox");
      const careless =
        "pg_restore --no-owner --no-comments --role=signalbox --dbname=signalbox signalbox.dump";
      await assert.rejects(type(careless, cluster.port), /role "signalbox_work" does not exist/);
      await assert.rejects(type(verify, cluster.port), /role signalbox_api does not exist/);
      const mended = await type("signalbox migrate", cluster.port);
      assert.match(
        mended,
        /created role signalbox_api\n[^]*repaired access: create policy one_agent on message/,
      );
      assert.match(mended, /granted signalbox_api and signalbox_work to signalbox_service/);
      assert.match(await type(verify, cluster.port), /^The schema matches this version/);
      await asSuperuser([
        "drop database signalbox",
        "drop role signalbox_service, signalbox_api, signalbox_work",
      ]);
      await asSuperuser(["drop role signalbox"]);
    });

    it("a restore from a dump brings everything into a new cluster, and an empty engine continues with it", async () => {
      assert.match(
        await type(restore, cluster.port),
        /Nothing to do: the schema is up to date\.\nThe schema matches this version/,
      );
      await goesOn(cluster.port, "dump");
    });
  });

  it("a restore from a base backup brings everything, and an empty engine continues with it", async () => {
    // What an operator's init system does: the directory belongs to the server's user, who starts it.
    const [port = 0] = await freePorts(1);
    const user = process.getuid?.() === 0 ? "postgres" : undefined;
    const [data, sockets] = [join(files, "base"), join(files, "sockets")];
    await mkdir(sockets, { recursive: true });
    if (user !== undefined) await run("chown", ["-R", user, data, sockets]);
    const postgres = startProcess({
      name: "postgres",
      command: join(findPostgres(), "postgres"),
      args: ["-D", data, "-p", String(port), "-k", sockets],
      env: { LC_ALL: "C.UTF-8" },
      cwd: data,
      logFile: join(files, "postgres.log"),
      user,
    });
    open.defer(() => postgres.end("SIGQUIT", 10_000));
    await eventually("it recovered", () => type("pg_isready", port), { timeoutMs: 60_000 });
    assert.match(await type(verify, port), /^The schema matches this version/);
    await goesOn(port, "base");
  });
});
