import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { callerOf, makeAgent, refusal, type MadeAgent } from "../support/agents.ts";
import { openBed, type Bed } from "../support/bed.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";
import { eventually } from "../support/processes.ts";

const UNKNOWN = "0199f3a2-6c1e-7b44-9d0a-000000000009";

describe("4.2 update QA", () => {
  const open = new AsyncDisposableStack();
  let bed: Bed;
  let files: FileServer;
  let agent: MadeAgent;
  let other: MadeAgent;

  before(async () => {
    files = open.use(await startFileServer());
    bed = open.use(await openBed({ apis: 2, workers: 1 }));
    [agent, other] = [await makeAgent(bed, { webhook: false }), await makeAgent(bed, { webhook: false })];
  });
  after(() => open.disposeAsync());

  const csv = (name: string, ...rows: string[]) => files.put(name, { bytes: rows.join("\n") });

  async function added(...pairs: [question: string, answer: string][]): Promise<string> {
    const qaList = pairs.map(([question, answer]) => ({ question, answer }));
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Text", qaList });
    return doc[0]?.doc_id ?? "";
  }

  /** What readers find: every pair of the document, by the questions it had and has. */
  async function answersOf(documentId: string, ...questions: string[]): Promise<(string | undefined)[]> {
    return Promise.all(
      questions.map(async (prompt) => {
        const { list } = await agent.client.knowledge.search({ prompt, data_ids: [documentId] });
        return list.find(({ question }) => question === prompt)?.answer;
      }),
    );
  }

  async function pairsOf(documentId: string): Promise<string[]> {
    const rows = await bed.database.query<{ pair: string }>(
      `select p.question || '=' || p.answer as pair from qa_pair p join document d on d.id = p.document_id and d.current_revision = p.revision
       where d.id = $1 order by p.ordinal`,
      [documentId],
    );
    return rows.map(({ pair }) => pair);
  }

  const reasonOf = async (body: object) => {
    const { status, code, message } = await refusal(agent.client.knowledge.update(body));
    assert.deepEqual([status, code], [400, 40000]);
    return message;
  };

  it("4.2 rule 2: qaList replaces every pair, and document and name stay", async () => {
    const doc_id = await added(["Where is it?", "Here."], ["When is it?", "Now."]);
    const reply = await agent.client.knowledge.update({
      doc_id,
      qaList: [{ question: "Where is it?", answer: "There." }],
    });
    assert.deepEqual(reply, { doc: [{ doc_id, doc_name: "Text" }], failed: [] });
    assert.deepEqual(await answersOf(doc_id, "Where is it?", "When is it?"), ["There.", undefined]);
    assert.deepEqual(await pairsOf(doc_id), ["Where is it?=There."]);
  });

  it("4.2 is at PUT /v1/bot/doc/qa/update", async () => {
    const doc_id = await added(["Which way?", "Left."]);
    const answer = await fetch(`${bed.baseUrl}/v1/bot/doc/qa/update`, {
      method: "PUT",
      headers: { authorization: `Bearer ${agent.apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ doc_id, qaList: [{ question: "Which way?", answer: "Right." }] }),
    });
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { doc: [{ doc_id, doc_name: "Text" }], failed: [] });
    assert.deepEqual(await pairsOf(doc_id), ["Which way?=Right."]);
  });

  it("4.2 rule 1: qaList and files exclude each other, and one must not be empty", async () => {
    const doc_id = await added(["Where?", "Here."]);
    const qaList = [{ question: "Where?", answer: "There." }];
    const file = { doc_id, source_url: csv("x.csv", "a,b"), file_name: "x.csv" };
    assert.match(await reasonOf({ doc_id, qaList, files: [file] }), /either qaList or files, not both/);
    assert.match(await reasonOf({ doc_id }), /qaList or files; both are empty/);
    assert.match(await reasonOf({ doc_id, qaList: [], files: [] }), /both are empty/);
    assert.match(await reasonOf({ qaList }), /doc_id is required when updating with qaList/);
    assert.match(await reasonOf({ files: Array.from({ length: 21 }, () => file) }), /at most 20 entries/);
    assert.match(await reasonOf({ files: [file, file] }), /files\[1\]\.doc_id is the same as in files\[0\]/);
    assert.match(await reasonOf({ files: [{ ...file, source_url: undefined }] }), /source_url is required/);
    assert.deepEqual(await pairsOf(doc_id), ["Where?=Here."]);
  });

  it("4.2 rule 3: each file updates the document it names, and an unknown one fails alone", async () => {
    const [first, second] = [await added(["Where?", "Here."]), await added(["When?", "Now."])];
    const reply = await agent.client.knowledge.update({
      doc_id: "what stands here does not matter",
      files: [
        { doc_id: first, source_url: csv("one.csv", "Where?,There."), file_name: "one.csv" },
        { doc_id: UNKNOWN, source_url: csv("same.csv", "a,b"), file_name: "same.csv" },
        { doc_id: "no-id-of-ours", source_url: csv("same.csv", "a,b"), file_name: "same.csv" },
        { doc_id: second, file_url: csv("two.csv", "When?,Then."), file_name: "two.csv" },
      ],
    });
    assert.deepEqual(
      reply.doc.map(({ doc_id }) => doc_id),
      [first, second],
    );
    assert.deepEqual(reply.failed, ["same.csv", "same.csv"]);
    assert.deepEqual(await pairsOf(first), ["Where?=There."]);
    assert.deepEqual(await pairsOf(second), ["When?=Then."]);
  });

  it("4.2 refuses an unknown document, another agent's, and a foreign knowledge base", async () => {
    const doc_id = await added(["Where?", "Here."]);
    const qaList = [{ question: "Where?", answer: "There." }];
    const theirs = (await other.client.knowledge.add({ purpose: "QA_TEXT", name: "Theirs", qaList })).doc[0]
      ?.doc_id;
    assert.match(await reasonOf({ doc_id: UNKNOWN, qaList }), /doc_id is not a document of this agent/);
    assert.equal(await reasonOf({ doc_id: theirs, qaList }), await reasonOf({ doc_id: UNKNOWN, qaList }));
    const { knowledge_base_id } = await agent.client.knowledge.createBase({ name: "Elsewhere", desc: "d" });
    assert.match(await reasonOf({ doc_id, knowledge_base_id, qaList }), /differs from the document's own/);
    const files = [{ doc_id, source_url: csv("y.csv", "a,b"), file_name: "y.csv" }];
    assert.match(await reasonOf({ knowledge_base_id, files }), /differs from the document's own/);
    const own = { doc_id, knowledge_base_id: agent.knowledgeBaseId, qaList };
    assert.deepEqual((await agent.client.knowledge.update(own)).failed, []);
  });

  it("4.2 changes nothing when a file fails or is empty", async () => {
    const doc_id = await added(["Where?", "Here."]);
    const bad = {
      "gone.csv": `${files.url}/gone.csv`,
      "empty.csv": csv("empty.csv", ""),
      "header.csv": csv("header.csv", "question,answer"),
      "unclosed.csv": csv("unclosed.csv", "Where?,There.", 'When?,"Now'),
    };
    for (const [file_name, source_url] of Object.entries(bad)) {
      const reply = await agent.client.knowledge.update({ files: [{ doc_id, source_url, file_name }] });
      assert.deepEqual(reply, { doc: [], failed: [file_name] });
    }
    assert.deepEqual(await answersOf(doc_id, "Where?"), ["Here."]);
    const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [doc_id] });
    assert.deepEqual(
      [detail?.data_status, detail?.pairs, detail?.last_import?.state, detail?.last_import?.cause],
      ["AVAILABLE", 1, "failed", "unclosed_quote"],
    );
  });

  it("4.2 reads a file as its document was made, and for a text document by the file's type", async () => {
    const table = "Saw,For wood.\nDrill,For holes.\n";
    const make = async (purpose: "QA_FILE" | "FILE_2_QA") => {
      const entry = {
        file_url: files.put("made.csv", { bytes: "question,answer\nOld?,Old.\n" }),
        file_name: "made.csv",
      };
      return (await agent.client.knowledge.add({ purpose, files: [entry] })).doc[0]?.doc_id ?? "";
    };
    const [asPairs, asDocument] = [await make("QA_FILE"), await make("FILE_2_QA")];
    const [byCsv, byMarkdown] = [await added(["Old?", "Old."]), await added(["Old?", "Old."])];
    const markdown = files.put("new.md", {
      bytes: "# Desk\n\n## Where is the desk?\n\nUpstairs.\n",
      type: "text/plain",
    });
    const source_url = files.put("new.csv", { bytes: table });
    const reply = await agent.client.knowledge.update({
      files: [
        ...[asPairs, asDocument, byCsv].map((doc_id) => ({ doc_id, source_url, file_name: "new.csv" })),
        { doc_id: byMarkdown, source_url: markdown, file_name: "new.md" },
      ],
    });
    assert.deepEqual(reply.failed, []);
    const pairs = ["Saw=For wood.", "Drill=For holes."];
    assert.deepEqual(await pairsOf(asPairs), pairs);
    assert.deepEqual(await pairsOf(byCsv), pairs);
    assert.notDeepEqual(await pairsOf(asDocument), pairs, "the rows of a converted table are text");
    assert.ok((await pairsOf(byMarkdown)).includes("Where is the desk?=Upstairs."));
  });

  it("4.2 reads header_row as the number of header rows, and finds the header without it", async () => {
    const made = { file_url: csv("old.csv", "question,answer", "Old?,Old."), file_name: "old.csv" };
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_FILE", files: [made] });
    const doc_id = doc[0]?.doc_id ?? "";
    const source_url = csv("new.csv", "Our FAQ,", "Answer,Question", "Here.,Where?", "Now.,When?");
    const entry = { doc_id, source_url, file_name: "new.csv" };
    for (const [header_row, pairs] of [
      [undefined, ["Where?=Here.", "When?=Now."]],
      [2, ["Where?=Here.", "When?=Now."]],
      [3, ["Now.=When?"]],
      [1, ["Answer=Question", "Here.=Where?", "Now.=When?"]],
    ] as const) {
      const reply = await agent.client.knowledge.update({ header_row, files: [entry] });
      assert.deepEqual(reply.failed, [], `header_row ${header_row}`);
      assert.deepEqual(await pairsOf(doc_id), pairs, `header_row ${header_row}`);
    }
  });

  it("4.2 reads a one-character splitter as the delimiter of a CSV file", async () => {
    const made = { file_url: csv("comma.csv", "Old?,Old."), file_name: "comma.csv" };
    const { doc } = await agent.client.knowledge.add({ purpose: "QA_FILE", files: [made] });
    const doc_id = doc[0]?.doc_id ?? "";
    const source_url = csv("tilde.csv", "Where, when?~Here, now.");
    const files = [{ doc_id, source_url, file_name: "tilde.csv" }];
    assert.deepEqual((await agent.client.knowledge.update({ splitter: "~", files })).failed, []);
    assert.deepEqual(await pairsOf(doc_id), ["Where, when?=Here, now."]);
  });

  it("4.1 and 4.2 store the same list alike as text and as a file: trimmed, and a repeated pair once", async () => {
    const qaList = [
      ["  Where? ", " Here.\n"],
      ["Where?", "Here."],
      ["WHERE ?", "Here."],
      ["Where?", "There."],
      ["When?", "Now."],
    ].map(([question = "", answer = ""]) => ({ question, answer }));
    const rows = qaList.map(({ question, answer }) => `"${question}","${answer}"`);
    const file = { file_url: csv("alike.csv", ...rows), file_name: "alike.csv" };
    const made = await Promise.all([
      agent.client.knowledge.add({ purpose: "QA_TEXT", name: "Alike", qaList }),
      agent.client.knowledge.add({ purpose: "QA_FILE", header_row: 0, files: [file] }),
    ]);
    const ids = made.map(({ doc }) => doc[0]?.doc_id ?? "");
    for (const id of ids) {
      assert.deepEqual(await pairsOf(id), ["Where?=Here.", "Where?=There.", "When?=Now."]);
      const [detail] = await agent.client.knowledge.getDocuments({ data_ids: [id] });
      const { rows_read, pairs, duplicates } = detail?.last_import ?? {};
      assert.deepEqual([rows_read, pairs, duplicates], [5, 3, 2]);
    }
    await agent.client.knowledge.update({ doc_id: ids[0] ?? "", qaList: qaList.slice(0, 2) });
    assert.deepEqual(await pairsOf(ids[0] ?? ""), ["Where?=Here."]);
  });

  it("4.2 never mixes concurrent updates of one document, on either node", async () => {
    const doc_id = await added(["Where?", "Here."]);
    const listOf = (tag: number) =>
      Array.from({ length: 40 }, (_, index) => ({
        question: `Question ${index} about it?`,
        answer: `by ${tag}`,
      }));
    const clients = bed.apis.map(({ baseUrl }) => callerOf(bed, agent.apiKey, baseUrl));
    await Promise.all(
      Array.from({ length: 24 }, (_, tag) =>
        tag % 3 === 0
          ? agent.client.knowledge.update({
              files: [
                {
                  doc_id,
                  source_url: csv(
                    `at-once-${tag}.csv`,
                    ...listOf(tag).map((pair) => `${pair.question},${pair.answer}`),
                  ),
                  file_name: "at-once.csv",
                },
              ],
            })
          : clients[tag % clients.length]!.knowledge.update({ doc_id, qaList: listOf(tag) }),
      ),
    );
    const pairs = await pairsOf(doc_id);
    assert.equal(pairs.length, 40);
    assert.equal(new Set(pairs.map((pair) => pair.split("=")[1])).size, 1, "of one update alone");
    const [row] = await bed.database.query<{ current: number; last: number }>(
      "select current_revision as current, last_revision as last from document where id = $1",
      [doc_id],
    );
    assert.equal(row?.current, row?.last, "the one accepted last");
  });

  it("4.2 updates once per Idempotency-Key and refuses the key with another body", async () => {
    const doc_id = await added(["Where?", "Here."]);
    const call = (answer: string) =>
      agent.client.knowledge.update(
        { doc_id, qaList: [{ question: "Where?", answer }] },
        { idempotencyKey: "update-once" },
      );
    assert.deepEqual(await call("There."), await call("There."));
    const { code } = await refusal(call("Elsewhere."));
    assert.equal(code, 40900);
    const [row] = await bed.database.query<{ last_revision: number }>(
      "select last_revision from document where id = $1",
      [doc_id],
    );
    assert.equal(row?.last_revision, 2);
  });

  it("the sweep deletes only content that no document points at", async () => {
    const doc_id = await added(["Where?", "Here."]);
    for (const answer of ["There.", "Elsewhere.", "Nowhere."])
      await agent.client.knowledge.update({ doc_id, qaList: [{ question: "Where?", answer }] });
    const before = await pairsOf(doc_id);
    await bed.database.query(
      "update document_revision set finished_at = now() - interval '1 hour' where document_id = $1 and finished_at is not null",
      [doc_id],
    );
    const left = () =>
      bed.database.query<{ revision: number }>("select revision from qa_pair where document_id = $1", [
        doc_id,
      ]);
    await eventually("old revisions are gone", async () => (await left()).length === 1, {
      timeoutMs: 20_000,
    });
    assert.deepEqual(await left(), [{ revision: 4 }]);
    assert.deepEqual(await pairsOf(doc_id), before);
  });
});
