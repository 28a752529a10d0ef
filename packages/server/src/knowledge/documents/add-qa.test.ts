import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { routes, type AddQaRequest, type DocumentsResult } from "@signalbox/contract";
import { cloneDatabase, type ClonedDatabase } from "@signalbox/tests/support/databases.ts";
import { borrowCluster } from "@signalbox/tests/support/shared-cluster.ts";
import pg from "pg";
import {
  createSealer,
  newId,
  openAgentDatabase,
  openWorkDatabase,
  Refusal,
  type AgentCaller,
} from "../../platform/index.ts";
import { openEngine } from "../../engine/index.ts";
import { findPairs, readBases } from "../retrieval/find-pairs.ts";
import { createStatisticsCache } from "../retrieval/statistics-cache.ts";
import { addQa } from "./add-qa.ts";
import type { ImportParts } from "./import-ticket.ts";

describe("adding a QA_TEXT document", () => {
  const open = new AsyncDisposableStack();
  const sealer = createSealer([{ id: "k1", material: Buffer.alloc(32, 7) }]);
  const ours = { agentId: newId(), baseId: newId() };
  const theirs = { agentId: newId(), baseId: newId() };
  let database: ClonedDatabase;
  let parts: ImportParts;
  let owner: pg.Client;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    database = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const agents = openAgentDatabase({ url: database.url, poolSize: 4, onError: () => undefined });
    open.defer(() => agents.close());
    // Nobody listens there: a document given as text needs no engine.
    const engine = open.adopt(openEngine({ ingressUrl: "http://127.0.0.1:9" }), (client) => client.close());
    parts = {
      agents,
      writes: (_agentId, work) => work(),
      sealer,
      engine,
      answerWithinMs: 1_000,
      waitingFilesMax: 100,
      stopping: new AbortController().signal,
    };
    owner = new pg.Client({ connectionString: database.maintenanceUrl });
    await owner.connect();
    open.defer(() => owner.end());
    for (const { agentId, baseId } of [ours, theirs]) {
      await owner.query("insert into agent (id, name) values ($1, 'n')", [agentId]);
      await owner.query(
        "insert into knowledge_base (id, agent_id, name, is_default) values ($1, $2, 'Default', true)",
        [baseId, agentId],
      );
    }
  });
  after(() => open.disposeAsync());

  const caller = (idempotency?: AgentCaller["idempotency"]): AgentCaller => ({
    kind: "agent",
    agentId: ours.agentId,
    apiKeyId: newId(),
    apiKeyName: "test",
    request: { id: newId(), address: "127.0.0.1" },
    idempotency,
  });

  const request = (body: object): AddQaRequest =>
    routes.addQa.body.parse({
      purpose: "QA_TEXT",
      name: "FAQ",
      qaList: [{ question: "q", answer: "a" }],
      ...body,
    });

  async function add(from: AgentCaller, asked: AddQaRequest): Promise<DocumentsResult> {
    const added = await addQa(parts, from, asked);
    assert.ok("doc" in added);
    return added;
  }

  async function stored(): Promise<{ documents: number; pairs: number }> {
    const { rows } = await owner.query(
      "select (select count(*) from document)::integer as documents, (select count(*) from qa_pair)::integer as pairs",
    );
    return rows[0];
  }

  it("a QA_TEXT document goes to the default knowledge base and is found", async () => {
    const qaList = [
      { question: "Where is O'Reilly\\'s lantern?", answer: "In the 'cellar'.\n\tBehind \\ it." },
    ];
    const added = await add(caller(), request({ name: "Lanterns", qaList }));
    assert.deepEqual(
      added.doc.map(({ doc_name }) => doc_name),
      ["Lanterns"],
    );
    assert.deepEqual(added.failed, []);
    const work = openWorkDatabase({ url: database.url, poolSize: 1, onError: () => undefined });
    const [found] = await findPairs(work.db, createStatisticsCache(work.db), {
      agentId: ours.agentId,
      bases: await readBases(work.db, ours.agentId),
      asked: "where's the lantern of O'Reilly",
      most: 1,
    });
    await work.close();
    assert.equal(found?.documentId, added.doc[0]?.doc_id);
    assert.equal(found?.answer, qaList[0]?.answer);
  });

  it("a QA_TEXT document keeps every pair of the longest list, in order", async () => {
    const qaList = Array.from({ length: 10_000 }, (_, index) => ({
      question: `number ${index}`,
      answer: `${index}`,
    }));
    const added = await add(caller(), request({ knowledge_base_id: ours.baseId, qaList }));
    const { rows } = await owner.query(
      "select count(*)::integer as n, bool_and(answer = (ordinal - 1)::text) as in_order, min(revision) as revision from qa_pair where document_id = $1",
      [added.doc[0]?.doc_id],
    );
    assert.deepEqual(rows, [{ n: 10_000, in_order: true, revision: 1 }]);
  });

  it("another agent's knowledge base is refused in the same words as one that does not exist", async () => {
    const before = await stored();
    const refusals = [];
    for (const knowledge_base_id of [theirs.baseId, newId()])
      refusals.push(await addQa(parts, caller(), request({ knowledge_base_id })));
    assert.ok(refusals[0] instanceof Refusal);
    assert.equal(refusals[0].failure, "badParameter");
    assert.deepEqual(refusals[0], refusals[1]);
    assert.deepEqual(await stored(), before);
  });

  it("a QA_TEXT document is stored whole or not at all", async () => {
    const before = await stored();
    const qaList = [
      { question: "fine", answer: "fine" },
      { question: "poison", answer: "this one PostgreSQL will not take" },
    ];
    await owner.query("alter table qa_pair add constraint probe check (question <> 'poison')");
    await assert.rejects(addQa(parts, caller(), request({ qaList })));
    await owner.query("alter table qa_pair drop constraint probe");
    assert.deepEqual(await stored(), before);
  });

  it("repeated requests with one Idempotency-Key add one document", async () => {
    const before = await stored();
    const key = { keyHash: Buffer.from("key"), requestHash: Buffer.from("request") };
    const replies = await Promise.all([1, 2, 3].map(() => addQa(parts, caller(key), request({}))));
    assert.equal(new Set(replies.map((reply) => JSON.stringify(reply))).size, 1);
    assert.equal((await stored()).documents, before.documents + 1);
  });
});
