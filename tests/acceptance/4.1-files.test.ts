import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { DocumentDetail } from "@signalbox/contract";
import { makeAgent, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { ENCODED_FILES } from "../support/encoded-files.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { workbookOf } from "../support/office-files.ts";
import { eventually } from "../support/processes.ts";
import { atMost } from "../support/machine.ts";

describe("4.1 add QA from files", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let files: FileServer;
  let agent: MadeAgent;

  before(async () => {
    files = open.use(await startFileServer());
    bed = open.use(
      await openBed({
        apis: 2,
        workers: 1,
        environment: { IMPORT_ANSWER_SECONDS: "20", IMPORT_FILE_MEGABYTES: "5" },
      }),
    );
    agent = await makeAgent(bed, { webhook: false });
  });
  after(() => open.disposeAsync());

  const file = (name: string, content: string) => ({
    file_url: files.put(name, { bytes: content }),
    file_name: name,
  });

  /** What readers see of a document, in its order. */
  async function pairsOf(documentId: string): Promise<{ question: string; answer: string }[]> {
    return bed.database.query(
      `select p.question, p.answer from qa_pair p join document d on d.id = p.document_id and d.current_revision = p.revision
       where d.id = $1 order by p.ordinal`,
      [documentId],
    );
  }

  async function detailOf(documentId: string): Promise<DocumentDetail> {
    const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [documentId] });
    assert.ok(detail !== undefined);
    return detail;
  }

  /** A call answers after 20 s whatever is still at work: on a busy machine some of twenty files may be. */
  async function settled(data_ids: string[]): Promise<void> {
    await eventually(
      "every file is stored or refused",
      async () => {
        const details = await agent.client.knowledge.getDocuments({ data_ids });
        return details.every(({ data_status }) => data_status === "AVAILABLE" || data_status === "FAILED");
      },
      { timeoutMs: 60_000 },
    );
  }

  it("4.1 rule 2: reads every encoding, byte order mark and delimiter that files are saved with", async () => {
    const wrong: string[] = [];
    let read = 0;
    for (let from = 0; from < ENCODED_FILES.length; from += 20) {
      const batch = ENCODED_FILES.slice(from, from + 20);
      const { doc, failed } = await agent.client.knowledge.add({
        purpose: "QA_FILE",
        files: batch.map(({ name, bytes }) => ({ file_url: files.put(name, { bytes }), file_name: name })),
      });
      assert.deepEqual(failed, []);
      await settled(doc.map(({ doc_id }) => doc_id));
      for (const [index, { doc_id, doc_name }] of doc.entries()) {
        const expected = batch[index];
        assert.equal(doc_name, expected?.name);
        const pairs = await pairsOf(doc_id);
        const detail = await detailOf(doc_id);
        if (JSON.stringify(pairs) !== JSON.stringify(expected?.pairs))
          wrong.push(`${doc_name}: ${JSON.stringify(pairs)}`);
        if (detail.last_import?.delimiter !== expected?.delimiter)
          wrong.push(`${doc_name}: delimiter ${JSON.stringify(detail.last_import?.delimiter)}`);
        read += 1;
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(read >= 18, `${read} encodings`);
  });

  it("4.1 rule 2: a file that fails does so alone, is named, and its reason is behind the header", async () => {
    const three = 3 * 1024 ** 3;
    const served = {
      "good.csv": files.put("good.csv", { bytes: "question,answer\nWhere?,Here.\n" }),
      "missing.csv": `${files.url}/nowhere.csv`,
      "reset.csv": files.put("reset.csv", { resetAfter: "question,answer\nWhere?,Here.\n" }),
      "huge.csv": files.put("huge.csv", { announced: three }),
      "endless.csv": files.put("endless.csv", { endless: true }),
      "picture.csv": files.put("picture.csv", {
        bytes: Buffer.from("89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489", "hex"),
      }),
      "unclosed.csv": files.put("unclosed.csv", { bytes: 'question,answer\nWhere?,"Here\nand there\n' }),
      "empty.csv": files.put("empty.csv", { bytes: "" }),
      "header.csv": files.put("header.csv", { bytes: "question,answer\n" }),
      "nobody.csv": "http://127.0.0.1:9/nobody.csv",
      "metadata.csv": "http://169.254.169.254/latest/meta-data",
      "redirected.csv": files.put("redirected.csv", { redirect: "http://169.254.169.254/latest" }),
      "also good.csv": files.put("also good.csv", { bytes: "问题;答案\r\n在哪里？;这里。\r\n" }),
    };
    const names = Object.keys(served);
    const before = files.sentBytes();
    const { reply, headers } = await agent.client.knowledge
      .add({
        purpose: "QA_FILE",
        files: Object.entries(served).map(([file_name, file_url]) => ({ file_name, file_url })),
      })
      .withResponse();
    assert.deepEqual(
      reply.doc.map(({ doc_name }) => doc_name),
      ["good.csv", "also good.csv"],
    );
    assert.deepEqual(
      reply.failed,
      names.filter((name) => !name.endsWith("good.csv")),
    );
    assert.ok(files.sentBytes() - before < 100 * 1024 ** 2, "what is too large is not read to its end");

    const details = await agent.client.knowledge.getDocuments({
      import_id: headers.get("signalbox-import") ?? "",
    });
    const causes = Object.fromEntries(
      details.map(({ doc_name, last_import }) => [doc_name, last_import?.cause]),
    );
    assert.deepEqual(causes, {
      "good.csv": null,
      "missing.csv": "http_status",
      "reset.csv": "connection_lost",
      "huge.csv": "too_large",
      "endless.csv": "too_large",
      "picture.csv": "wrong_type",
      "unclosed.csv": "unclosed_quote",
      "empty.csv": "empty",
      "header.csv": "no_rows",
      "nobody.csv": "unreachable",
      "metadata.csv": "unreachable",
      "redirected.csv": "unreachable",
      "also good.csv": null,
    });
    assert.equal(details.find(({ doc_name }) => doc_name === "unclosed.csv")?.last_import?.line, 2);
    for (const { doc_name, data_status, pairs } of details) {
      const isGood = doc_name.endsWith("good.csv");
      assert.deepEqual([data_status, pairs], isGood ? ["AVAILABLE", 1] : ["FAILED", 0], doc_name);
    }
  });

  it("4.1 accounts for every row: pairs, rejected rows with their lines, duplicates and blank rows", async () => {
    const rows = [
      "question,answer",
      "Where?,Here.",
      "Where?,Here.",
      "WHERE ?,There.",
      ",",
      "Nothing follows,",
      `Too long,${"x".repeat(25_001)}`,
      '"In ""quotes""\nand two lines","Yes."',
    ];
    const { doc } = await agent.client.knowledge.add({
      purpose: "QA_FILE",
      files: [file("rows.csv", rows.join("\n"))],
    });
    const { last_import } = await detailOf(doc[0]?.doc_id ?? "");
    const { rows_read, pairs, rejected, duplicates, blank, conflicts, problems } = last_import ?? {};
    assert.deepEqual(
      { rows_read, pairs, rejected, duplicates, blank, conflicts },
      { rows_read: 7, pairs: 3, rejected: 2, duplicates: 1, blank: 1, conflicts: 1 },
    );
    const rejections = problems?.filter(({ cause }) => cause !== "conflict");
    assert.deepEqual(
      rejections?.map(({ line, cause }) => [line, cause]),
      [
        [6, "no_answer"],
        [7, "answer_too_long"],
      ],
    );
    assert.deepEqual(
      (await pairsOf(doc[0]?.doc_id ?? "")).map(({ question }) => question),
      ["Where?", "WHERE ?", 'In "quotes"\nand two lines'],
    );
  });

  it("4.1 reads header_row as the number of header rows and a one-character splitter as the delimiter", async () => {
    const [named, skipped, data, piped] = (
      await Promise.all([
        agent.client.knowledge.add({
          purpose: "QA_FILE",
          files: [file("named.csv", "Answer,Question\nHere.,Where?\n")],
        }),
        agent.client.knowledge.add({
          purpose: "QA_FILE",
          header_row: 2,
          files: [file("two.csv", "Our list,\nanswer,question\nHere.,Where?\n")],
        }),
        agent.client.knowledge.add({
          purpose: "QA_FILE",
          header_row: 0,
          files: [file("none.csv", "question,answer\nWhere?,Here.\n")],
        }),
        agent.client.knowledge.add({
          purpose: "QA_FILE",
          splitter: "~",
          files: [file("tilde.csv", "Where, when?~Here, now.\n")],
        }),
      ])
    ).map(({ doc }) => doc[0]?.doc_id ?? "");
    assert.deepEqual(await pairsOf(named ?? ""), [{ question: "Where?", answer: "Here." }]);
    assert.deepEqual(await pairsOf(skipped ?? ""), [{ question: "Where?", answer: "Here." }]);
    assert.equal((await pairsOf(data ?? "")).length, 2);
    assert.deepEqual(await pairsOf(piped ?? ""), [{ question: "Where, when?", answer: "Here, now." }]);
  });

  it("4.1 ignores a splitter that cannot be a delimiter for QA_FILE, and its report says so", async () => {
    const splitters = ["\n", "###", ";"];
    const replies = await Promise.all(
      splitters.map((splitter, index) =>
        agent.client.knowledge.add({
          purpose: "QA_FILE",
          splitter,
          files: [file(`split-${index}.csv`, "question,answer\nWhere?,Here.\n")],
        }),
      ),
    );
    for (const { doc, failed } of replies) {
      assert.deepEqual(failed, []);
      const id = doc[0]?.doc_id ?? "";
      assert.deepEqual(await pairsOf(id), [{ question: "Where?", answer: "Here." }]);
      const { last_import } = await detailOf(id);
      assert.deepEqual(
        [last_import?.delimiter, last_import?.problems.map(({ cause }) => cause)],
        [",", ["splitter_ignored"]],
      );
    }
  });

  it("4.1 finds a header below a title without header_row, and refuses one below a pair with its line", async () => {
    const titled = workbookOf({
      FAQ: [
        ["Our FAQ", ""],
        ["Answer", "Question"],
        ["Here.", "Where?"],
      ],
    });
    const { reply, headers } = await agent.client.knowledge
      .add({
        purpose: "QA_FILE",
        files: [
          file("titled.csv", "Our FAQ,\nAnswer,Question\nHere.,Where?\n"),
          { file_url: files.put("titled.xlsx", { bytes: titled }), file_name: "titled.xlsx" },
          file("below.csv", "When?,Now.\nAnswer,Question\nHere.,Where?\n"),
        ],
      })
      .withResponse();
    assert.deepEqual(reply.failed, ["below.csv"]);
    for (const { doc_id, doc_name } of reply.doc)
      assert.deepEqual(await pairsOf(doc_id), [{ question: "Where?", answer: "Here." }], doc_name);
    const import_id = headers.get("signalbox-import") ?? "";
    const below = (await agent.client.knowledge.getDocuments({ import_id })).find(
      ({ doc_name }) => doc_name === "below.csv",
    );
    assert.deepEqual([below?.last_import?.cause, below?.last_import?.line], ["header_not_first", 2]);
  });

  it("4.1 accepts either URL field and workbooks, and answers from them", async () => {
    const workbook = workbookOf({
      Pairs: [
        ["Question", "Answer"],
        ["Is there a workbook?", "There is."],
      ],
    });
    const { doc, failed } = await agent.client.knowledge.add({
      purpose: "QA_FILE",
      files: [{ source_url: files.put("book.xlsx", { bytes: workbook }), file_name: "book.xlsx" }],
    });
    assert.deepEqual(failed, []);
    const { list } = await agent.client.knowledge.search({
      prompt: "is there a workbook",
      data_ids: [doc[0]?.doc_id ?? ""],
    });
    assert.deepEqual([list[0]?.answer, list[0]?.score], ["There is.", 1]);
  });

  it("4.1 rule 3: converts a document into pairs in its own words when no model is configured", async () => {
    const page = `<h1>Desk</h1><h2>How do I reach you?</h2><p>By telephone, all day.</p><h2>Returns</h2><p>Within a month.</p>`;
    const markdown = "# Manual\n\nSome words before anything.\n\n## What is it for?\n\nFor cutting wood.\n";
    const { doc, failed } = await agent.client.knowledge.add({
      purpose: "FILE_2_QA",
      files: [
        { source_url: files.put("desk.html", { bytes: page, type: "text/html" }), file_name: "desk.html" },
        {
          source_url: files.put("manual.md", { bytes: markdown, type: "text/plain" }),
          file_name: "manual.md",
        },
        { source_url: `${files.url}/gone.pdf`, file_name: "gone.pdf" },
      ],
    });
    assert.deepEqual(failed, ["gone.pdf"]);
    const [html = [], md = []] = await Promise.all(doc.map(({ doc_id }) => pairsOf(doc_id)));
    const asked = html.find(({ question }) => question === "How do I reach you?");
    assert.equal(asked?.answer, "By telephone, all day.");
    assert.ok(html.some(({ question, answer }) => /Returns/.test(question) && /Within a month/.test(answer)));
    assert.ok(
      md.some(({ question, answer }) => question === "What is it for?" && answer === "For cutting wood."),
    );
    const origins = await bed.database.query<{ origin: string }>(
      "select distinct origin from qa_pair where document_id = any($1::uuid[]) order by 1",
      [doc.map(({ doc_id }) => doc_id)],
    );
    assert.ok(origins.every(({ origin }) => origin !== "model"));
  });

  it("4.1 uses the default or the given knowledge base for files, and refuses an unknown one", async () => {
    const { knowledge_base_id } = await agent.client.knowledge.createBase({
      name: "Other",
      desc: "For files",
    });
    const request = { purpose: "QA_FILE" as const, files: [file("base.csv", "Where?,Here.\n")] };
    const [first, second] = [
      await agent.client.knowledge.add(request),
      await agent.client.knowledge.add({ ...request, knowledge_base_id }),
    ].map(({ doc }) => doc[0]?.doc_id ?? "");
    assert.equal((await detailOf(first ?? "")).knowledge_base_id, agent.knowledgeBaseId);
    assert.equal((await detailOf(second ?? "")).knowledge_base_id, knowledge_base_id);
    const refused = await refusal(
      agent.client.knowledge.add({ ...request, knowledge_base_id: "0199f3a2-6c1e-7b44-9d0a-000000000001" }),
    );
    assert.deepEqual([refused.status, refused.code], [400, 40000]);
  });

  it("4.1 rule 4: accepts 20 files, and refuses 21 or a file without its fields as a parameter error", async () => {
    const one = file("small.csv", "Where?,Here.\n");
    const twenty = await agent.client.knowledge.add({
      purpose: "QA_FILE",
      files: Array.from({ length: 20 }, () => one),
    });
    assert.deepEqual([twenty.doc.length, twenty.failed.length], [20, 0]);
    await settled(twenty.doc.map(({ doc_id }) => doc_id));
    const refusals = await Promise.all(
      [
        { purpose: "QA_FILE", files: Array.from({ length: 21 }, () => one) },
        { purpose: "QA_FILE", files: [{ file_name: "a.csv" }] },
        { purpose: "FILE_2_QA", files: [{ source_url: one.file_url }] },
        { purpose: "QA_FILE", files: [one], chunk_token: 0 },
        { purpose: "QA_FILE", files: [one], header_row: -1 },
      ].map((body) => refusal(agent.client.knowledge.add(body as never))),
    );
    for (const { status, code } of refusals) assert.deepEqual([status, code], [400, 40000]);
  });

  it("4.1 adds files once per Idempotency-Key, also while the first call still waits", async () => {
    const slow = files.put("slow.csv", { bytes: "Where?,Here.\n", delayMs: 1_500 });
    const call = () =>
      agent.client.knowledge.add(
        { purpose: "QA_FILE", files: [{ file_url: slow, file_name: "slow.csv" }] },
        { idempotencyKey: "import-of-slow" },
      );
    const replies = await Promise.all([call(), call(), call()]);
    assert.equal(new Set(replies.map((reply) => JSON.stringify(reply))).size, 1);
    assert.deepEqual(await call(), replies[0]);
    assert.equal(files.asked.get("/slow.csv"), 1);
  });
});

