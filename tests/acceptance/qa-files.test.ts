import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { QaChunk } from "@signalbox/contract";
import { type MadeAgent, makeAgent } from "@signalbox/tests/support/agents.ts";
import { type Bed, openBed } from "@signalbox/tests/support/bed.ts";
import { bundleProgram, type BundledProgram } from "@signalbox/tests/support/bundled-program.ts";
import { workbookOf } from "@signalbox/tests/support/office-files.ts";

const SOURCE = join(import.meta.dirname, "../../packages/cli/src/main.ts");

type ImportedFile = {
  pairs: number;
  rejected: number;
  failure: { cause: string } | null;
  documents: { doc_id: string | null; name: string; stored: number }[];
};
type Ran = { code: number; out: string; files: () => ImportedFile[] };

/** What becomes of the answer to a request: it is handed on, or lost, or the request never arrives. */
type Fate = "answered" | "answer lost" | "away";

describe("signalbox qa against a running service", () => {
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

  function run(words: string[], url = bed.baseUrl): Promise<Ran> {
    const env = { PATH: process.env["PATH"], SIGNALBOX_URL: url, SIGNALBOX_API_KEY: agent.apiKey };
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [program.path, "qa", ...words],
        { env, maxBuffer: 100_000_000 },
        (failure, out, error) => {
          assert.equal(error.includes("at "), false, error);
          const files = () => (JSON.parse(out) as { files: ImportedFile[] }).files;
          resolve({ code: failure === null ? 0 : Number(failure.code), out, files });
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

  it("qa import reads CSV and workbooks from disk, and the agent answers from them", async () => {
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
    const { code, files } = await run(["import", csv, book, "--json"]);
    assert.equal(code, 0);
    assert.deepEqual(
      files().map(({ documents }) => documents.map(({ name, stored }) => [name, stored])),
      [[["hours.csv", 1]], [["prices.xlsx", 1]]],
    );
    const answer = async (prompt: string) => (await agent.client.matchKnowledge({ prompt })).list[0]?.answer;
    assert.deepEqual(
      [await answer("几点开门？"), await answer("营业时间"), await answer("How much?")],
      ["九点。", "九点。", "Ten."],
    );
    const dry = await run(["import", csv, "--dry-run", "--replace"]);
    assert.equal(dry.code, 0);
    assert.equal((await storedPairs()).length, 2);
  });

  it("qa export returns what was imported, and importing it again gives the same pairs", async () => {
    agent = await makeAgent(bed, { webhook: false });
    const pairs: QaChunk[] = [
      { question: 'Say "yes"?', answer: 'He said, "yes"; and\nleft.\r\nThen: ""', keywords: [] },
      {
        question: "退货政策是什么？",
        answer: "七天内，无理由退货。\n请保留小票。",
        keywords: ["怎么退货", '"退" , 换'],
      },
      { question: "=SUM(1)", answer: "a\tb|c;d", keywords: ["plus"] },
    ];
    const { doc } = await agent.client.addQa({
      purpose: "QA_TEXT",
      name: "All",
      qaList: [{ question: "x", answer: "y" }],
    });
    const doc_id = doc[0]?.doc_id ?? "";
    await agent.client.addQaChunks({ doc_id, chunks: pairs, replace: true });
    const { knowledge_base_id } = await agent.client.createKnowledgeBase({ name: "Other" });
    await agent.client.addQa({
      purpose: "QA_TEXT",
      name: "Else",
      knowledge_base_id,
      qaList: [{ question: "E?", answer: "e" }],
    });
    const csv = await fileOf("exported.csv", (await run(["export", doc_id])).out);
    const { documents } = JSON.parse((await run(["export", doc_id, "--json"])).out) as {
      documents: object[];
    };
    assert.deepEqual(documents, [
      { doc_id, doc_name: "All", knowledge_base_id: agent.knowledgeBaseId, pairs },
    ]);
    const whole = (await run(["export", "--json"])).out;
    assert.match((await run(["export", "--base", knowledge_base_id])).out, /\nE\?,e,,\n$/);

    agent = await makeAgent(bed, { webhook: false });
    assert.equal((await run(["import", csv])).code, 0);
    assert.deepEqual(await storedPairs(), pairs);

    agent = await makeAgent(bed, { webhook: false });
    assert.equal((await run(["import", await fileOf("whole.json", whole)])).code, 0);
    assert.deepEqual(await storedPairs(), [...pairs, { question: "E?", answer: "e", keywords: [] }]);
    const { list } = await agent.client.listDocuments();
    assert.deepEqual(list.map(({ name }) => name).toSorted(), ["All", "Else"]);
  });

  it("qa import leaves a document of the same name alone unless told to replace it", async () => {
    agent = await makeAgent(bed, { webhook: false });
    const path = await fileOf("faq.csv", rowsOf(3));
    const [first] = (await run(["import", path, "--json"])).files();
    await fileOf("faq.csv", `${rowsOf(4, "no")}Wrong?,\n`);
    const taken = await run(["import", path, "--json"]);
    assert.deepEqual([taken.code, taken.files()[0]?.failure?.cause], [1, "name_taken"]);
    assert.equal((await storedPairs()).length, 3);
    const replaced = await run(["import", path, "--replace", "--json"]);
    const [file] = replaced.files();
    assert.deepEqual([replaced.code, file?.pairs, file?.rejected], [1, 4, 1], "a rejected row is told");
    assert.equal(file?.documents[0]?.doc_id, first?.documents[0]?.doc_id);
    assert.deepEqual(new Set((await storedPairs()).map(({ answer }) => answer)), new Set(["no"]));
  });

  it("qa import sends a large file in parts, and a lost answer neither doubles nor loses a row", async () => {
    agent = await makeAgent(bed, { webhook: false });
    const path = await fileOf("large.csv", rowsOf(11_000));
    const line = await startLine((post) => (post % 2 === 1 ? "answer lost" : "answered"));
    const { code, files } = await run(["import", path, "--json"], line);
    assert.deepEqual([code, files()[0]?.documents[0]?.stored], [0, 11_000]);
    const questions = (await storedPairs()).map(({ question }) => question);
    assert.deepEqual([questions.length, new Set(questions).size], [11_000, 11_000]);
    assert.equal(questions[10_999], "Question 10999?");
  });

  it("qa import says how many pairs were stored when the service goes away, and replacing completes them", async () => {
    agent = await makeAgent(bed, { webhook: false });
    const path = await fileOf("large.csv", rowsOf(10_500));
    const old = (
      await run(["import", await fileOf("old.csv", rowsOf(30, "old")), "--name", "large.csv", "--json"])
    ).files();
    const line = await startLine((post) => (post === 1 ? "answered" : "away"));
    const broken = await run(["import", path, "--replace", "--json"], line);
    const [file] = broken.files();
    assert.deepEqual(
      [broken.code, file?.failure?.cause, file?.documents[0]?.stored],
      [3, "unanswered", 10_000],
    );
    assert.equal(
      (await storedPairs()).filter(({ answer }) => answer === "old").length,
      30,
      "the old one is still whole",
    );
    assert.equal((await run(["import", path, "--replace"])).code, 0);
    const answers = (await storedPairs()).map(({ answer }) => answer);
    assert.deepEqual([answers.length, new Set(answers)], [10_500, new Set(["yes"])]);
    const { list } = await agent.client.listDocuments();
    assert.equal(list.length, 1);
    assert.notEqual(list[0]?.id, old[0]?.documents[0]?.doc_id);
  });
});
