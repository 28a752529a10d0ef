import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeStep, readMigrations, stepsOf } from "../packages/server/src/platform/index.ts";
import { problemsOf } from "./check-migrations.ts";

const migration = (text: string, oldest = "0065") => ({
  name: "0099_next.sql",
  text: `-- Oldest program that runs on this: ${oldest}\n${text}`,
});

const REFUSED: Record<string, RegExp> = {
  "create index message_by_text on message (text);": /indexes every row of message under SHARE.*concurrently/,
  "create unique index on message (id, agent_id) where text <> ';'": /indexes every row of message/,
  "alter table message add constraint known check (seq > 0);": /reads every row of message.*not valid/,
  "alter table delivery add foreign key (agent_id) references agent (id)": /reads every row of delivery/,
  "alter table only lane add column x integer, add unique (x)": /indexes every row of lane.*using index/,
  "alter table message alter column seq type bigint": /rewrites every row of message/,
  "alter table message add column mark uuid default gen_random_uuid()": /rewrites every row of message/,
  "alter table message add column n bigint generated always as (seq * 2) stored": /rewrites every row/,
  "alter table turn add column a text check (a <> '')": /reads every row of turn/,
  "alter table turn alter column owner set not null": /reads every row of turn/,
  "update message set text = '' where text is null": /changes rows of message.*in batches/,
  "delete from attempt": /changes rows of attempt/,
  "lock table message": /leave it out/,
  "vacuum full message": /rewrites every row of message/,
  "alter table message attach partition m for values with (modulus 16, remainder 1)": /reads every row/,
  "alter table message add c text; alter table message validate constraint known":
    /reads every row of message under ACCESS EXCLUSIVE.*migration of its own/,
  "do $$ begin execute 'lock table message'; end $$": /cannot be read/,
  "alter table webhook drop column url": /takes away what version 0065 may use/,
  "drop function signalbox_names(uuid)": /takes away/,
};

const ALLOWED = [
  "create table note (id uuid primary key); create index on note (id); call signalbox_isolate('note', 'select', 'select')",
  "alter table message add column mood text, add column n integer not null default 0, add column at timestamptz default now()",
  "alter table message add constraint known check (seq > 0) not valid",
  "alter table message validate constraint known",
  "-- Outside a transaction\ndrop index concurrently if exists x;\ncreate index concurrently x on message_0 (text)",
  "create index x on only message (text)",
  "create index agent_by_name on agent (name); update agent set name = trim(name)",
  "-- create index on message (text);\nselect 'create index on message (text);'",
];

describe("check of migrations", () => {
  for (const [text, reason] of Object.entries(REFUSED))
    it(`a new migration is refused that would stop traffic or older versions: ${text}`, () => {
      assert.match(problemsOf(migration(text)).join("\n"), reason);
    });

  it("a new migration is allowed whose locks are short", () => {
    for (const text of ALLOWED) assert.deepEqual(problemsOf(migration(text)), [], text);
  });

  it("a new migration is refused that does not say which programs run on it", () => {
    assert.match(problemsOf({ name: "0099_next.sql", text: "select 1" }).join(), /Oldest program that runs/);
    assert.deepEqual(problemsOf(migration("alter table webhook drop column url", "0099")), []);
  });

  it("the check would have found the migrations that locked messages for long", async () => {
    const ours = await readMigrations();
    const found = ours
      .filter(({ text }) =>
        stepsOf(text).some(({ table, instead }) => table === "message" && instead !== undefined),
      )
      .map(({ name }) => name.slice(0, 4));
    assert.ok(found.includes("0059"), found.join());
    assert.deepEqual(ours.flatMap(problemsOf), [], "what was applied before the rules stays");
  });

  it("a plan names lock, work and time of a step", () => {
    const [step] = stepsOf("alter table message alter column seq type bigint");
    assert.ok(step);
    assert.equal(
      describeStep(step, 12_000_000),
      "message: ACCESS EXCLUSIVE lock, rewrites every row (12,000,000 rows, about 60 s)",
    );
    assert.match(describeStep(step, 10), /10 rows, under a second/);
  });
});
