import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { DocumentRevision, QaChunk } from "@signalbox/contract";
import { type MadeAgent, makeAgent, operatorOf } from "@signalbox/tests/support/agents.ts";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { bundleProgram, type BundledProgram } from "@signalbox/tests/support/bundled-program.ts";
import { workbookOf } from "@signalbox/tests/support/office-files.ts";

const SOURCE = join(import.meta.dirname, "../../packages/cli/src/main.ts");

type Ran = { code: number; out: string; error: string; documents: () => DocumentRevision[] };

/** What becomes of the answer to a request: it is handed on, or lost, or the request never arrives. */
type Fate = "answered" | "answer lost" | "away";

describe("import and export by the CLI", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let agent: MadeAgent;
  let program: BundledProgram;
  let directory = "";
  before(async () => {
    program = open.use(await bundleProgram(SOURCE));
    bed = open.use(await openBed({ apis: 1, workers: 1 }));
    directory = await mkdtemp(join(tmpdir(), "signalbox-qa-"));
    open.defer(() => rm(directory, { recursive: true }));
  });
  after(() => open.disposeAsync());

  /** With the agent's API key and nothing else, unless `credentials` say otherwise. */
  function run(words: string[], url = bed.baseUrl, credentials?: Record<string, string>): Promise<Ran> {
    const env = {
      PATH: process.env["PATH"],
      SIGNALBOX_URL: url,
      ...(credentials ?? { SIGNALBOX_API_KEY: agent.apiKey }),
    };
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [program.path, "documents", ...words],
        { env, maxBuffer: 100_000_000 },
        (failure, out, error) => {
          assert.doesNotMatch(error, /^ +at /m);
          const documents = () => (JSON.parse(out) as { documents: DocumentRevision[] }).documents;
          resolve({ code: failure === null ? 0 : Number(failure.code), out, error, documents });
        },
      );
    });
  }

  async function fileOf(name: string, content: string | Buffer): Promise<string> {
    const path = join(directory, name);
    await writeFile(path, content);
    return path;
  }

  const rowsOf = (count: number, answer = "yes") =>
    `question,answer\n${Array.from({ length: count }, (_, index) => `Question ${index}?,${answer}\n`).join("")}`;

  async function storedPairs(): Promise<QaChunk[]> {
    const { documents } = JSON.parse((await run(["export", "--json"])).out) as {
      documents: { pairs: QaChunk[] }[];
    };
    return documents.flatMap(({ pairs }) => pairs);
  }

  /** Stands between the command and the service, and decides each request's fate by its number, counted from 1. */
  async function startLine(fateOf: (post: number) => Fate) {
    let posts = 0;
    const server = createServer((incoming, outgoing) => {
      const { method = "", headers, url = "" } = incoming;
      const fate = method === "POST" ? fateOf((posts += 1)) : "answered";
      if (fate === "away") outgoing.destroy();
      else
        incoming.pipe(
          request(`${bed.baseUrl}${url}`, { method, headers }, (answer) => {
            if (fate === "answer lost") answer.resume().on("end", () => outgoing.destroy());
            else answer.pipe(outgoing.writeHead(answer.statusCode ?? 500, answer.headers));
          }),
        );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    open.defer(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it("an API key imports CSV and workbooks, and the agent answers from them", async () => {
    agent = await makeAgent(bed);
    const csv = await fileOf("hours.csv", "问题,答案,相似问\n几点开门？,九点。,营业时间\n");
    const book = await fileOf(
      "prices.xlsx",
      workbookOf({
        Prices: [
          ["question", "answer"],
          ["How much?", "Ten."],
        ],
      }),
    );
    const { code, documents, error } = await run(["import", csv, book, "--json"]);
    assert.equal(code, 0, error);
    assert.deepEqual(
      documents().map(({ file_name, pairs }) => [file_name, pairs]),
      [
        ["hours.csv", 1],
        ["prices.xlsx", 1],
      ],
    );
    const answer = async (prompt: string) =>
      (await agent.client.knowledge.search({ prompt })).list[0]?.answer;
    assert.deepEqual(
      [await answer("几点开门？"), await answer("营业时间"), await answer("How much?")],
      ["九点。", "九点。", "Ten."],
    );
    const dry = await run(["import", csv, "--dry-run", "--update"]);
    assert.equal(dry.code, 0);
    assert.equal((await storedPairs()).length, 2);
  });

  it("an API key imports with every option: header, columns, alternates, tags, base, name and replaced document", async () => {
    agent = await makeAgent(bed, { webhook: false });
    const { knowledge_base_id } = await agent.client.knowledge.createBase({ name: "Other" });
    const title = "Support handbook;;;;\n";
    const header = "Topic;Customer asks;We say;Or so;Kind\n";
    const path = await fileOf("table.csv", `${title}${header}1;When?;At nine.;Hours?;shop\n2;Who?;;;\n`);
    const columns = ["--question-column", "2", "--answer-column", "3", "--alternates-column", "4"];
    const options = ["--header-rows", "2", "--delimiter", ";", "--tags-column", "5", ...columns];
    const placed = ["--name", "Handbook.csv", "--base", knowledge_base_id];
    const first = await run(["import", path, ...options, ...placed]);
    assert.equal(first.code, 1, "a refused row is told");
    assert.match(first.out, /✖ Handbook\.csv: 1 of 2 rows imported, 1 refused\. Document [\da-f-]{36}\n/);
    assert.match(first.out, /row 4, column 3: the answer is missing \(no_answer\)\n +Fill in the answer/);
    const pair = { question: "When?", answer: "At nine.", keywords: ["Hours?"], tags: ["shop"] };
    assert.deepEqual(await storedPairs(), [pair]);
    const { list } = await agent.client.knowledge.listDocuments({ knowledge_base_id });
    assert.deepEqual(
      list.map(({ name }) => name),
      ["Handbook.csv"],
    );
    const replace = ["--replace", list[0]?.id ?? ""];
    const next = await run(["import", await fileOf("next.csv", rowsOf(2)), ...replace, "--json"]);
    assert.deepEqual([next.code, next.documents()[0]?.doc_id], [0, list[0]?.id]);
    assert.equal((await storedPairs()).length, 2);
  });

  const PAIRS: QaChunk[] = [
    { question: 'Say "yes"?', answer: 'He said, "yes"; and\nleft.\r\nThen: ""', keywords: [] },
    {
      question: "退货政策是什么？",
      answer: "七天内，无理由退货。\n请保留小票。",
      keywords: ["怎么退货", '"退" , 换'],
      tags: ["opening hours", "退货"],
    },
    { question: "=SUM(1)", answer: "a\tb|c;d", keywords: ["plus", "=1+1", "'"] },
    { question: "Is <b>this</b> bold &amp; red?", answer: "<p>No.</p>", keywords: ["<i>so</i>"] },
    { question: "sep=;", answer: '"', keywords: ["🚂", "question"], tags: ["html"] },
  ];

  async function agentWithPairs(pairs: QaChunk[]): Promise<string> {
    agent = await makeAgent(bed, { webhook: false });
    const qaList = [{ question: "x", answer: "y" }];
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "All", qaList });
    const doc_id = doc[0]?.doc_id ?? "";
    await agent.client.knowledge.addPairs({ doc_id, chunks: pairs, replace: true });
    return doc_id;
  }

  it("an export as CSV is imported as the same pairs, with alternates and tags", async () => {
    const doc_id = await agentWithPairs(PAIRS);
    const csv = await fileOf("exported.csv", (await run(["export", doc_id])).out);
    agent = await makeAgent(bed, { webhook: false });
    assert.equal((await run(["import", csv])).code, 0);
    assert.deepEqual(await storedPairs(), PAIRS);
  });

  it("an export as JSON is restored document by document, and nothing is lost", async () => {
    const pairs = [...PAIRS, { question: "Lines?", answer: "Two.", keywords: ["one\ntwo"] }];
    const doc_id = await agentWithPairs(pairs);
    const { knowledge_base_id } = await agent.client.knowledge.createBase({ name: "Other" });
    const E = { question: "E?", answer: "e", keywords: [], tags: ["shop"] };
    const made = await agent.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "Else.pdf",
      knowledge_base_id,
      qaList: [E],
    });
    const chunks = { doc_id: made.doc[0]?.doc_id ?? "", chunks: [E], replace: true };
    await agent.client.knowledge.addPairs(chunks);
    const { documents } = JSON.parse((await run(["export", doc_id, "--json"])).out) as {
      documents: object[];
    };
    assert.deepEqual(documents, [
      { doc_id, doc_name: "All", knowledge_base_id: agent.knowledgeBaseId, pairs },
    ]);
    assert.match((await run(["export", "--base", knowledge_base_id])).out, /\nE\?,e,,shop\n$/);
    const byKey = await fileOf("whole.json", (await run(["export", "--json"])).out);
    const { agentId: agent_id } = agent;
    const exported = await operatorOf(bed).pairs.export({ agent_id, format: "json" });
    const byOperator = await fileOf("service.json", await exported.text());
    for (const backup of [byKey, byOperator]) {
      agent = await makeAgent(bed, { webhook: false });
      const { code, out, error } = await run(["import", backup]);
      assert.equal(code, 0, out + error);
      assert.deepEqual(byQuestion(await storedPairs()), byQuestion([...pairs, E]));
      const { list } = await agent.client.knowledge.listDocuments();
      assert.deepEqual(list.map(({ name }) => name).toSorted(), ["All", "Else.pdf"]);
    }
    await agent.client.knowledge.addPairs({ doc_id: await idOf("All"), chunks: [E], replace: true });
    assert.equal((await run(["import", byKey, "--update"])).code, 0);
    assert.deepEqual(byQuestion(await storedPairs()), byQuestion([...pairs, E]));
  });

  const byQuestion = (pairs: QaChunk[]) =>
    pairs.toSorted((one, other) => (one.question < other.question ? -1 : 1));

  async function idOf(wanted: string): Promise<string> {
    const { list } = await agent.client.knowledge.listDocuments();
    return list.find(({ name }) => name === wanted)?.id ?? "";
  }

  it("a document of the same name stays as it is without --update, and a corrected file takes the place of a failed one", async () => {
    agent = await makeAgent(bed, { webhook: false });
    const path = await fileOf("faq.csv", "question,answer\nWhen?,\nWhere?,\n");
    const failed = await run(["import", path, "--json"]);
    assert.deepEqual([failed.code, failed.documents()[0]?.cause], [1, "no_pairs"]);
    await fileOf("faq.csv", rowsOf(3));
    const [first] = (await run(["import", path, "--json"])).documents();
    assert.deepEqual([first?.doc_id, first?.pairs], [failed.documents()[0]?.doc_id, 3]);
    await fileOf("faq.csv", `${rowsOf(4, "no")}Wrong?,\n`);
    const taken = await run(["import", path]);
    assert.equal(taken.code, 1);
    assert.match(taken.error, /"faq\.csv" is there already, as document .*--update/);
    assert.equal((await storedPairs()).length, 3);
    const updated = await run(["import", path, "--update", "--json"]);
    const [file] = updated.documents();
    assert.deepEqual([updated.code, file?.pairs, file?.rejected], [1, 4, 1], "a refused row is told");
    assert.equal(file?.doc_id, first?.doc_id);
    assert.deepEqual(new Set((await storedPairs()).map(({ answer }) => answer)), new Set(["no"]));
    const qaList = [{ question: "Who?", answer: "We." }];
    await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "faq.csv", qaList });
    const unclear = await run(["import", path, "--update"]);
    assert.equal(unclear.code, 1);
    assert.match(unclear.error, /More than one document is named "faq\.csv": .*--replace ID/);
  });

  it("a lost answer neither doubles nor loses a row of an import", async () => {
    agent = await makeAgent(bed, { webhook: false });
    const path = await fileOf("large.csv", rowsOf(11_000));
    const line = await startLine((post) => (post === 1 ? "answer lost" : "answered"));
    const { code, documents, error } = await run(["import", path, "--json"], line);
    assert.equal(code, 0, error);
    assert.deepEqual([documents()[0]?.pairs, documents()[0]?.revision], [11_000, 1]);
    const questions = (await storedPairs()).map(({ question }) => question);
    assert.deepEqual([questions.length, new Set(questions).size], [11_000, 11_000]);
    assert.equal(questions[10_999], "Question 10999?");
    assert.equal((await agent.client.knowledge.listDocuments()).list.length, 1);
  });

  it("an import that does not arrive leaves the old content whole, and the exit code says so", async () => {
    agent = await makeAgent(bed, { webhook: false });
    const path = await fileOf("away.csv", rowsOf(30, "old"));
    assert.equal((await run(["import", path])).code, 0);
    await fileOf("away.csv", rowsOf(40));
    const line = await startLine(() => "away");
    assert.equal((await run(["import", path, "--update"], line)).code, 3);
    assert.deepEqual(
      (await storedPairs()).map(({ answer }) => answer),
      Array.from({ length: 30 }, () => "old"),
    );
  });

  it("an operator without an API key imports in parts, into the agent named", async () => {
    agent = await makeAgent(bed, { webhook: false });
    const path = await fileOf("large.csv", rowsOf(30_000));
    const operator = { SIGNALBOX_OPERATOR_TOKEN: bed.operatorToken };
    const words = ["import", path, "--agent", agent.agentId];
    const { code, out, error } = await run(words, bed.baseUrl, operator);
    assert.equal(code, 0, out + error);
    assert.match(out, /✔ large\.csv: 30000 of 30000 rows imported\. Document/);
    const again = await run(words, bed.baseUrl, { ...operator, SIGNALBOX_API_KEY: agent.apiKey });
    assert.match(again.error, /"large\.csv" is there already/);
    assert.equal((await run([...words, "--update"], bed.baseUrl, operator)).code, 0);
    assert.equal((await storedPairs()).length, 30_000);
  });
});
