import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { basename, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { openBed, type Bed } from "../support/bed.ts";
import { createSearch, filesIn, newCanary, type Hit } from "./canaries.ts";
import { plantCanaries, type Planted } from "./planting.ts";

const run = promisify(execFile);

const isServiceLog = (name: string) => /^(api|worker)-\d\.log$/.test(name);
const isLog = (name: string) => name.endsWith(".log");
const report = (hits: Hit[]) => [
  ...new Set(hits.map(({ canary, form, place }) => `${canary} (${form}) in ${place}`)),
];
const namesOf = (hits: Hit[]) => [...new Set(hits.map(({ canary }) => canary))].toSorted();

describe("planted secrets", () => {
  let bed: Bed;
  let planted: Planted;

  before(async () => {
    bed = await openBed({ ownCluster: true });
    // The most talkative PostgreSQL there is: every statement with its parameters.
    await bed.database.query("alter system set log_statement = 'all'");
    await bed.database.query("select pg_reload_conf()");
    planted = await plantCanaries(bed);
    await bed.database.query("checkpoint");
  });
  after(() => bed[Symbol.asyncDispose]());

  async function metrics(): Promise<Buffer> {
    const headers = { authorization: `Bearer ${bed.operatorToken}` };
    const pages = [...bed.apis, ...bed.workers].map(async ({ baseUrl }) =>
      (await fetch(`${baseUrl}/metrics`, { headers })).text(),
    );
    return Buffer.from((await Promise.all(pages)).join("\n"));
  }

  async function dump(): Promise<Buffer> {
    const [found] = await bed.database.query<{ bin: string }>(
      "select setting as bin from pg_config where name = 'BINDIR'",
    );
    const options = { maxBuffer: 1e9, encoding: "buffer" } as const;
    const argv = ["--dbname", bed.database.superuserUrl];
    return (await run(join(found?.bin ?? "", "pg_dump"), argv, options)).stdout;
  }

  function inFiles(
    search: ReturnType<typeof createSearch>,
    directory: string,
    isWanted = (_name: string) => true,
  ): Hit[] {
    const hits: Hit[] = [];
    for (const { path, bytes } of filesIn(directory))
      if (isWanted(basename(path))) hits.push(...search(path, bytes));
    return hits;
  }

  it("the search finds a secret in each encoding, wherever it stands", () => {
    const canary = newCanary("known");
    const search = createSearch([canary]);
    const { value } = canary;
    const forms = [
      value,
      encodeURIComponent(value),
      JSON.stringify({ value }),
      JSON.stringify(JSON.stringify({ value })),
      Buffer.from(value).toString("hex"),
      ...["", "a", "ab", "user:"].flatMap((before) => [
        Buffer.from(`${before}${value}`).toString("base64"),
        Buffer.from(`${before}${value} and more`).toString("base64url"),
      ]),
    ];
    for (const form of forms)
      assert.equal(search("", Buffer.from(`\0before ${form} after`)).length > 0, true, form);
    assert.deepEqual(search("", Buffer.from(newCanary("other").value)), []);
  });

  it("the search finds values in the places where they belong", async () => {
    const ids = createSearch(planted.ids.map((value, index) => ({ name: `id ${index}`, value })));
    assert.equal(namesOf(inFiles(ids, bed.directory, isServiceLog)).length, 2, "ids in logs");
    assert.ok(inFiles(ids, bed.engine.dataDirectory).length > 0, "ids in the engine");
    const wanted = ["email", "message text"];
    const told = createSearch(planted.personal.filter(({ name }) => wanted.includes(name)));
    const inCluster = (folder: string) => namesOf(inFiles(told, join(bed.cluster.dataDirectory, folder)));
    assert.deepEqual(inCluster("base"), wanted, "personal data in data files");
    assert.deepEqual(inCluster("pg_wal"), wanted, "personal data in the write-ahead log");
    assert.deepEqual(namesOf(told("dump", await dump())), wanted, "personal data in the dump");
    const isPostgresLog = (name: string) => name === "postgres.log";
    assert.deepEqual(namesOf(inFiles(told, bed.directory, isPostgresLog)), wanted, "and in PostgreSQL's log");
    const secrets = createSearch(planted.secrets);
    const shown = namesOf(secrets("answers", Buffer.from(planted.shown.join("\n"))));
    assert.deepEqual(
      shown.filter((name) => !name.endsWith("bytes")),
      ["API key", "component's signing secret", "new signing secret", "signing secret"],
    );
    const sent = bed.receiver.requests.map(({ headers }) => headers["authorization"]).join("\n");
    assert.deepEqual(namesOf(secrets("sent", Buffer.from(sent))), ["webhook secret", "webhook username"]);
  });

  it("a secret is in no log, answer, metric, engine, data file, write-ahead log or dump", async () => {
    const search = createSearch(planted.secrets);
    const hits = [
      ...inFiles(search, bed.directory, isLog),
      ...inFiles(search, bed.engine.dataDirectory),
      ...inFiles(search, bed.cluster.dataDirectory),
      ...search("dump", await dump()),
      ...search("metrics", await metrics()),
      ...planted.seen.flatMap(({ place, body }) => search(place, Buffer.from(body))),
    ];
    assert.deepEqual(report(hits), []);
    assert.ok(planted.secrets.length > 25, `${planted.secrets.length} secrets`);
    assert.ok(planted.seen.length > 40, `${planted.seen.length} answers`);
  });

  it("what users write is in no log, metric or engine", async () => {
    const search = createSearch(planted.personal);
    const hits = [
      ...inFiles(search, bed.directory, (name) => isServiceLog(name) || name === "engine.log"),
      ...inFiles(search, bed.engine.dataDirectory),
      ...search("metrics", await metrics()),
    ];
    assert.deepEqual(report(hits), []);
    assert.ok(planted.personal.length >= 10, `${planted.personal.length} facts`);
  });
});
