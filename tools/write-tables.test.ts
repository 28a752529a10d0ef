import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { cloneDatabase, type ClonedDatabase } from "../tests/support/databases.ts";
import { withClient } from "../tests/support/postgres.ts";
import { borrowCluster } from "../tests/support/shared-cluster.ts";
import { describeTables, tablesDifference } from "./write-tables.ts";

describe("generated table types", () => {
  const open = new AsyncDisposableStack();
  let database: ClonedDatabase;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
  });
  after(() => open.disposeAsync());

  it("the generated table types are what the migrations make", async () => {
    assert.equal(await tablesDifference(database.ownerUrl), undefined);
  });

  it("the generated table types leave out partitions and the migrator's own table", async () => {
    const written = await describeTables(database.ownerUrl);
    assert.match(written, /^ {2}delivery: \{$/m);
    assert.doesNotMatch(written, /^ {2}(delivery_\d|message_\d|schema_migration)/m);
  });

  it("the generated table types say nullable and defaulted, and differ when a column does", async () => {
    const changes =
      "alter table agent add column probe bigint, add column counted integer not null default 0";
    await withClient(database.ownerUrl, (client) => client.query(changes));
    const written = await describeTables(database.ownerUrl);
    assert.match(written, /^ {4}probe: number \| null;$/m);
    assert.match(written, /^ {4}counted: Generated<number>;$/m);
    assert.match((await tablesDifference(database.ownerUrl)) ?? "", /run npm run write-tables/);
  });

  it("a column type without a mapping is named in the failure", async () => {
    await withClient(database.ownerUrl, (client) => client.query("alter table agent add column shape point"));
    await assert.rejects(describeTables(database.ownerUrl), /knows no type for agent\.shape \(point\)/);
  });
});
