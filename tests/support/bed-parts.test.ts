import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openBedDirectory, sweepDeadBeds } from "./bed-directory.ts";
import { cloneDatabase, emptyDatabase, migratedTemplate } from "./databases.ts";
import { startEngine } from "./engine.ts";
import { startCluster, withClient } from "./postgres.ts";
import { eventually, freePorts, processesUsing, readStat, startProcess } from "./processes.ts";

const MIGRATE = `
  import pg from ${JSON.stringify(import.meta.resolve("pg"))};
  const client = new pg.Client(process.env.MIGRATION_DATABASE_URL);
  await client.connect();
  await client.query("create table mark (at int); insert into mark values (1)");
  await client.end();
`;

describe("eventually", () => {
  it("eventually names what it waited for and what it saw last", async () => {
    const waiting = eventually("the sky falls", () => Promise.reject(new Error("still up")), {
      timeoutMs: 30,
      everyMs: 5,
    });
    await assert.rejects(waiting, /the sky falls; last seen: still up/);
  });

  it("eventually returns the first value that is neither undefined nor false", async () => {
    const values = [undefined, false, 0];
    assert.equal(await eventually("a value", () => values.shift(), { everyMs: 1 }), 0);
  });
});

describe("startProcess", () => {
  it("a started process is the program itself, and kill -9 proves itself", async () => {
    await using directory = await openBedDirectory();
    const sleeping = startProcess({
      name: "sleep",
      command: "sleep",
      args: ["60"],
      env: { PATH: process.env["PATH"] ?? "" },
      cwd: directory.path,
      logFile: join(directory.path, "sleep.log"),
    });
    await eventually(
      "setpriv has become sleep",
      () => processesUsing(directory.path)[0]?.command === "sleep 60",
    );
    assert.equal(processesUsing(directory.path)[0]?.pid, sleeping.pid);
    await sleeping.kill9();
    assert.deepEqual(await sleeping.exited, { code: null, signal: "SIGKILL" });
    assert.equal(existsSync(`/proc/${sleeping.pid}`), false);
    await assert.rejects(sleeping.kill9(), /already gone before kill -9/);
  });

  it("freePorts returns different free ports", async () => {
    const ports = await freePorts(10);
    assert.equal(new Set(ports).size, 10);
  });
});

describe("startCluster", () => {
  it("a cluster starts, clones its template, survives kill -9 and leaves nothing behind", async () => {
    const cluster = await startCluster();
    const directory = join(cluster.dataDirectory, "..");
    try {
      const program = join(directory, "migrate.mjs");
      await writeFile(program, MIGRATE);
      // Two test files asking at once must migrate once: a second run of the stand-in would fail on its table.
      await Promise.all([migratedTemplate(cluster, { program }), migratedTemplate(cluster, { program })]);
      const [first, second] = await Promise.all([cloneDatabase(cluster), cloneDatabase(cluster)]);
      assert.notEqual(first.name, second.name);
      await withClient(first.ownerUrl, (client) => client.query("insert into mark values (2)"));
      const countIn = (url: string) =>
        withClient(url, async (client) =>
          Number((await client.query("select count(*) from mark")).rows[0].count),
        );
      assert.deepEqual([await countIn(first.ownerUrl), await countIn(second.ownerUrl)], [2, 1]);

      const rightsOf = (url: string) =>
        withClient(url, async (client) => {
          const asked = "select rolname, rolsuper, rolcreaterole from pg_roles where rolname = current_user";
          return (await client.query(asked)).rows[0] as unknown;
        });
      assert.deepEqual(await rightsOf(first.ownerUrl), {
        rolname: "signalbox_owner",
        rolsuper: false,
        rolcreaterole: true,
      });
      assert.deepEqual(await rightsOf(first.url), {
        rolname: "signalbox_login",
        rolsuper: false,
        rolcreaterole: false,
      });
      const settings = await withClient(first.superuserUrl, (client) =>
        client.query(
          "select setting from pg_settings where name in ('fsync', 'full_page_writes', 'synchronous_commit')",
        ),
      );
      assert.deepEqual(
        settings.rows.map(({ setting }) => setting),
        ["on", "on", "on"],
      );
      await assert.rejects(
        withClient(first.url.replace(/:[0-9a-f]{36}@/, ":wrong@"), async () => undefined),
        /password/,
      );

      const empty = await emptyDatabase(cluster);
      await assert.rejects(countIn(empty.ownerUrl), /"mark" does not exist/);
      await empty.drop();

      const busy = withClient(first.url, (client) => client.query("select pg_sleep(60)"));
      const cut = assert.rejects(busy);
      const [startedBefore, pidBefore] = [await cluster.startedAt(), cluster.pid()];
      await cluster.kill9();
      await cut;
      await cluster.start();
      assert.notEqual(await cluster.startedAt(), startedBefore);
      assert.notEqual(cluster.pid(), pidBefore);
      assert.equal(await countIn(first.ownerUrl), 2);

      const startedAgain = await cluster.startedAt();
      await cluster.restart();
      assert.notEqual(await cluster.startedAt(), startedAgain);
      await first.drop();
      await assert.rejects(countIn(first.ownerUrl), /does not exist/);
    } finally {
      await cluster[Symbol.asyncDispose]();
    }
    assert.deepEqual(processesUsing(directory), []);
    assert.equal(existsSync(directory), false);
  });

  it("a cluster shows why its template could not be migrated, and tries again the next time", async () => {
    await using cluster = await startCluster();
    const program = join(cluster.dataDirectory, "..", "migrate.mjs");
    await writeFile(program, 'console.error("no such column"); process.exit(3);');
    await assert.rejects(migratedTemplate(cluster, { program }), /no such column/);
    await writeFile(program, MIGRATE);
    await migratedTemplate(cluster, { program });
    await cloneDatabase(cluster);
  });
});

