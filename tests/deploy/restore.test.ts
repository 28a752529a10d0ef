import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { withClient } from "../support/postgres.ts";
import { BACKUP_PAGE } from "./drills/backup-page.ts";
import { loseAnInstallation, type LostInstallation } from "./drills/restores.ts";

describe("docs/how-to/back-up-and-restore.md, typed as it stands", () => {
  let lost: LostInstallation;
  before(async () => {
    lost = await loseAnInstallation();
  });
  after(() => lost[Symbol.asyncDispose]());

  it("migrate creates the roles and their rights after a dump was restored where they did not exist", async () => {
    const { installation } = lost;
    await using server = await installation.newServer();
    const { type, secrets } = installation;
    const urlOf = (database: string) =>
      `postgres://postgres:${server.superuserPassword}@127.0.0.1:${server.port}/${database}`;
    const asSuperuser = (statements: string[], database = "postgres") =>
      withClient(urlOf(database), async (client) => {
        for (const statement of statements) await client.query(statement);
      });
    await asSuperuser([
      `create role signalbox login createrole password '${secrets["MIGRATION_DATABASE_PASSWORD"]}'`,
      `create role signalbox_service login noinherit password '${secrets["DATABASE_PASSWORD"]}'`,
      "create database signalbox owner signalbox",
    ]);
    await asSuperuser(["create extension vector"], "signalbox");
    const careless = "pg_restore --no-owner --no-comments --role=signalbox --dbname=signalbox signalbox.dump";
    await assert.rejects(type(careless, server), /role "signalbox_work" does not exist/);
    await assert.rejects(type(BACKUP_PAGE.verify, server), /role signalbox_api does not exist/);
    const mended = await type("signalbox migrate", server);
    assert.match(
      mended,
      /created role signalbox_api\n[^]*repaired access: create policy one_agent on message/,
    );
    assert.match(mended, /granted signalbox_api and signalbox_work to signalbox_service/);
    assert.match(await type(BACKUP_PAGE.verify, server), /^The schema matches this version/);
  });

  it("a restore from a dump brings everything accepted before it, with its rights, and an empty engine continues", () =>
    lost.restore("dump"));

  it("a restore from a base backup brings everything accepted before it, and an empty engine continues", () =>
    lost.restore("base backup"));

  it("a restore to a point in time brings everything accepted before it and nothing after it", () =>
    lost.restore("point in time"));
});
