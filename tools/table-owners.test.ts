import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ALSO_READS, OWNERS, refuseTable, roomsBelow, tablesIn } from "./table-owners.ts";

const server = "packages/server/src";
const inRoom = (room: string) => `${server}/${room}/some-file.ts`;

describe("owners of tables", () => {
  it("each table of the database has an owner, and no other table has one", () => {
    const generated = readFileSync(`${server}/platform/tables.generated.ts`, "utf8");
    const tables = [...generated.matchAll(/^ {2}(\w+): \{$/gm)].map(([, table = ""]) => table);
    assert.deepEqual(Object.keys(OWNERS).toSorted(), tables.toSorted());
  });

  it("only the owner writes a table", () => {
    assert.equal(refuseTable(inRoom("delivery"), "writes", "lane"), undefined);
    assert.match(
      refuseTable(inRoom("handoff"), "writes", "lane") ?? "",
      /belongs to delivery: call a function/,
    );
    assert.match(refuseTable(inRoom("inbox"), "writes", "message") ?? "", /conversations and handoff/);
  });

  it("a room reads the tables of rooms below it, and no table of a room above", () => {
    assert.equal(refuseTable(inRoom("conversations"), "reads", "webhook"), undefined, "over delivery");
    assert.match(refuseTable(inRoom("knowledge"), "reads", "turn") ?? "", /may not read turn/);
  });

  it("a read against the arrows is listed only where it is needed", () => {
    for (const [room, tables] of Object.entries(ALSO_READS)) {
      const source = globSync(`${server}/${room}/**/*.ts`, { exclude: ["**/*.test.ts"] })
        .map((path) => readFileSync(path, "utf8"))
        .join("\n");
      const read = tablesIn(source.replaceAll(/(?:selectFrom|[a-z]+Join)\("(\w+)/g, " from $1"));
      for (const table of tables) {
        assert.ok(
          read.some((found) => found.table === table),
          `${room} does not read ${table}`,
        );
        const isBelow = OWNERS[table]?.some((owner) => roomsBelow(room).has(owner));
        assert.equal(isBelow, false, `${room} may read ${table} by the arrows`);
      }
    }
  });

  it("tables are found in every statement that writes or reads", () => {
    const found = (text: string) => tablesIn(text).map(({ access, table }) => `${access} ${table}`);
    assert.deepEqual(found("insert into lane (id) select id from delivery"), [
      "writes lane",
      "reads delivery",
    ]);
    assert.deepEqual(found("update conversation c set control = 'bot'"), ["writes conversation"]);
    assert.deepEqual(found("select 1 from a join lateral (select from turn) t on true for update of a"), [
      "reads turn",
    ]);
    assert.deepEqual(found("delete from question_offer where true"), ["writes question_offer"]);
    assert.deepEqual(found("select from messages_of_old"), []);
  });
});
