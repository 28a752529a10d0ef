import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { DocumentRevision } from "@signalbox/contract";
import { createClient } from "@signalbox/sdk";
import { type MadeAgent, makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { workbookOf } from "@signalbox/tests/support/office-files.ts";

const run = promisify(execFile);
const PAIRS = "question,answer\nWhen do you open?,At nine.\nWhere are you?,In Market Street.\n";
const ARTICLES =
  "Ref,Topic,Text here,More\n1,red,blue house by here,green house by here\n2,blue,red house by here,white house by here\n";

describe("a file from disk, with an API key", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let agent: MadeAgent;
  let directory = "";
  before(async () => {
    const environment = { IMPORT_FILE_MEGABYTES: "2" };
    bed = open.use(await openBed({ apis: 1, workers: 1, environment }));
    directory = await mkdtemp(join(tmpdir(), "signalbox-upload-"));
    open.defer(() => rm(directory, { recursive: true }));
    agent = await makeAgent(bed, { name: "Uploads", webhook: false });
  });
  after(() => open.disposeAsync());

  const url = () => `${bed.baseUrl}/v1/bot/doc/upload`;

  async function send(form: FormData, headers: Record<string, string> = {}) {
    const authorization = `Bearer ${agent.apiKey}`;
    const response = await fetch(url(), {
      method: "POST",
      headers: { authorization, ...headers },
      body: form,
    });
    return {
      status: response.status,
      body: (await response.json()) as DocumentRevision & { code: number; message: string },
    };
  }

  function formOf(content: string | Buffer, name: string, fields: Record<string, string> = {}): FormData {
    const form = new FormData();
    form.set("file", new Blob([typeof content === "string" ? content : new Uint8Array(content)]), name);
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    return form;
  }

  const pairsOf = async (doc_id: string) =>
    (await agent.client.knowledge.listPairs({ doc_id })).list.map(({ question, answer }) => [
      question,
      answer,
    ]);

  it("curl imports a file from disk with an API key, and the agent has its pairs", async () => {
    const path = join(directory, "常见问题.csv");
    await writeFile(path, PAIRS);
    const { stdout } = await run("curl", [
      "--silent",
      url(),
      `-HAuthorization: Bearer ${agent.apiKey}`,
      `-Ffile=@${path}`,
      "-Fheader_rows=1",
    ]);
    const { state, pairs, doc_id, file_name } = JSON.parse(stdout) as DocumentRevision;
    assert.deepEqual([state, pairs, file_name], ["current", 2, "常见问题.csv"]);
    assert.deepEqual(await pairsOf(doc_id), [
      ["When do you open?", "At nine."],
      ["Where are you?", "In Market Street."],
    ]);
  });

  it("FormData imports a workbook, with fields before and behind the file", async () => {
    const form = new FormData();
    form.set("file_name", "Handbook.xlsx");
    const sheet = workbookOf({
      FAQ: [["Handbook"], ["Customer asks", "We say"], ["Is there a lift?", "Yes, there is."]],
    });
    form.set("file", new Blob([new Uint8Array(sheet)]), "x.bin");
    form.set("header_rows", "2");
    const { status, body } = await send(form);
    assert.deepEqual([status, body.state, body.pairs, body.file_name], [200, "current", 1, "Handbook.xlsx"]);
    assert.deepEqual(await pairsOf(body.doc_id), [["Is there a lift?", "Yes, there is."]]);
  });

  it("a table with unclear columns is not guessed, and is read when the columns are named", async () => {
    const asked = await send(formOf(ARTICLES, "articles.csv"));
    assert.deepEqual([asked.status, asked.body.state, asked.body.cause], [200, "failed", "columns_unclear"]);
    const columns = { question_column: "3", answer_column: "4", alternates_columns: "2" };
    const named = await send(formOf(ARTICLES, "articles.csv", columns));
    assert.equal(named.body.state, "current");
    assert.deepEqual((await pairsOf(named.body.doc_id))[0], ["blue house by here", "green house by here"]);
  });

  it("the client uploads a Blob, replaces a document, and a repeat with one key acts once", async () => {
    const client = createClient({ baseUrl: bed.baseUrl, apiKey: agent.apiKey });
    const first = await client.knowledge.uploadFile({ file: new Blob([PAIRS]), file_name: "one.csv" });
    const again = {
      file: new Blob(["question,answer\nWho?,We.\n"]),
      file_name: "two.csv",
      doc_id: first.doc_id,
    };
    const options = { idempotencyKey: crypto.randomUUID() };
    const second = await client.knowledge.uploadFile(again, options);
    assert.deepEqual([second.doc_id, second.revision, second.pairs], [first.doc_id, first.revision + 1, 1]);
    const repeated = await client.knowledge.uploadFile(again, options);
    assert.equal(repeated.revision, second.revision);
    const other = { ...again, file: new Blob(["question,answer\nWho?,They.\n"]) };
    await assert.rejects(Promise.resolve(client.knowledge.uploadFile(other, options)), /Idempotency-Key/);
    assert.deepEqual(await pairsOf(first.doc_id), [["Who?", "We."]]);
  });

  it("an upload needs a key with the scope knowledge", async () => {
    const { api_key: key } = await operatorOf(bed).keys.create({
      agent_id: agent.agentId,
      name: "no knowledge",
      scopes: ["read"],
    });
    const form = formOf(PAIRS, "faq.csv");
    const of = async (token: string) => {
      const { status, body } = await send(form, { authorization: `Bearer ${token}` });
      return [status, body.code];
    };
    assert.deepEqual(
      [await of(key), await of("sbx_nobody")],
      [
        [403, 40300],
        [401, 40127],
      ],
    );
  });

  it("a form that cannot be taken is refused in words, and nothing of it stays", async () => {
    const refusals: [form: FormData, message: RegExp][] = [
      [new FormData(), /ends within a part|file is required/],
      [formOf(PAIRS, "faq.csv", { colour: "red" }), /has no field colour/],
      [formOf(PAIRS, "faq.csv", { header_rows: "many" }), /header_rows must be a whole number/],
      [formOf(PAIRS, "faq.csv", { question_column: "1" }), /answer_column is required/],
      [formOf(PAIRS, "faq.csv", { alternates_columns: "a" }), /alternates_columns must be numbers/],
      [formOf(PAIRS, "faq.csv", { doc_id: crypto.randomUUID() }), /doc_id is not a document/],
      [formOf(PAIRS, "faq.csv", { delimiter: "x".repeat(9_000) }), /delimiter is too long/],
      [formOf("", "faq.csv"), /file is empty/],
      [formOf(PAIRS, ""), /file_name is required/],
    ];
    for (const [form, message] of refusals) {
      const { status, body } = await send(form);
      assert.deepEqual([status, body.code], [400, 40000], body.message);
      assert.match(body.message, message);
    }
    const large = await send(formOf("x".repeat(3_000_000), "large.csv"));
    assert.deepEqual([large.status, large.body.code], [413, 41300]);
    const authorization = `Bearer ${agent.apiKey}`;
    const json = await fetch(url(), {
      method: "POST",
      headers: { authorization, "content-type": "application/json" },
      body: "{}",
    });
    assert.match(((await json.json()) as { message: string }).message, /multipart\/form-data/);
    const rows = await bed.database.query(
      "select count(*)::int as left from upload where imported_at is null",
    );
    assert.deepEqual(rows, [{ left: 0 }]);
  });

  it("a form sent to any other call is refused as before", async () => {
    const response = await fetch(`${bed.baseUrl}/v1/bot/doc/qa/add`, {
      method: "POST",
      headers: { authorization: `Bearer ${agent.apiKey}` },
      body: formOf(PAIRS, "faq.csv"),
    });
    assert.equal(response.status, 400);
    assert.match(((await response.json()) as { message: string }).message, /application\/json/);
  });
});
