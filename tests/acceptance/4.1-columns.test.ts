import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { makeAgent, type MadeAgent } from "../support/agents.ts";
import { openBed } from "../support/bed.ts";
import { startFileServer, type FileServer } from "../support/file-server.ts";

describe("4.1 columns of a file", () => {
  const open = new AsyncDisposableStack();
  let files: FileServer;
  let agent: MadeAgent;
  before(async () => {
    files = open.use(await startFileServer());
    agent = await makeAgent(open.use(await openBed({ apis: 1, workers: 1 })), { webhook: false });
  });
  after(() => open.disposeAsync());

  const pairsOf = async (doc_id: string) => (await agent.client.knowledge.listPairs({ doc_id })).list;

  it("4.1 refuses a table whose columns are not certain with what it found, and reads it with columns", async () => {
    const table = "Nr,Term,Meaning\n1,SLA,An agreement about a service.\n2,KPI,A figure of how things go.\n";
    const source_url = files.put("glossary.csv", { bytes: table });
    const listed = {
      purpose: "QA_FILE" as const,
      files: [{ file_url: source_url, file_name: "glossary.csv" }],
    };
    const { reply, headers } = await agent.client.knowledge.add(listed).withResponse();
    assert.deepEqual([reply.doc, reply.failed], [[], ["glossary.csv"]]);
    const [refused] = await agent.client.knowledge.getDocuments({
      import_id: headers.get("signalbox-import") ?? "",
    });
    const { cause, detail } = refused?.last_import ?? {};
    assert.equal(cause, "columns_unclear");
    assert.match(detail ?? "", /1 "Nr" \(1\), 2 "Term" \(SLA\), 3 "Meaning" .*columns/);
    const columns = { question: 2, answer: 3 };
    const { doc } = await agent.client.knowledge.add({ ...listed, header_row: 1, columns });
    const doc_id = doc[0]?.doc_id ?? "";
    const second = (await pairsOf(doc_id))[1];
    assert.deepEqual([second?.question, second?.answer], ["KPI", "A figure of how things go."]);
    const update = { columns: { question: 3, answer: 2 }, header_row: 1 };
    await agent.client.knowledge.update({
      ...update,
      files: [{ doc_id, source_url, file_name: "glossary.csv" }],
    });
    assert.equal((await pairsOf(doc_id))[0]?.answer, "SLA");
  });
});
