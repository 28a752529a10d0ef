import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openBedDirectory } from "./bed-directory.ts";
import type { BedDirectory } from "./bed-directory.ts";
import { openBed } from "./bed.ts";
import { processesUsing } from "./processes.ts";
import { CLUSTER_VARIABLE } from "./shared-cluster.ts";

/** As little of a service as the bed can hold: it migrates, gets ready, tells its environment, and stops when asked. */
const STAND_IN = `
  import http from "node:http";
  import net from "node:net";
  import pg from ${JSON.stringify(import.meta.resolve("pg"))};
  const role = process.argv[2];
  const { env } = process;
  if (role === "migrate") {
    const client = new pg.Client(env.MIGRATION_DATABASE_URL);
    await client.connect();
    await client.query("create table mark (agent text)");
    await client.query("create role bed_probe; grant bed_probe to signalbox_login; grant insert, select on mark to bed_probe");
    await client.end();
  } else if (env.FAIL_ROLE === role) {
    console.error("a setting is missing");
    process.exit(4);
  } else {
    if (role === "worker") {
      net.createServer().listen({ host: env.ENGINE_SERVICE_HOST, port: Number(env.ENGINE_SERVICE_PORT), reusePort: true });
    }
    http.createServer((request, response) => response.end(JSON.stringify({ role, env }))).listen(Number(env.PORT), env.HOST);
    process.on("SIGTERM", () => process.exit(0));
    console.log("up as " + role);
  }
`;

const bedsOfOurs = () =>
  readdirSync(tmpdir()).filter((name) => name.startsWith(`signalbox-bed-${process.pid}-`));

describe("bed", () => {
  let home: BedDirectory;
  let program = "";
  // Alone or under the run's global setup: the stand-in needs a template of its own.
  before(async () => {
    delete process.env[CLUSTER_VARIABLE];
    home = await openBedDirectory();
    program = join(home.path, "stand-in.mjs");
    await writeFile(program, STAND_IN);
  });
  after(() => home[Symbol.asyncDispose]());

  it("a bed has two api and two worker processes, each with only the environment it needs", async () => {
    const bed = await openBed({ program, ownCluster: true, environment: { EXTRA: "given" } });
    try {
      assert.deepEqual(
        [...bed.apis, ...bed.workers].map(({ name }) => name),
        ["api-1", "api-2", "worker-1", "worker-2"],
      );
      const environmentOf = async (url: string) =>
        ((await (await fetch(url)).json()) as { env: Record<string, string> }).env;
      const api = await environmentOf(bed.api(1).baseUrl);
      const names =
        "ACCOUNT_TRANSACTIONS_AT_ONCE BUILT_IN_ENCODER CONSOLE_POOL_SIZE DATABASE_URL ENGINE_ADMIN_URL ENGINE_IDENTITY_KEYS ENGINE_INGRESS_URL EXTRA HOST IMPORT_ALLOWED_IPS INBOX_URL LOG_LEVEL MODEL_ALLOWED_IPS NODE_COMPILE_CACHE OPERATOR_RATE_LIMIT_PER_SECOND OPERATOR_TOKEN PATH PORT RECONCILE_GRACE_SECONDS RECONCILE_INTERVAL_SECONDS SEALING_KEYS SHUTDOWN_DRAIN_SECONDS WEBHOOK_ALLOWED_IPS";
      assert.equal(Object.keys(api).toSorted().join(" "), names);
      assert.equal(api["OPERATOR_TOKEN"]?.length, 48);
      assert.equal(api["OPERATOR_TOKEN"], bed.operatorToken);
      assert.equal(Buffer.from(api["SEALING_KEYS"]?.replace("k1:", "") ?? "", "base64").length, 32);
      const workers = await Promise.all(bed.workers.map(({ baseUrl }) => environmentOf(baseUrl)));
      assert.equal(workers[0]?.["ENGINE_SERVICE_PORT"], workers[1]?.["ENGINE_SERVICE_PORT"]);
      assert.equal(
        workers[0]?.["ENGINE_SERVICE_URI"],
        `http://127.0.0.1:${workers[0]?.["ENGINE_SERVICE_PORT"]}`,
      );
      assert.match(bed.logs(), /==> worker-2\.log <==\nup as worker/);

      const agentIn = await bed.database.as("bed_probe", "agent-1", async (client) => {
        await client.query("insert into mark values (current_setting('signalbox.agent_id'))");
        return (await client.query("select current_user as role, agent from mark")).rows;
      });
      assert.deepEqual(agentIn, [{ role: "bed_probe", agent: "agent-1" }]);
      assert.deepEqual(await bed.database.query("select agent from mark where agent = $1", ["agent-1"]), [
        { agent: "agent-1" },
      ]);
      await assert.rejects(
        bed.database.as("bed_probe", undefined, (client) => client.query("drop table mark")),
        /owner/,
      );

      await bed.database.query("select 1");
      await bed.ownCluster().kill9();
      await assert.rejects(bed.database.query("select 1"));
      await bed.ownCluster().start();
      assert.equal((await bed.database.query("select agent from mark")).length, 1);
    } finally {
      await bed[Symbol.asyncDispose]();
    }
    assert.deepEqual(processesUsing(bed.directory), []);
    assert.equal(existsSync(bed.directory), false);
  });

  it("a bed kills, pauses, resumes and restarts a process, each proven", async () => {
    await using bed = await openBed({ program, apis: 1, workers: 0 });
    const api = bed.api();
    const identity = () => `${api.pid()}:${api.startTime()}`;
    const seen = new Set([identity()]);
    await api.pause();
    assert.equal(await api.isReady(), false);
    await api.resume();
    assert.equal(await api.isReady(), true);
    await api.kill9();
    assert.equal(await api.isReady(), false);
    await assert.rejects(api.kill9(), /already gone/);
    await api.start();
    seen.add(identity());
    await api.restart();
    seen.add(identity());
    assert.equal(await api.stop(), 0);
    await api.start();
    seen.add(identity());
    assert.equal(seen.size, 4);
    assert.throws(() => bed.ownCluster(), /shares its cluster/);
    assert.throws(() => bed.worker(), /0 worker processes/);
  });

  it("beds of one file share a cluster, each with its own database", async () => {
    const [first, second] = await Promise.all([0, 1].map(() => openBed({ program, apis: 1, workers: 0 })));
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(first.cluster.port, second.cluster.port);
    assert.notEqual(first.database.name, second.database.name);
    await first[Symbol.asyncDispose]();
    await second.database.query("select 1");
    await second[Symbol.asyncDispose]();
    assert.equal(existsSync(second.cluster.dataDirectory), false);
  });

  it("a bed that could not be opened says why and closes what was open", async () => {
    const opening = openBed({ program, apis: 1, workers: 1, environment: { FAIL_ROLE: "worker" } });
    await assert.rejects(opening, /worker-1 ended while starting \(4\)\na setting is missing/);
    assert.equal(bedsOfOurs().length, 1, "only the stand-in's own directory is left");
    for (const name of bedsOfOurs()) assert.deepEqual(processesUsing(join(tmpdir(), name)), []);
  });
});