describe("startEngine", () => {
  it("an engine comes back on the same ports after kill -9, empty after a wipe, and leaves nothing behind", async () => {
    const engine = await startEngine();
    const directory = join(engine.dataDirectory, "..");
    try {
      assert.equal(await engine.isHealthy(), true);
      const identities = new Set([`${engine.pid()}:${engine.startTime()}`]);
      await engine.kill9();
      assert.equal(await engine.isHealthy(), false);
      assert.ok(readdirSync(engine.dataDirectory).length > 0);
      await engine.start();
      identities.add(`${engine.pid()}:${engine.startTime()}`);

      await engine.wipe();
      assert.equal(await engine.isHealthy(), false);
      assert.equal(existsSync(engine.dataDirectory), false);
      await engine.start();
      identities.add(`${engine.pid()}:${engine.startTime()}`);
      await engine.restart();
      identities.add(`${engine.pid()}:${engine.startTime()}`);
      assert.equal(await engine.isHealthy(), true);
      assert.equal(identities.size, 4);
    } finally {
      await engine[Symbol.asyncDispose]();
    }
    assert.deepEqual(processesUsing(directory), []);
    assert.equal(existsSync(directory), false);
  });
});

async function nothingIsLeftOf(directories: string[]): Promise<void> {
  await eventually("all processes are gone", () => directories.flatMap(processesUsing).length === 0, {
    timeoutMs: 5_000,
  });
  await eventually("all directories are gone", () => !directories.some((path) => existsSync(path)), {
    timeoutMs: 5_000,
  });
}

describe("cleanup after an owner", () => {
  it("every process and directory ends with its owner, also by kill -9", async () => {
    const script = `
      const { startCluster, withClient } = await import(${JSON.stringify(import.meta.resolve("./postgres.ts"))});
      const { startEngine } = await import(${JSON.stringify(import.meta.resolve("./engine.ts"))});
      const [cluster, engine] = await Promise.all([startCluster(), startEngine()]);
      const busy = withClient(cluster.superuserUrl("postgres"), (client) => client.query("select pg_sleep(60)"));
      console.log(JSON.stringify([cluster.dataDirectory, engine.dataDirectory]));
      await busy;
    `;
    const owner = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = (await owner.stdout.take(1).toArray()) as [Buffer];
    const directories = (JSON.parse(line.toString()) as string[]).map((path) => join(path, ".."));
    assert.ok(
      directories.flatMap(processesUsing).length >= 5,
      "postmaster, its children and the engine run before the kill",
    );
    owner.kill("SIGKILL");
    await nothingIsLeftOf(directories);
  });

  it("every process of a test file ends when the test runner is killed", async () => {
    await using home = await openBedDirectory();
    const file = join(home.path, "endless.test.mjs");
    const told = join(home.path, "told");
    await writeFile(
      file,
      `import { writeFileSync } from "node:fs";
      import { test } from "node:test";
      import { startEngine } from ${JSON.stringify(import.meta.resolve("./engine.ts"))};
      test("never ends", async () => {
        const engine = await startEngine();
        writeFileSync(${JSON.stringify(told)}, JSON.stringify([process.pid, engine.dataDirectory]));
        await new Promise((resolve) => setTimeout(resolve, 60_000));
      });`,
    );
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const runner = spawn(process.execPath, ["--test", file], { env, stdio: "ignore" });
    const words = await eventually("the test file runs", () => readFileSync(told, "utf8") || undefined);
    const [filePid, dataDirectory] = JSON.parse(words) as [number, string];
    runner.kill("SIGKILL");
    await nothingIsLeftOf([join(dataDirectory, "..")]);
    await eventually("the test file is gone", () => ["Z", undefined].includes(readStat(filePid)?.state));
  });

  it("leftovers of a dead owner are removed by the next, and nothing of a living one", async () => {
    await using alive = await openBedDirectory();
    const dead = join(tmpdir(), "signalbox-bed-1-1-test");
    await mkdir(join(dead, "postgres"), { recursive: true });
    const orphan = spawn("sleep", ["60"], { cwd: dead, stdio: "ignore" });
    await sweepDeadBeds();
    await eventually("the orphan is gone", () => orphan.signalCode === "SIGKILL");
    assert.equal(existsSync(dead), false);
    assert.equal(existsSync(alive.path), true);
  });
});
