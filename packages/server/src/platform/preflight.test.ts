import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { cloneDatabase, migratedTemplate, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import {
  OWNER,
  SERVICE,
  startCluster,
  withClient,
  type PostgresCluster,
} from "@signalbox/tests/support/postgres.ts";
import { freePorts } from "@signalbox/tests/support/processes.ts";
import { PROGRAM } from "@signalbox/tests/support/service.ts";
import { openAgentDatabase, openWorkDatabase } from "./database.ts";
import { migrate, readMigrations } from "./migrate.ts";
import { reasonsNotToRun } from "./preflight.ts";

describe("preflight check", () => {
  const open = new AsyncDisposableStack();
  let cluster: PostgresCluster;
  let database: ClonedDatabase;

  // A cluster of its own: the settings of a shared one are not there to be ruined.
  before(async () => {
    cluster = open.use(await startCluster());
  });
  after(() => open.disposeAsync());

  async function asSuperuser(statement: string): Promise<void> {
    await withClient(database.superuserUrl, (client) => client.query(statement));
  }

  /** Connections are new each time, so that settings of database and login are in force. */
  async function reasons({ url }: { url: string } = database): Promise<string[]> {
    const options = { url, poolSize: 2, onError: () => undefined };
    const [work, agents] = [openWorkDatabase(options), openAgentDatabase(options)];
    try {
      return await reasonsNotToRun(work.db, agents);
    } finally {
      await Promise.all([work.close(), agents.close()]);
    }
  }

  async function run(url: string): Promise<{ code: number | null; output: string }> {
    const [port, servicePort] = await freePorts(2);
    const env = {
      PATH: process.env["PATH"] ?? "",
      DATABASE_URL: url,
      OPERATOR_TOKEN: randomBytes(36).toString("base64url"),
      SEALING_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      PORT: String(port),
      ENGINE_SERVICE_PORT: String(servicePort),
    };
    return new Promise((resolve) => {
      execFile(process.execPath, [PROGRAM, "all"], { env, timeout: 60_000 }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === "number" ? error.code : null;
        resolve({ code, output: stdout + stderr });
      });
    });
  }

  it("the preflight refuses a cluster that was never migrated and says what to do", async () => {
    await withClient(cluster.superuserUrl("postgres"), (client) =>
      client.query(`create database untouched owner ${OWNER}`),
    );
    const { code, output } = await run(cluster.serviceUrl("untouched"));
    assert.equal(code, 1);
    assert.match(output, /^Signalbox cannot start: [^\n]*run the migrate role\n$/);
  });

  it("the preflight accepts a migrated database", async () => {
    await migratedTemplate(cluster);
    database = await cloneDatabase(cluster);
    assert.deepEqual(await reasons(), []);
  });

  it("the preflight refuses an empty database of a migrated cluster", async () => {
    assert.deepEqual(await reasons({ url: cluster.serviceUrl("untouched") }), [
      "the database is empty; run the migrate role",
    ]);
  });

  for (const setting of ["fsync", "full_page_writes", "synchronous_commit"]) {
    it(`the preflight refuses a PostgreSQL whose ${setting} is off`, async () => {
      const became = async (value: string) => {
        await asSuperuser(`alter system set ${setting} = ${value}`);
        await asSuperuser("select pg_reload_conf()");
        const shown = async () =>
          (await withClient(database.url, (client) => client.query(`show ${setting}`))).rows[0];
        while ((await shown())[setting] !== value);
      };
      await became("off");
      try {
        const found = await reasons();
        assert.equal(found.length, 1);
        assert.match(found[0] ?? "", new RegExp(`${setting}=off`));
      } finally {
        await became("on");
      }
    });
  }

  it("the preflight refuses synchronous_commit off for this database or login alone", async () => {
    for (const whose of [`database ${database.name}`, `role ${SERVICE}`]) {
      await asSuperuser(`alter ${whose} set synchronous_commit = off`);
      assert.match((await reasons()).join(), /synchronous_commit=off/, whose);
      await asSuperuser(`alter ${whose} reset synchronous_commit`);
    }
  });

  it("the preflight refuses a login that may not assume both roles", async () => {
    const url = new URL(database.url);
    [url.username, url.password] = ["stranger", "plain"];
    await asSuperuser("create role stranger login password 'plain'; grant signalbox_work to stranger");
    assert.match((await reasons({ url: url.href })).join(), /grant it both roles/);
    await asSuperuser("grant signalbox_api to stranger");
    assert.deepEqual(await reasons({ url: url.href }), []);
    await asSuperuser("drop role stranger");
  });

  const TOO_MIGHTY = {
    "alter role SERVICE superuser": /logs in as signalbox_login, which is a superuser/,
    "alter role SERVICE bypassrls": /which bypasses row-level security/,
    "alter role SERVICE createrole": /which can create roles/,
    "alter role SERVICE replication": /which can read the whole cluster through replication/,
    "alter database NAME owner to SERVICE": /which owns the database/,
    "grant create on schema public to SERVICE; alter table audit owner to SERVICE":
      /which owns the schema's tables/,
    "grant OWNER to SERVICE":
      /which is a member of signalbox_owner, which owns the database and the schema's tables, and can create roles:/,
  };
  for (const [statement, reason] of Object.entries(TOO_MIGHTY)) {
    it(`the preflight refuses a login with more rights than the service needs: ${statement}`, async () => {
      const named = statement
        .replaceAll("SERVICE", SERVICE)
        .replaceAll("OWNER", OWNER)
        .replaceAll("NAME", database.name);
      await asSuperuser(named);
      try {
        const found = await reasons();
        assert.equal(found.length, 1, found.join("\n"));
        assert.match(found[0] ?? "", reason);
        assert.match(found[0] ?? "", /docs\/how-to\/self-host\.md/);
      } finally {
        await asSuperuser(`alter role ${SERVICE} nosuperuser nobypassrls nocreaterole noreplication;
          alter database ${database.name} owner to ${OWNER}; alter table audit owner to ${OWNER};
          revoke create on schema public from ${SERVICE}; revoke ${OWNER} from ${SERVICE}`);
      }
      assert.deepEqual(await reasons(), []);
    });
  }

  it("the preflight refuses the schema's owner as a login, even without superuser", async () => {
    const { code, output } = await run(database.ownerUrl);
    assert.equal(code, 1);
    assert.match(output, /^Signalbox cannot start: [^\n]*\n$/);
    await asSuperuser(`grant signalbox_api, signalbox_work to ${OWNER}`);
    assert.match((await reasons({ url: database.ownerUrl })).join(), /which owns the database/);
    await asSuperuser(`revoke signalbox_api, signalbox_work from ${OWNER}`);
  });

  it("the preflight refuses a role that bypasses row-level security", async () => {
    for (const role of ["signalbox_api", "signalbox_work"]) {
      await asSuperuser(`alter role ${role} bypassrls`);
      assert.match((await reasons()).join(), new RegExp(`${role} bypasses row-level security`));
      await asSuperuser(`alter role ${role} nobypassrls`);
      await asSuperuser(`grant create on schema public to ${role}; alter table audit owner to ${role}`);
      assert.match((await reasons()).join(), new RegExp(`${role} bypasses row-level security`));
      await asSuperuser(`alter table audit owner to ${OWNER}; revoke create on schema public from ${role}`);
      // With its table the role's rights went to the owner.
      await migrate(database.ownerUrl, await readMigrations(), { log: () => undefined });
    }
    assert.deepEqual(await reasons(), []);
  });

  it("the preflight refuses a restored database that lacks rights or policies", async () => {
    const lost =
      /lacks permissions or policies \(create policy every_agent on lane .*\); run the migrate role/;
    await asSuperuser("alter policy every_agent on lane using (false)");
    assert.match((await reasons()).join(), lost);
    await asSuperuser("alter policy every_agent on lane using (true)");
    assert.deepEqual(await reasons(), []);
  });

  it("the preflight refuses a connection pooler that drops the role", async () => {
    const url = new URL(database.url);
    // pg lets the options of the URL win, as a pooler would that sends its own.
    url.searchParams.set("options", "-c statement_timeout=1min");
    const [found = "", ...others] = await reasons({ url: url.href });
    assert.match(
      found,
      new RegExp(`connected as ${SERVICE} instead of signalbox_work: .*DATABASE_POOLER=true`),
    );
    assert.deepEqual(others, [], "nothing that such a login does not see is said of the database");
  });

  it("the preflight refuses a schema that is older, newer or different", async () => {
    const edits = {
      "delete from schema_migration where name = (select max(name) from schema_migration)":
        /lacks .*run the migrate role/,
      "insert into schema_migration (name, checksum) values ('9999_later.sql', 'x')":
        /9999_later\.sql.*run a newer version/,
      "update schema_migration set checksum = 'x' where name = (select min(name) from schema_migration)":
        /was changed after it was applied/,
    };
    for (const [edit, reason] of Object.entries(edits)) {
      const clone = await cloneDatabase(cluster);
      await withClient(clone.ownerUrl, (client) => client.query(edit));
      const found = await reasons(clone);
      assert.equal(found.length, 1, edit);
      assert.match(found[0] ?? "", reason);
      await clone.drop();
    }
  });

  it("the preflight allows a newer schema that runs with this version and still checks its rights", async () => {
    const newest = (await readMigrations()).at(-1)?.name.slice(0, 4);
    const clone = await cloneDatabase(cluster);
    const later = (name: string, oldest: string) =>
      `insert into schema_migration (name, checksum, oldest_program) values ('${name}', 'x', '${oldest}')`;
    await withClient(clone.ownerUrl, (client) => client.query(later("9998_later.sql", newest ?? "")));
    assert.deepEqual(await reasons(clone), []);
    await withClient(clone.ownerUrl, (client) => client.query("revoke select on lane from signalbox_work"));
    assert.match((await reasons(clone)).join(), /lacks permissions or policies/);
    await withClient(clone.ownerUrl, (client) => client.query(later("9999_last.sql", "9998")));
    assert.match((await reasons(clone)).join(), /9999_last\.sql, which this version does not know/);
    await clone.drop();
  });

  it("a refused start prints the reason and exits with 1", async () => {
    await asSuperuser(`alter database ${database.name} set synchronous_commit = off`);
    const { code, output } = await run(database.url);
    assert.equal(code, 1);
    assert.match(output, /^Signalbox cannot start: [^\n]*synchronous_commit=off[^\n]*\n$/);
  });
});
