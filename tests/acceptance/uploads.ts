import assert from "node:assert/strict";
import type { DocumentRevision, Pair, Upload } from "@signalbox/contract";
import { makeAgent, operatorOf, refusal, type MadeAgent } from "../support/agents.ts";
import type { Bed } from "../support/bed.ts";
import { workbookOf } from "../support/office-files.ts";
import { withClient } from "../support/postgres.ts";
import { eventually } from "../support/processes.ts";

const HOURS = { question: "When do you open?", answer: "At nine." };
const RETURNS = { question: "How do I return a parcel?", answer: "With the label in the box." };

/** Two title lines, then a header that names no column we know, and rows of every kind. */
const SHEET = workbookOf({
  FAQ: [
    ["Support handbook", "", ""],
    ["Updated in November", "", ""],
    ["Topic", "Customer asks", "We say"],
    ["hours", HOURS.question, "At ten."],
    ["returns", RETURNS.question, RETURNS.answer],
    ["lift", "Is there a lift?", ""],
    ["discount", "How large is the discount?", 0.15],
    ["parking", "Where can I park?", "TODO"],
    ["parking", "Where can I park?", "TODO"],
  ],
});
const COLUMNS = { question: 2, answer: 3, alternates: [] };

type AddTest = (title: string, run: () => Promise<void>) => void;

