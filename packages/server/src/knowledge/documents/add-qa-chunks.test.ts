import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
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
  type AgentDatabase,
  type Database,
  type OperatorCaller,
} from "../../platform/index.ts";
import { openEngine, type Engine } from "../../engine/index.ts";
import { findPairs, readBases } from "../retrieval/find-pairs.ts";
import { noStatistics, writeStatistics } from "../retrieval/statistics.ts";
import { createStatisticsCache } from "../retrieval/statistics-cache.ts";
import { addAlternate } from "../pairs/add-alternate.ts";
import { addQaChunks } from "./add-qa-chunks.ts";
import { deleteDocuments } from "./delete-documents.ts";
import { getDocumentDetails } from "./document-details.ts";
import { ingestSweeps } from "./ingest-sweeps.ts";
import { listKnowledgeBases } from "./knowledge-bases.ts";
import { listDocuments } from "./list-documents.ts";
import { listQaChunks } from "./list-qa-chunks.ts";
import { publishText } from "./publish-text.ts";
import { acceptRevision, publishRevision } from "./revision-store.ts";

const PAIRS_MAX = 5_000;

describe("appending pairs to a document", () => {
  const open = new AsyncDisposableStack();
  const sealer = createSealer([{ id: "k1", material: Buffer.alloc(32, 7) }]);
  const agentId = newId();
  let agents: AgentDatabase;
  let work: Database;
  let engine: Engine;
  let owner: pg.Client;

  before(async () => {
    const { cluster } = open.use(await borrowCluster());
    const database: ClonedDatabase = await cloneDatabase(cluster);
    open.defer(() => database.drop());
    const options = { url: database.url, poolSize: 8, onError: () => undefined };
    agents = openAgentDatabase(options);
    open.defer(() => agents.close());
    work = open.adopt(openWorkDatabase(options), (handle) => handle.close()).db;
    engine = open.adopt(openEngine({ ingressUrl: "http://127.0.0.1:9" }), (client) => client.close());
    owner = new pg.Client({ connectionString: database.maintenanceUrl });
    await owner.connect();
    open.defer(() => owner.end());
    await owner.query("insert into agent (id, name) values ($1, 'n')", [agentId]);
  });
  after(() => open.disposeAsync());

  const caller = (idempotency?: AgentCaller["idempotency"]): AgentCaller => ({
    kind: "agent",
    agentId,
    apiKeyId: newId(),
    apiKeyName: "test",
    request: { id: newId(), address: "127.0.0.1" },
    idempotency,
  });

  const operator: OperatorCaller = {
    kind: "operator",
    actor: "operator_token",
    actorId: newId(),
    actorName: "test",
    sessionId: undefined,
    agentIds: undefined,
    request: { id: newId(), address: "127.0.0.1" },
    idempotency: undefined,
  };

  const pairsOf = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      question: `What does part ${from + index} of the machine do?`,
      answer: `Part ${from + index} turns wheel ${(from + index) % 7}.`,
    }));

  interface Made {
    baseId: string;
    documentId: string;
  }

  /** A document with this many pairs, in a base of its own. */
  async function makeDocument(pairs: number): Promise<Made> {
    const [baseId, documentId] = [newId(), newId()];
    await owner.query("insert into knowledge_base (id, agent_id, name) values ($1, $2, 'n')", [
      baseId,
      agentId,
    ]);
    await owner.query(
      "insert into document (id, agent_id, knowledge_base_id, name, purpose) values ($1, $2, $3, 'n', 'QA_TEXT')",
      [documentId, agentId, baseId],
    );
    if (pairs > 0)
      await agents.asAgent(agentId, (db) =>
        publishText(db, { agentId, knowledgeBaseId: baseId, documentId }, pairsOf(0, pairs)),
      );
    return { baseId, documentId };
  }

  const append = (documentId: string, chunks: ReturnType<typeof pairsOf>, from = caller()) =>
    addQaChunks({ agents, writes: (_agentId, work) => work(), sealer, pairsMax: PAIRS_MAX }, from, {
      doc_id: documentId,
      chunks,
    });

  async function storedPairs(documentId: string): Promise<number> {
    const { rows } = await owner.query(
      "select count(*)::integer as pairs from qa_pair where document_id = $1",
      [documentId],
    );
    return rows[0].pairs;
  }

  async function answerTo({ baseId }: Made, asked: string): Promise<string | undefined> {
    const bases = await readBases(work, agentId, [baseId]);
    const [found] = await findPairs(work, createStatisticsCache(work), { agentId, bases, asked, most: 1 });
    return found?.answer;
  }

  async function detailOf(documentId: string, importId?: string) {
    const asked = importId === undefined ? { data_ids: [documentId] } : { import_id: importId };
    const details = await getDocumentDetails({ agents }, caller(), asked);
    assert.ok(!(details instanceof Refusal));
    return details[0];
  }

  /** As if so much time had passed that no reader can be left. */
  async function sweep(documentId: string): Promise<void> {
    await owner.query(
      "update document_revision set finished_at = now() - interval '1 day' where document_id = $1 and finished_at is not null",
      [documentId],
    );
    const sweeps = ingestSweeps({ db: work, engine, graceMs: 0 });
    await sweeps.find(({ name }) => name === "revisions_unreferenced")?.run();
  }

  it("an append writes only the new pair, not the 3,000 that are there", async () => {
    const { documentId } = await makeDocument(3_000);
    await append(documentId, pairsOf(3_000, 1));
    // Other databases of the same cluster write too: the smallest of a few is nearest to what the append wrote.
    const walBytes: number[] = [];
    for (let from = 3_001; from < 3_009; from += 1) {
      const { rows: before } = await owner.query("select pg_current_wal_insert_lsn() as lsn");
      await append(documentId, pairsOf(from, 1));
      const { rows: after } = await owner.query(
        "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::integer as bytes",
        [before[0].lsn],
      );
      walBytes.push(after[0].bytes);
    }
    assert.equal(await storedPairs(documentId), 3_009);
    assert.ok(Math.min(...walBytes) < 200_000, `${walBytes.join(", ")} bytes of WAL`);
  });

  it("appended pairs are found with the word counts of a document written at once", async () => {
    const [grown, written] = [await makeDocument(40), await makeDocument(103)];
    for (let from = 40; from < 103; from += 1) await append(grown.documentId, pairsOf(from, 1));
    for (const number of [3, 41, 102])
      assert.equal(
        await answerTo(grown, `What does part ${number} of the machine do?`),
        `Part ${number} turns wheel ${number % 7}.`,
      );
    const cache = createStatisticsCache(work);
    const counts = async ({ baseId }: Made) => cache.of((await readBases(work, agentId, [baseId]))[0]!);
    assert.deepEqual(await counts(grown), await counts(written));
    const { rows } = await owner.query(
      "select count(statistics)::integer as parts from document_revision where document_id = $1",
      [grown.documentId],
    );
    assert.ok(rows[0].parts <= 7, `${rows[0].parts} parts of word counts for 63 appends`);
  });

  it("an appended alternate question is found and counted as if written with its pair", async () => {
    const [grown, written] = [await makeDocument(4), await makeDocument(0)];
    const [first, second, ...rest] = pairsOf(0, 4);
    const keywords = ["the flywheel", "the big wheel"];
    await agents.asAgent(agentId, (db) =>
      publishText(db, { agentId, knowledgeBaseId: written.baseId, documentId: written.documentId }, [
        first!,
        { ...second!, keywords },
        ...rest,
      ]),
    );
    const add = (question: string, alternate: string, documentId = grown.documentId) =>
      work
        .transaction()
        .execute((db) => addAlternate(db, operator, { agentId, documentId, question }, alternate));
    for (const alternate of [...keywords, "The flywheel?"])
      assert.equal(await add(second!.question, alternate), "added");
    assert.equal(await add("What is not there?", "nothing"), "no_pair");
    assert.equal(await add(second!.question, "nothing", newId()), "no_pair");
    assert.equal(await answerTo(grown, "the flywheel"), second!.answer);
    const stored = async ({ documentId }: Made) =>
      (
        await owner.query(
          "select ordinal, alternates, tsvector_to_array(terms) as terms from qa_pair where document_id = $1 order by ordinal",
          [documentId],
        )
      ).rows.map(({ terms, ...row }) => ({ ...row, terms: terms.map((term: string) => term.slice(4)) }));
    assert.deepEqual(await stored(grown), await stored(written));
    const cache = createStatisticsCache(work);
    const counts = async ({ baseId }: Made) => cache.of((await readBases(work, agentId, [baseId]))[0]!);
    assert.deepEqual(await counts(grown), await counts(written));
    assert.equal((await detailOf(grown.documentId))?.pairs, 4);
    for (let at = 2; at < 50; at += 1) await add(second!.question, `wheel number ${at}`);
    assert.equal(await add(second!.question, "one too many"), "full");
  });

  it("every append counts its pairs as a revision, and the last one is current", async () => {
    const { baseId, documentId } = await makeDocument(5);
    const first = (await detailOf(documentId))?.last_import;
    assert.deepEqual([first?.state, first?.pairs], ["current", 5]);
    await append(documentId, pairsOf(5, 2));
    const second = (await detailOf(documentId))?.last_import;
    await append(documentId, pairsOf(7, 3));
    const detail = await detailOf(documentId);
    const last = detail?.last_import;
    assert.deepEqual([detail?.pairs, last?.state, last?.pairs, last?.rows_read], [10, "current", 10, 10]);
    for (const [earlier, pairs] of [
      [first, 5],
      [second, 7],
    ] as const) {
      const then = (await detailOf(documentId, earlier?.import_id))?.last_import;
      assert.deepEqual([then?.state, then?.pairs, then?.rows_read], ["superseded", pairs, pairs]);
    }
    const page = { knowledge_base_id: baseId, page: 1, page_size: 10 };
    const documents = await listDocuments({ agents }, caller(), page);
    assert.ok(!(documents instanceof Refusal));
    assert.deepEqual(
      documents.list.map(({ chunk, char_count }) => [chunk, char_count]),
      [[10, pairsOf(0, 10).reduce((sum, pair) => sum + pair.question.length + pair.answer.length, 0)]],
    );
    const bases = await listKnowledgeBases({ agents }, caller(), { page: 1, page_size: 100 });
    assert.equal(bases.knowledge_base.find(({ id }) => id === baseId)?.chunk, 10);
  });

  it("a reader that began before an append reads it at the end", async () => {
    const { documentId } = await makeDocument(3);
    const read = async (cursor?: string) => {
      const page = await listQaChunks({ agents }, caller(), {
        doc_id: documentId,
        limit: 2,
        ...(cursor !== undefined && { cursor }),
      });
      assert.ok(!(page instanceof Refusal));
      return { questions: page.list.map(({ question }) => question), cursor: page.next_cursor ?? undefined };
    };
    const first = await read();
    await append(documentId, pairsOf(3, 1));
    const second = await read(first.cursor);
    assert.deepEqual(
      [...first.questions, ...second.questions],
      pairsOf(0, 4).map(({ question }) => question),
    );
    assert.equal(second.cursor, undefined);
  });

  it("an append survives an import accepted before it and is replaced by one accepted after", async () => {
    const made = await makeDocument(4);
    const { baseId: knowledgeBaseId, documentId } = made;
    const accept = () =>
      acceptRevision(work, {
        agentId,
        knowledgeBaseId,
        documentId,
        importId: newId(),
        position: 0,
        reading: "pairs",
      });
    const noPairs = {
      rowsRead: 0,
      pairs: 0,
      rejected: 0,
      duplicates: 0,
      blank: 0,
      conflicts: 0,
      characters: 0,
    };
    const nothing = { ...noPairs, statistics: writeStatistics(noStatistics()), report: {} };
    const earlier = await accept();
    await append(documentId, pairsOf(4, 1));
    assert.equal(await publishRevision(work, earlier, nothing), "superseded");
    assert.equal((await detailOf(documentId))?.pairs, 5);
    const later = await accept();
    assert.equal(await publishRevision(work, later, nothing), "current");
    assert.equal((await detailOf(documentId))?.pairs, 0);
    await append(documentId, pairsOf(9, 1));
    assert.equal((await detailOf(documentId))?.pairs, 1);
    assert.equal(await answerTo(made, "What does part 9 of the machine do?"), "Part 9 turns wheel 2.");
    assert.equal(await answerTo(made, "What does part 4 of the machine do?"), "Part 9 turns wheel 2.");
  });

  it("the sweep keeps the content an append builds on until all of it is replaced or deleted", async () => {
    for (const end of ["replaced", "deleted"]) {
      const made = await makeDocument(6);
      const { baseId: knowledgeBaseId, documentId } = made;
      for (const from of [6, 7, 8]) await append(documentId, pairsOf(from, 1));
      await sweep(documentId);
      assert.equal(await storedPairs(documentId), 9);
      if (end === "deleted") await deleteDocuments({ agents }, caller(), { doc: [documentId] });
      else
        await agents.asAgent(agentId, (db) =>
          publishText(db, { agentId, knowledgeBaseId, documentId }, pairsOf(20, 1)),
        );
      const sweeps = ingestSweeps({ db: work, engine, graceMs: 60_000 });
      await sweeps.find(({ name }) => name === "revisions_unreferenced")?.run();
      assert.equal(await storedPairs(documentId), end === "deleted" ? 9 : 10, "a reader may still be there");
      await sweep(documentId);
      assert.equal(await storedPairs(documentId), end === "deleted" ? 0 : 1);
      const { rows } = await owner.query(
        "select count(statistics)::integer as counted from document_revision where document_id = $1",
        [documentId],
      );
      assert.equal(rows[0].counted, end === "deleted" ? 0 : 1, "word counts go with their pairs");
    }
  });

  it("an append to an empty document starts its content", async () => {
    const made = await makeDocument(0);
    await append(made.documentId, pairsOf(0, 2));
    assert.equal((await detailOf(made.documentId))?.pairs, 2);
    assert.equal(await answerTo(made, "What does part 1 of the machine do?"), "Part 1 turns wheel 1.");
  });

  it("an append is stored whole or not at all, once per Idempotency-Key, in order without gaps", async () => {
    const { documentId } = await makeDocument(2);
    await owner.query("alter table qa_pair add constraint probe check (question <> 'poison')");
    await assert.rejects(append(documentId, [...pairsOf(2, 1), { question: "poison", answer: "p" }]));
    await owner.query("alter table qa_pair drop constraint probe");
    const unchanged = await detailOf(documentId);
    assert.deepEqual([await storedPairs(documentId), unchanged?.pairs], [2, 2]);
    const key = { keyHash: Buffer.from("append"), requestHash: Buffer.from("request") };
    await Promise.all([1, 2, 3].map(() => append(documentId, pairsOf(2, 1), caller(key))));
    await Promise.all([3, 5, 7, 9].map((from) => append(documentId, pairsOf(from, 2))));
    const { rows } = await owner.query(
      `select count(*)::integer as pairs, count(distinct question)::integer as questions, max(ordinal) as last,
        bool_and(revision = 1) as is_one_content from qa_pair where document_id = $1`,
      [documentId],
    );
    assert.deepEqual(rows, [{ pairs: 11, questions: 11, last: 11, is_one_content: true }]);
    assert.equal((await detailOf(documentId))?.pairs, 11);
  });

  it("an append beyond the document's limit is refused, counting earlier appends", async () => {
    const { documentId } = await makeDocument(PAIRS_MAX - 2);
    assert.ok(!((await append(documentId, pairsOf(0, 2))) instanceof Refusal));
    assert.ok((await append(documentId, pairsOf(0, 1))) instanceof Refusal);
  });
});