describe("4.1 call that waits too long", () => {
  const open = new AsyncDisposableStack();
  let files: FileServer;
  let agent: MadeAgent;

  before(async () => {
    files = open.use(await startFileServer());
    const bed = open.use(await openBed({ apis: 1, workers: 1, environment: { IMPORT_ANSWER_SECONDS: "1" } }));
    agent = await makeAgent(bed, { webhook: false });
  });
  after(() => open.disposeAsync());

  it("4.1 lists a file still in progress among the documents, whose state tells when it is done", async () => {
    const url = files.put("late.csv", { bytes: "Where?,Here.\n", delayMs: 2_500 });
    const began = performance.now();
    const { doc, failed } = await agent.client.knowledge.add({
      purpose: "QA_FILE",
      files: [{ file_url: url, file_name: "late.csv" }],
    });
    atMost(performance.now() - began, 2_400, "the answer before the file has arrived");
    assert.deepEqual([doc.length, failed], [1, []]);
    const data_ids = [doc[0]?.doc_id ?? ""];
    const [early] = await agent.client.knowledge.getDocuments({ data_ids });
    assert.ok(early?.data_status === "PROCESSING" || early?.data_status === "PENDING");
    await eventually("it is available", async () => {
      const [now] = await agent.client.knowledge.getDocuments({ data_ids });
      return now?.data_status === "AVAILABLE" && now.pairs === 1;
    });
  });
});