/** Files that are brought from a disk, against a bed that is there. */
export function uploadTests(it: AddTest, bed: () => Bed): void {
  const operator = () => operatorOf(bed());

  async function uploaded(agent: MadeAgent, file_name: string, content: Buffer | string): Promise<Upload> {
    const bytes = Buffer.from(content);
    const place = { agent_id: agent.agentId, file_name, size_bytes: bytes.length };
    const { upload_id } = await operator().uploads.create(place);
    const data = bytes.toString("base64");
    return operator().uploads.addPart({ agent_id: agent.agentId, upload_id, offset: 0, data });
  }
  const preview = async (agent: MadeAgent, { upload_id }: Upload, reading: object = {}) => {
    const named = { agent_id: agent.agentId, upload_id };
    const asked = await operator().uploads.preview({ ...named, ...reading });
    if (asked.preview !== null) return asked.preview;
    return eventually("it is read", async () => (await operator().uploads.get(named)).preview ?? undefined);
  };
  const imported = async (agent: MadeAgent, { upload_id }: Upload, reading: object = {}) => {
    const { agentId: agent_id } = agent;
    const begun = await operator().uploads.import({ agent_id, upload_id, ...reading });
    return eventually("it has ended", async () => {
      const { list } = await operator().documents.listRevisions({ agent_id, doc_id: begun.doc_id });
      const seen = list.find(({ revision }) => revision === begun.revision);
      return seen?.state === "waiting" || seen?.state === "working" ? undefined : seen;
    });
  };
  const questionsOf = async ({ agentId: agent_id }: MadeAgent, { doc_id }: DocumentRevision) =>
    (await operator().pairs.list({ agent_id, doc_id })).list.map(({ question }) => question);

  it("a preview of a workbook shows problems by row and column and contradictions with the base", async () => {
    const agent = await makeAgent(bed(), { webhook: false, qaList: [HOURS, RETURNS] });
    const upload = await uploaded(agent, "faq.xlsx", SHEET);
    const found = await preview(agent, upload);
    assert.deepEqual(
      found.rows.slice(0, 3).map(({ line, cells }) => [line, cells[1]]),
      [
        [1, ""],
        [2, ""],
        [3, "Customer asks"],
      ],
    );
    const chosen = await preview(agent, upload, { header_rows: 3, columns: COLUMNS });
    assert.partialDeepStrictEqual(chosen, {
      reads_as: "pairs",
      failure: null,
      encoding: "xlsx",
      header_rows: 3,
      columns: COLUMNS,
      rows_read: 6,
      pairs: 4,
      rejected: 1,
      duplicates: 1,
      first_pairs: [{ question: HOURS.question, answer: "At ten." }],
    });
    assert.deepEqual(
      chosen.problems.map(({ line, column, cause }) => [line, column, cause]),
      [
        [4, 1, "ignored_column"],
        [6, 3, "no_answer"],
        [7, 3, "bare_fraction"],
        [8, 3, "placeholder"],
        [9, 3, "placeholder"],
      ],
    );
    const { same, contradictions, examples } = chosen.existing;
    assert.deepEqual([same, contradictions], [1, 1]);
    assert.partialDeepStrictEqual(examples, [
      { line: 4, question: HOURS.question, answer: "At ten.", existing_answer: HOURS.answer },
    ]);
    const { list } = await operator().pairs.list({ agent_id: agent.agentId });
    assert.equal(list.length, 2, "a preview stores no pair");
  });

  it("a previewed upload becomes a new document with its author and refused rows", async () => {
    const agent = await makeAgent(bed(), { webhook: false });
    const upload = await uploaded(agent, "faq.xlsx", SHEET);
    const ended = await imported(agent, upload, { header_rows: 3, columns: COLUMNS });
    assert.partialDeepStrictEqual(ended, { change: "import", state: "current", pairs: 4, rejected: 1 });
    assert.equal(ended.file_name, "faq.xlsx");
    assert.equal(ended.author?.actor, "bootstrap_token");
    assert.deepEqual(await questionsOf(agent, ended), [
      HOURS.question,
      RETURNS.question,
      "How large is the discount?",
      "Where can I park?",
    ]);
    const { agentId: agent_id } = agent;
    const { doc_id, revision } = ended;
    const refused = await operator().documents.listRefusedRows({ agent_id, doc_id, revision });
    assert.deepEqual(
      refused.list.map(({ line, column, cause, cells }) => [line, column, cause, cells]),
      [[6, 3, "no_answer", ["lift", "Is there a lift?", ""]]],
    );
    assert.equal(refused.total, 1);
  });

  it("an upload replaces a document without comparing it to what it replaces", async () => {
    const agent = await makeAgent(bed(), { webhook: false });
    const { doc } = await agent.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "FAQ",
      qaList: [HOURS, RETURNS],
    });
    const doc_id = doc[0]?.doc_id ?? "";
    const upload = await uploaded(agent, "faq.csv", "question,answer\nWhen do you open?,At ten.\n");
    assert.equal((await preview(agent, upload)).existing.contradictions, 1);
    assert.equal((await preview(agent, upload, { doc_id })).existing.contradictions, 0);
    const ended = await imported(agent, upload, { doc_id });
    assert.deepEqual([ended.doc_id, ended.revision], [doc_id, 2]);
    assert.deepEqual(await questionsOf(agent, ended), [HOURS.question]);
  });

  it("an upload in parts resumes after an interruption and refuses parts out of order", async () => {
    const { agentId: agent_id } = await makeAgent(bed(), { webhook: false });
    const text = "question,answer\nWhen?,Now.\n";
    const named = { agent_id, file_name: "a.csv", size_bytes: text.length };
    const { upload_id } = await operator().uploads.create(named);
    const send = (from: number, to: number) =>
      operator().uploads.addPart({
        agent_id,
        upload_id,
        offset: from,
        data: Buffer.from(text.slice(from, to)).toString("base64"),
      });
    const early = await refusal(send(5, 10));
    assert.deepEqual([early.code, /go on at offset 0/.test(early.message)], [40900, true]);
    assert.equal((await send(0, 5)).received_bytes, 5);
    assert.equal((await send(0, 5)).received_bytes, 5, "a part whose answer was lost");
    const unfinished = await refusal(operator().uploads.preview({ agent_id, upload_id }));
    assert.match(unfinished.message, /incomplete: 5 of 27 bytes/);
    assert.equal((await operator().uploads.get({ agent_id, upload_id })).received_bytes, 5);
    assert.equal((await send(5, text.length)).received_bytes, text.length);
    const { preview: seen } = await operator().uploads.preview({ agent_id, upload_id });
    assert.deepEqual([seen?.pairs, seen?.delimiter], [1, ","]);
    await operator().uploads.delete({ agent_id, upload_id });
    assert.equal((await refusal(operator().uploads.get({ agent_id, upload_id }))).code, 40401);
  });

  it("an upload above the size limit is refused before any part is sent", async () => {
    const { agentId: agent_id } = await makeAgent(bed(), { webhook: false });
    const named = { agent_id, file_name: "large.csv", size_bytes: 50 * 1_048_576 + 1 };
    assert.equal((await refusal(operator().uploads.create(named))).code, 41300);
  });

  it("a file that cannot be imported shows why and its first rows, and is read once the header is given", async () => {
    const agent = await makeAgent(bed(), { webhook: false });
    const upload = await uploaded(agent, "a.csv", "When?,Now.\nquestion,answer\nWhere?,Here.\n");
    const found = await preview(agent, upload);
    assert.deepEqual(
      [found.failure?.cause, found.failure?.line, found.rows.length],
      ["header_not_first", 2, 3],
    );
    assert.equal((await preview(agent, upload, { header_rows: 2 })).pairs, 1);
  });

  it("a document that is not a table is previewed and imported", async () => {
    const agent = await makeAgent(bed(), { webhook: false });
    const page =
      "<h1>Shop</h1><h2>When do you open?</h2><p>At nine.</p><h2>Delivery</h2><p>Takes two days.</p>";
    const upload = await uploaded(agent, "shop.html", page);
    const found = await preview(agent, upload);
    assert.deepEqual([found.reads_as, found.failure], ["document", null]);
    assert.partialDeepStrictEqual(found.first_pairs, [HOURS]);
    const ended = await imported(agent, upload);
    assert.equal(ended.state, "current");
    assert.ok((await questionsOf(agent, ended)).includes(HOURS.question));
  });

  const ended = async ({ agentId: agent_id }: MadeAgent, { doc_id, revision }: DocumentRevision) =>
    eventually("it has ended", async () => {
      const { list } = await operator().documents.listRevisions({ agent_id, doc_id });
      const seen = list.find((one) => one.revision === revision);
      return seen?.state === "waiting" || seen?.state === "working" ? undefined : seen;
    });

  it("a document is rolled back to before an import as a new revision, and forward again", async () => {
    const agent = await makeAgent(bed(), { webhook: false });
    const { agentId: agent_id } = agent;
    const { doc } = await agent.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "FAQ",
      qaList: [HOURS, RETURNS],
    });
    const doc_id = doc[0]?.doc_id ?? "";
    const pairsNow = async () =>
      (await operator().pairs.list({ agent_id, doc_id })).list.map(({ question, answer }) => [
        question,
        answer,
      ]);
    const [first] = (await operator().pairs.list({ agent_id, doc_id })).list;
    const edited = { agent_id, pair_id: first?.pair_id ?? "", answer: "At noon." };
    await operator().pairs.update(edited);
    const before = await pairsNow();
    assert.deepEqual(before[0], [HOURS.question, "At noon."]);
    const upload = await uploaded(agent, "new.csv", "question,answer\nWhere?,Here.\n");
    const replaced = await imported(agent, upload, { doc_id });
    assert.deepEqual(await pairsNow(), [["Where?", "Here."]]);

    const restored = await ended(
      agent,
      await operator().documents.restore({ agent_id, doc_id, revision: 1 }),
    );
    assert.partialDeepStrictEqual(restored, { change: "restore", state: "current", pairs: 2 });
    assert.deepEqual(await pairsNow(), before, "with what was edited since it was imported");
    const { list } = await agent.client.knowledge.search({ prompt: HOURS.question, embedding_rate: 0 });
    assert.equal(list[0]?.answer, "At noon.");

    const forward = { agent_id, doc_id, revision: replaced.revision };
    assert.equal((await ended(agent, await operator().documents.restore(forward))).state, "current");
    assert.deepEqual(await pairsNow(), [["Where?", "Here."]]);
    const history = await operator().documents.listRevisions({ agent_id, doc_id });
    assert.deepEqual(
      history.list.map(({ change, state, can_restore, author }) => [
        change,
        state,
        can_restore,
        author?.actor ?? null,
      ]),
      [
        ["restore", "current", false, "bootstrap_token"],
        ["restore", "superseded", true, "bootstrap_token"],
        ["import", "superseded", true, "bootstrap_token"],
        ["edit", "superseded", false, "bootstrap_token"],
        ["import", "superseded", true, "api_key"],
      ],
    );
  });

  it("the first import of a document is rolled back to a document without pairs, and restored", async () => {
    const agent = await makeAgent(bed(), { webhook: false });
    const { agentId: agent_id } = agent;
    const first = await imported(agent, await uploaded(agent, "a.csv", "question,answer\nWhere?,Here.\n"));
    const { doc_id } = first;
    const restore = (revision: number) => operator().documents.restore({ agent_id, doc_id, revision });
    const emptied = await ended(agent, await restore(0));
    assert.partialDeepStrictEqual(emptied, { change: "restore", state: "current", pairs: 0 });
    assert.deepEqual(await questionsOf(agent, first), []);
    assert.deepEqual((await agent.client.knowledge.search({ prompt: "Where?" })).list, []);
    const [document] = (await operator().documents.list({ agent_id })).list;
    assert.deepEqual([document?.doc_id, document?.pairs], [doc_id, 0], "the document stays");
    assert.equal((await refusal(restore(0))).code, 40900, "there is nothing to take back");
    assert.equal((await ended(agent, await restore(first.revision))).pairs, 1);
    assert.deepEqual(await questionsOf(agent, first), ["Where?"]);
    const { list } = await operator().documents.listRevisions({ agent_id, doc_id });
    assert.deepEqual(
      list.map(({ revision, can_restore }) => [revision, can_restore]),
      [
        [3, false],
        [2, false],
        [1, true],
      ],
    );
  });

  it("a swept content is kept for restores, and a revision without content is refused", async () => {
    const agent = await makeAgent(bed(), { webhook: false });
    const { agentId: agent_id } = agent;
    const { doc } = await agent.client.knowledge.add({
      purpose: "QA_TEXT",
      name: "FAQ",
      qaList: [HOURS, RETURNS],
    });
    const doc_id = doc[0]?.doc_id ?? "";
    await agent.client.knowledge.update({ doc_id, qaList: [HOURS] });
    await withClient(bed().database.superuserUrl, async (client) => {
      await client.query("set role signalbox_work");
      await client.query("select signalbox_sweep_revision($1, $2, 1)", [agent_id, doc_id]);
    });
    const [left] = await bed().database.query<{ pairs: number }>(
      `select count(*)::int as pairs from qa_pair where document_id = '${doc_id}' and revision = 1`,
    );
    assert.equal(left?.pairs, 0);
    for (const revision of [2, 7]) {
      const refused = await refusal(operator().documents.restore({ agent_id, doc_id, revision }));
      assert.equal(refused.code, 40900, `revision ${revision}`);
    }
    const begun = await operator().documents.restore({ agent_id, doc_id, revision: 1 });
    assert.equal((await ended(agent, begun)).pairs, 2);
    await agent.client.knowledge.deleteDocuments({ doc: doc_id });
    assert.equal((await refusal(operator().documents.listRevisions({ agent_id, doc_id }))).code, 40401);
  });

  it("the last import of a document is shown also after one of its pairs was edited", async () => {
    const agent = await makeAgent(bed(), { webhook: false });
    const { agentId: agent_id } = agent;
    const text = "question,answer\nWhen?,Now.\nWhere?,\nWho?,We.\n";
    const { doc_id, import_id } = await imported(agent, await uploaded(agent, "a.csv", text));
    const lastImport = async () =>
      (await agent.client.knowledge.getDocuments({ data_ids: doc_id }))[0]?.last_import;
    const before = await lastImport();
    assert.partialDeepStrictEqual(before, { import_id, state: "current", pairs: 2, rejected: 1 });
    const [pair] = (await operator().pairs.list({ agent_id, doc_id })).list;
    await operator().pairs.update({ agent_id, pair_id: pair?.pair_id ?? "", answer: "Soon." });
    await operator().pairs.add({ agent_id, doc_id, question: "Why?", answer: "Because." });
    assert.deepEqual(await lastImport(), before);
  });

  it("exported pairs are the same after an import, as CSV and XLSX, and JSON has every document", async () => {
    const risky = { question: "=cmd|' /C calc'!A0", answer: "-5 °C, or\n@home", alternates: ["+1", "'=x"] };
    const many = Array.from({ length: 700 }, (_, at) => ({
      question: `What is part ${at}?`,
      answer: `No. ${at}`,
    }));
    const agent = await makeAgent(bed(), { webhook: false, qaList: [HOURS, ...many] });
    const { agentId: agent_id } = agent;
    await operator().pairs.add({ agent_id, ...risky });
    const textsOf = async (from: MadeAgent) => {
      const list: Pair[] = [];
      let cursor: string | null | undefined;
      do {
        const page = { agent_id: from.agentId, limit: 100, ...(typeof cursor === "string" && { cursor }) };
        const { list: some, next_cursor } = await operator().pairs.list(page);
        list.push(...some);
        cursor = next_cursor;
      } while (cursor !== null);
      return list.map(({ question, answer, alternates }) => ({ question, answer, alternates }));
    };
    const before = await textsOf(agent);
    assert.equal(before.length, 702);
    for (const format of ["csv", "xlsx"] as const) {
      const call = operator().pairs.export({ agent_id, format });
      const { reply, headers } = await call.withResponse();
      assert.match(
        headers.get("content-disposition") ?? "",
        new RegExp(`attachment; filename="pairs-.+[.]${format}"`),
      );
      const bytes = Buffer.from(await reply.arrayBuffer());
      if (format === "csv") assert.match(bytes.toString(), /\r\n'=cmd/, "no cell is a formula");
      const other = await makeAgent(bed(), { webhook: false });
      const ended = await imported(other, await uploaded(other, `pairs.${format}`, bytes));
      assert.partialDeepStrictEqual(ended, { state: "current", pairs: 702, rejected: 0 });
      assert.deepEqual(await textsOf(other), before, format);
    }
    const written = JSON.parse(
      await (await operator().pairs.export({ agent_id, format: "json" })).text(),
    ) as {
      documents: { doc_name: string; pairs: { question: string; keywords: string[] }[] }[];
    };
    assert.deepEqual(
      written.documents.flatMap(({ pairs }) => pairs.map(({ question, keywords }) => [question, keywords])),
      before.map(({ question, alternates }) => [question, alternates]),
    );
    const [doc] = (await operator().documents.list({ agent_id })).list;
    const one = await (await operator().pairs.export({ agent_id, doc_id: doc?.doc_id ?? "" })).text();
    assert.equal(one.split("\r\n").length - 2, doc?.pairs);
  });

  it("an export of another agent's document or knowledge base is refused", async () => {
    const [agent, other] = [
      await makeAgent(bed(), { webhook: false }),
      await makeAgent(bed(), { qaList: [HOURS] }),
    ];
    const [pair] = (await operator().pairs.list({ agent_id: other.agentId })).list;
    const { doc_id = "", knowledge_base_id = "" } = pair ?? {};
    for (const wanted of [{ doc_id }, { knowledge_base_id }]) {
      const refused = await refusal(operator().pairs.export({ agent_id: agent.agentId, ...wanted }));
      assert.equal(refused.code, 40000);
    }
  });
}
