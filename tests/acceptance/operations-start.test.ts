import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openBedDirectory } from "../support/bed-directory.ts";
import { cloneDatabase, emptyDatabase, migratedTemplate } from "../support/databases.ts";
import type { ClonedDatabase } from "../support/databases.ts";
import { startCluster, withClient } from "../support/postgres.ts";
import type { PostgresCluster } from "../support/postgres.ts";
import { eventually, freePort } from "../support/processes.ts";
import { COMPILE_CACHE_VARIABLE, PROGRAM, startService } from "../support/service.ts";

type Ended = { code: number | string; output: string };

/** Runs a role of the program until it ends by itself; one that goes on is killed, and its code says so. */
function run(role: string, environment: Record<string, string>): Promise<Ended> {
  const { PATH = "", [COMPILE_CACHE_VARIABLE]: compileCache = "" } = process.env;
  return new Promise((resolve) => {
    const env = { PATH, NODE_COMPILE_CACHE: compileCache, ...environment };
    execFile(
      process.execPath,
      [PROGRAM, role],
      { env, timeout: 60_000, killSignal: "SIGKILL" },
      (error, out, err) => {
        resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? "?"), output: out + err });
      },
    );
  });
}

describe("start of the service", () => {
  let cluster: PostgresCluster;
  let database: ClonedDatabase;
  let good: Record<string, string>;
  const closing = new AsyncDisposableStack();

  before(async () => {
    cluster = closing.use(await startCluster());
    await migratedTemplate(cluster);
    database = await cloneDatabase(cluster);
    good = {
      DATABASE_URL: database.url,
      OPERATOR_TOKEN: randomBytes(36).toString("base64url"),
      SEALING_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      PORT: String(await freePort()),
      ENGINE_SERVICE_PORT: String(await freePort()),
    };
  });
  after(() => closing.disposeAsync());

  const refuses = async (environment: Record<string, string>, ...reasons: RegExp[]) => {
    const ends = await Promise.all(["api", "worker"].map((role) => run(role, { ...good, ...environment })));
    for (const { code, output } of ends) {
      assert.equal(code, 1, output);
      assert.match(output, /^Signalbox cannot start: /);
      assert.equal(output.trimEnd().split("\n").length, 1, `a reason and no stack: ${output}`);
      for (const reason of reasons) assert.match(output, reason);
    }
  };
  const query = (sql: string, url = database.superuserUrl) => withClient(url, (client) => client.query(sql));

  it("every configuration mistake is listed at once by name, without values", async () => {
    const wrong = {
      DATABASE_URL: "localhost",
      DATABASE_POOL_SIZE: "1",
      OPERATOR_TOKEN: "secret-but-short",
      SEALING_KEYS: "k1:secret-not-32-bytes",
      PORT: "99999",
      ENGINE_INGRESS_URL: "engine",
      WEBHOOK_ALLOWED_IPS: "10.0.0.0/8, 10.0.0.0/33, everything",
      DELIVERY_TIMEOUT_SECONDS: "-1",
      RATE_LIMIT_PER_SECOND: "many",
      SHUTDOWN_GRACE_SECONDS: "0",
      LOG_LEVEL: "loud",
    };
    const ends = await Promise.all(["api", "worker", "all", "reseal"].map((role) => run(role, wrong)));
    for (const { code, output } of ends) {
      assert.equal(code, 1);
      for (const name of Object.keys(wrong)) assert.match(output, new RegExp(`at ${name}\\b`), name);
      assert.match(output, /at WEBHOOK_ALLOWED_IPS\[1\][^]*at WEBHOOK_ALLOWED_IPS\[2\]/);
      assert.equal(output.includes("secret-"), false);
      assert.equal(/^\s+at .*\.ts:/m.test(output), false, "words, not a stack");
    }
  });

  it("the two required settings are asked for, an empty one counting as absent", async () => {
    const { code, output } = await run("api", { SEALING_KEYS: "" });
    assert.equal(code, 1);
    for (const name of ["DATABASE_URL", "SEALING_KEYS"]) assert.match(output, new RegExp(name));
  });

  it("usage is printed when no valid role is named", async () => {
    for (const role of ["", "serve"]) {
      const { code, output } = await run(role, good);
      assert.equal(code, 1);
      assert.match(output, /usage: [^]*migrate[^]*reseal[^]*secrets/);
    }
  });

  it("a database that lacks migrations, or has an unknown one, is refused", async () => {
    const empty = await emptyDatabase(cluster);
    await refuses({ DATABASE_URL: empty.url }, /run the migrate role/);
    const older = await cloneDatabase(cluster);
    await query(
      "delete from schema_migration where name = (select max(name) from schema_migration)",
      older.ownerUrl,
    );
    await refuses({ DATABASE_URL: older.url }, /the database lacks \d{4}_\w+\.sql/);
    const newer = await cloneDatabase(cluster);
    await query(
      "insert into schema_migration (name, checksum) values ('9999_future.sql', 'x')",
      newer.ownerUrl,
    );
    await refuses({ DATABASE_URL: newer.url }, /9999_future\.sql, which this version does not know/);
  });

  it("a PostgreSQL that may lose acknowledged data is refused, naming each setting", async () => {
    await query("alter system set fsync = off");
    await query("alter system set full_page_writes = off");
    await query(`alter database ${database.name} set synchronous_commit = off`);
    await query("select pg_reload_conf()");
    const show = async () => (await query("show full_page_writes")).rows[0] as { full_page_writes: string };
    await eventually("the settings are in force", async () => (await show()).full_page_writes === "off");
    await refuses({}, /fsync=off/, /full_page_writes=off/, /synchronous_commit=off/);
    await query("alter system reset all");
    await query(`alter database ${database.name} reset all`);
    await query("select pg_reload_conf()");
    await eventually("they are on again", async () => (await show()).full_page_writes === "on");
  });

  it("a login that row-level security does not bind is refused", async () => {
    await refuses({ DATABASE_URL: database.superuserUrl }, /is a superuser/);
    await query("create role loose login password 'loose' bypassrls in role signalbox_api, signalbox_work");
    const url = new URL(database.url);
    [url.username, url.password] = ["loose", "loose"];
    await refuses({ DATABASE_URL: url.href }, /bypasses row-level security/);
    await query("alter role signalbox_api bypassrls");
    await refuses({}, /signalbox_api bypasses row-level security/);
    await query("alter role signalbox_api nobypassrls");
  });

  it("a wrong password or unknown database is reported in one line", async () => {
    const [wrong, missing] = [new URL(database.url), new URL(database.url)];
    wrong.password = "not-its-password";
    missing.pathname = "/not_there";
    await refuses(
      { DATABASE_URL: wrong.href },
      /PostgreSQL rejected the login in DATABASE_URL: password authentication failed/,
    );
    await refuses({ DATABASE_URL: missing.href }, /"not_there" does not exist/);
  });

  it("the service waits for a PostgreSQL that is not up yet, and logs it once", async () => {
    await cluster.stop();
    await using directory = await openBedDirectory();
    const name = "early";
    const log = join(directory.path, `${name}.log`);
    const starting = startService({
      role: "api",
      name,
      port: await freePort(),
      directory: directory.path,
      environment: good,
    });
    const lines = () =>
      readFile(log, "utf8").then(
        (text) => text.split("\n").filter((line) => line.includes('"database_')),
        () => [],
      );
    try {
      await eventually("it says that it waits", async () => (await lines()).length === 1, {
        timeoutMs: 60_000,
      });
    } finally {
      await cluster.start();
    }
    await using api = await starting;
    const events = (await lines()).map((line) => (JSON.parse(line) as { event: string }).event);
    assert.deepEqual(events, ["database_unavailable", "database_available"]);
    assert.equal(await api.stop(), 0);
  });

  it("the service runs with the secrets that `secrets` printed, which are new each time", async () => {
    const printed = await Promise.all([run("secrets", {}), run("secrets", {})]);
    const [first, second] = printed.map(({ code, output }) => {
      assert.equal(code, 0);
      return Object.fromEntries(
        output
          .trimEnd()
          .split("\n")
          .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
      );
    });
    const names = [
      "OPERATOR_TOKEN",
      "SEALING_KEYS",
      "ENGINE_IDENTITY_KEYS",
      "ENGINE_IDENTITY_PRIVATE_KEY",
      "DATABASE_PASSWORD",
      "MIGRATION_DATABASE_PASSWORD",
      "POSTGRES_PASSWORD",
    ];
    assert.deepEqual(Object.keys(first ?? {}), names);
    for (const name of names) assert.notEqual(first?.[name], second?.[name], name);
    await using directory = await openBedDirectory();
    await using api = await startService({
      role: "api",
      name: "api",
      port: await freePort(),
      directory: directory.path,
      environment: { ...good, ...first },
    });
    const response = await fetch(`${api.baseUrl}/admin/v1/agents`, {
      headers: { authorization: `Bearer ${first?.["OPERATOR_TOKEN"]}` },
    });
    assert.equal(response.status, 200);
    assert.equal(await api.stop(), 0);
  });
});
